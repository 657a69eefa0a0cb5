import AppReceiptSupport

/// The purchases that are added for one customer in one app and environment.
struct AddedPurchases {
    var transactions: [AppStoreJSON.Object] = []
    var renewals: [AppStoreJSON.Object] = []
    var appTransaction: AppStoreJSON.Object?

    /// The identifiers that lead to the customer.
    var identifiers: Set<String> {
        var identifiers: Set<String> = []
        let names = ["transactionId", "originalTransactionId", "appTransactionId"]
        for members in transactions + renewals + (appTransaction.map { [$0] } ?? []) {
            identifiers.formUnion(names.compactMap { members.string($0) })
        }
        return identifiers
    }

    /// Sorts the transactions by their last event, which is the order of their modifications.
    mutating func sort() {
        func event(_ members: AppStoreJSON.Object) -> Int64 {
            members.milliseconds("revocationDate") ?? members.milliseconds("purchaseDate") ?? 0
        }
        let order = transactions.indices.sorted {
            (event(transactions[$0]), $0) < (event(transactions[$1]), $1)
        }
        transactions = order.map { transactions[$0] }
    }
}
