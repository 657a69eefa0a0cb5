package import AppReceiptFoundation
import AppReceiptKit
package import AppReceiptSupport

/// The claims of what isn't signed: a response of verifyReceipt without the receipt, with purchases or only the status
/// of an error, or transactions of StoreKit 2 as JSON.
///
/// Nothing is verified, and anybody can write such data. It can be shown to people with the advice to get the receipt,
/// and grants nothing.
package struct ClaimedPurchases: Sendable, Hashable {
    /// The status; nil if only the other members were copied.
    package let status: Int64?
    /// The environment in Apple's words, such as "Production".
    package let environment: String?
    /// The app.
    package let bundleIdentifier: String?
    /// The purchases, newest first, each transaction once.
    package let purchases: [Purchase]

    /// Whether the claims are those of a response. Otherwise they are of transactions of StoreKit 2.
    package let isResponse: Bool

    /// A purchase in Apple's names: `product_id`, `transaction_id` and so on.
    package struct Purchase: Sendable, Hashable {
        package let productIdentifier: String?
        package let transactionIdentifier: String?
        package let originalTransactionIdentifier: String?
        package let purchaseDate: Date?
        package let expirationDate: Date?
        package let cancellationDate: Date?

        fileprivate init(_ object: AppStoreJSON.Object) {
            productIdentifier = object["product_id"]?.string
            transactionIdentifier = object.identifier("transaction_id")
            originalTransactionIdentifier = object.identifier("original_transaction_id")
            purchaseDate = object.date("purchase_date_ms")
            expirationDate = object.date("expires_date_ms") ?? object.date("expires_date")
            cancellationDate = object.date("cancellation_date_ms")
        }

        /// Reads a transaction of StoreKit 2, whose dates are numbers.
        fileprivate init(transaction object: AppStoreJSON.Object) {
            productIdentifier = object["productId"]?.string
            transactionIdentifier = object.identifier("transactionId")
            originalTransactionIdentifier = object.identifier("originalTransactionId")
            purchaseDate = object.date("purchaseDate")
            expirationDate = object.date("expiresDate")
            cancellationDate = object.date("revocationDate")
        }

        fileprivate var json: AppStoreJSON {
            [
                "productIdentifier": .text(productIdentifier), "transactionIdentifier": .text(transactionIdentifier),
                "originalTransactionIdentifier": .text(originalTransactionIdentifier),
                "purchaseDate": .date(purchaseDate), "expirationDate": .date(expirationDate),
                "cancellationDate": .date(cancellationDate),
            ]
        }
    }

    /// Reads the claims; nil for other text, and for a response that contains a receipt.
    package init?(_ text: String) {
        guard let object = (try? AppStoreJSON(parsing: ArraySlice(text.utf8), depth: 16))?.object else { return nil }
        if object.isResponseWithoutReceipt {
            self.init(response: object)
        } else if object.tokenMistake == .tokenUnsigned, object.identifier("transactionId") != nil {
            self.init(transaction: object)
        } else {
            return nil
        }
    }

    private init(transaction object: AppStoreJSON.Object) {
        isResponse = false
        status = nil
        environment = object["environment"]?.string
        bundleIdentifier = object["bundleId"]?.string
        purchases = [Purchase(transaction: object)]
    }

    /// Combines the claims of several transactions; nil if one is a response. What they don't have in common is nil.
    fileprivate init?(transactions: [ClaimedPurchases]) {
        guard !transactions.contains(where: \.isResponse) else { return nil }
        func common(_ values: [String?]) -> String? { Set(values).count == 1 ? values[0] : nil }
        isResponse = false
        status = nil
        environment = common(transactions.map(\.environment))
        bundleIdentifier = common(transactions.map(\.bundleIdentifier))
        purchases = Self.newestFirst(transactions.flatMap(\.purchases))
    }

    /// Returns the purchases, newest first, each transaction once.
    private static func newestFirst(_ purchases: [Purchase]) -> [Purchase] {
        var known: Set<String> = []
        return purchases.filter { $0.transactionIdentifier.map { known.insert($0).inserted } ?? true }
            .sorted { ($0.purchaseDate ?? .distantPast) > ($1.purchaseDate ?? .distantPast) }
    }

    private init(response object: AppStoreJSON.Object) {
        isResponse = true
        let receipt = object["receipt"]?.object
        status = object["status"]?.number?.int64
        environment = object["environment"]?.string ?? receipt?["receipt_type"]?.string
        bundleIdentifier = receipt?["bundle_id"]?.string ?? receipt?["bid"]?.string
        // Responses to receipts from before iOS 7 describe one purchase.
        let single = [receipt, object["latest_receipt_info"]?.object].compactMap { $0 }
            .filter { $0["transaction_id"] != nil }
        let listed = [object["latest_receipt_info"], receipt?["in_app"]].flatMap { $0?.array ?? [] }
        purchases = Self.newestFirst((listed.compactMap(\.object) + single).map { Purchase($0) })
    }

    /// The identifiers of the originals, then those of the other transactions, each once, of the newest purchase first.
    /// They lead to what Apple signed, and prove nothing.
    ///
    /// An original leads to all of its renewals, of which there may be more than are looked up.
    package var transactionIdentifiers: [String] {
        var known: Set<String> = []
        return (purchases.map(\.originalTransactionIdentifier) + purchases.map(\.transactionIdentifier))
            .compactMap { $0 }.filter { known.insert($0).inserted }
    }

    /// `{"verified": false, "isResponse", "status", "environment", "bundleIdentifier", "purchases":
    /// [{"productIdentifier", "transactionIdentifier", "originalTransactionIdentifier", "purchaseDate",
    /// "expirationDate", "cancellationDate"}]}`; absent values are null.
    package var json: AppStoreJSON {
        [
            "verified": false, "isResponse": .boolean(isResponse),
            "status": status.map { .number(AppStoreJSON.Number($0)) } ?? .null,
            "environment": .text(environment), "bundleIdentifier": .text(bundleIdentifier),
            "purchases": .array(purchases.map(\.json)),
        ]
    }
}

extension EvidenceInput {
    /// The claims of the input if it is nothing but unsigned data: a response, or transactions; otherwise nil.
    package var claimedPurchases: ClaimedPurchases? {
        var all: [ClaimedPurchases] = []
        for item in items {
            guard case .token(let text) = item, let claims = ClaimedPurchases(text) else { return nil }
            all.append(claims)
        }
        return all.count == 1 ? all[0] : ClaimedPurchases(transactions: all)
    }
}

extension AppStoreJSON.Object {
    /// Whether this is a response of verifyReceipt in which the receipt itself, `latest_receipt`, is missing.
    ///
    /// Version 1 notifications have similar members, and an error of their own.
    var isResponseWithoutReceipt: Bool {
        guard self["latest_receipt"]?.string ?? "" == "", !isVersion1Notification else { return false }
        if let receipt = self["receipt"]?.object {
            return ["bundle_id", "bid", "in_app"].contains { receipt[$0] != nil }
        }
        return self["receipt"] == nil && (self["latest_receipt_info"]?.array?.isEmpty == false || isErrorResponse)
    }

    /// Whether this is the response to a receipt that Apple rejects, which has nothing but a status.
    private var isErrorResponse: Bool {
        guard let status = self["status"]?.number?.int64, (21000...21199).contains(status) else { return false }
        return members.allSatisfy {
            ["status", "environment", "is-retryable", "is_retryable", "exception"].contains($0.name)
        }
    }

    /// Returns an identifier, which is a string or a number.
    fileprivate func identifier(_ name: String) -> String? { self[name]?.string ?? self[name]?.number?.text }

    /// Returns a date in milliseconds, which is a string or a number.
    fileprivate func date(_ name: String) -> Date? {
        identifier(name).flatMap { Int64($0) }.map { Date(milliseconds: $0) }
    }
}
