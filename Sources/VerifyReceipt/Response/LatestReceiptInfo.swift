import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// The members that follow `receipt` if the receipt contains purchases.
///
/// `latest_receipt_info` is newest first, by the beginning of the period: some clients read only its first element, and
/// Apple documents no order. Transactions with the same dates keep their order.
struct LatestReceiptInfo {
    /// The transactions in any order.
    var transactions: [TransactionFields]
    /// For each of the first transactions, the position of an equal element in the response so far, if there is one.
    var written: [Range<Int>?] = []
    /// The known renewal of subscriptions.
    var renewals: [RenewalFields] = []
    var latestReceipt: LatestReceipt
    /// Whether only the newest transaction of each subscription is requested, if there is a subscription.
    var excludesOldTransactions: Bool
    /// The subscriptions with an element of `pending_renewal_info`.
    var renewalInfo = VerifyReceiptResponder.RenewalInfo.known

    /// The newest receipt.
    enum LatestReceipt {
        case binary(ArraySlice<UInt8>)
        /// A receipt in base64 on one line, or a token.
        case text(ArraySlice<UInt8>)
    }

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        let newestFirst = newestFirst
        writer.openArray("latest_receipt_info")
        for index in excludesOldTransactions ? withoutOldTransactions(newestFirst) : newestFirst {
            if index < written.count, let range = written[index] {
                writer.repeatElement(range)
            } else {
                writer.openObject()
                transactions[index].write(to: &writer)
                writer.closeObject()
            }
        }
        writer.closeArray()
        switch latestReceipt {
        case .binary(let der): writer.member("latest_receipt", base64: der)
        case .text(let text): writer.member("latest_receipt", plain: text)
        }
        let renewals = renewalInfo == .always ? completeRenewals(newestFirst) : renewals
        guard !renewals.isEmpty else { return }
        writer.openArray("pending_renewal_info")
        for renewal in renewals {
            writer.openObject()
            renewal.write(to: &writer)
            writer.closeObject()
        }
        writer.closeArray()
    }

    /// Returns the known renewals, then an element for every other subscription.
    private func completeRenewals(_ newestFirst: [Int]) -> [RenewalFields] {
        var renewals = renewals
        var known = Set(renewals.map { SubscriptionKey($0) })
        for index in newestFirst where transactions[index].isSubscriptionPeriod {
            let transaction = transactions[index]
            guard known.insert(SubscriptionKey(transaction)).inserted else { continue }
            renewals.append(RenewalFields(unknownRenewalOf: transaction))
        }
        return renewals
    }

    /// The indices of the transactions. Only dates and indices are sorted, because transactions are large.
    private var newestFirst: [Int] {
        let dates = transactions.map { ($0.periodStart, $0.expirationDate) }
        return dates.indices.sorted { left, right in
            dates[left] == dates[right] ? left < right : dates[left] > dates[right]
        }
    }

    /// Returns the newest transaction of each subscription: by the beginning of the period, then by its end; of equal
    /// ones a revoked one, because the filter must not hide a revocation. Of one-time purchases, only those that were
    /// refunded or revoked stay beside subscriptions. Without a subscription, all stay, as at Apple's endpoint.
    private func withoutOldTransactions(_ newestFirst: [Int]) -> [Int] {
        guard transactions.contains(where: \.isSubscriptionPeriod) else { return newestFirst }
        var positions: [SubscriptionKey: Int] = [:]
        var newest: [Int] = []
        for index in newestFirst {
            let transaction = transactions[index]
            guard transaction.isSubscriptionPeriod else {
                if transaction.isRevoked { newest.append(index) }
                continue
            }
            let key = SubscriptionKey(transaction)
            guard let position = positions[key] else {
                positions[key] = newest.count
                newest.append(index)
                continue
            }
            let known = transactions[newest[position]]
            guard transaction.periodStart == known.periodStart, transaction.expirationDate == known.expirationDate,
                transaction.isRevoked, !known.isRevoked
            else { continue }
            newest[position] = index
        }
        return newest
    }

    /// The key that the transactions and the renewal of a subscription share. Xcode's receipts don't contain the
    /// original transaction and repeat identifiers, so for them it is the product.
    private struct SubscriptionKey: Hashable {
        private let original: String?
        private let product: ExactString?

        init(_ transaction: TransactionFields) {
            self.init(original: transaction.originalTransactionIdentifier, product: transaction.productIdentifier)
        }

        init(_ renewal: RenewalFields) {
            self.init(original: renewal.originalTransactionIdentifier, product: renewal.productIdentifier)
        }

        private init(original: String?, product: String?) {
            self.original = original
            self.product = original == nil ? product.map { ExactString($0) } : nil
        }
    }
}
