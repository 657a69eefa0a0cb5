package import AppReceiptFoundation
import AppReceiptKit
package import AppReceiptSupport

/// The claims of a response of verifyReceipt without the receipt: purchases, or only the status of an error.
///
/// Nothing is verified: a response isn't signed, so anybody can write one. It can be shown to people with the advice to
/// get the receipt, and grants nothing.
package struct ClaimedResponse: Sendable, Hashable {
    /// The status; nil if only the other members were copied.
    package let status: Int64?
    /// The environment in Apple's words, such as "Production".
    package let environment: String?
    /// The app.
    package let bundleIdentifier: String?
    /// The purchases, newest first, each transaction once.
    package let purchases: [Purchase]

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

        fileprivate var json: AppStoreJSON {
            [
                "productIdentifier": .text(productIdentifier), "transactionIdentifier": .text(transactionIdentifier),
                "originalTransactionIdentifier": .text(originalTransactionIdentifier),
                "purchaseDate": .date(purchaseDate), "expirationDate": .date(expirationDate),
                "cancellationDate": .date(cancellationDate),
            ]
        }
    }

    /// Reads a response; nil if the text isn't one, or contains a receipt.
    package init?(_ text: String) {
        guard let object = (try? AppStoreJSON(parsing: ArraySlice(text.utf8), depth: 16))?.object,
            object.isResponseWithoutReceipt
        else { return nil }
        let receipt = object["receipt"]?.object
        status = object["status"]?.number?.int64
        environment = object["environment"]?.string ?? receipt?["receipt_type"]?.string
        bundleIdentifier = receipt?["bundle_id"]?.string ?? receipt?["bid"]?.string
        // Responses to receipts from before iOS 7 describe one purchase.
        let single = [receipt, object["latest_receipt_info"]?.object].compactMap { $0 }
            .filter { $0["transaction_id"] != nil }
        let listed = [object["latest_receipt_info"], receipt?["in_app"]].flatMap { $0?.array ?? [] }
        var known: Set<String> = []
        purchases = (listed.compactMap(\.object) + single).map { Purchase($0) }
            .filter { $0.transactionIdentifier.map { known.insert($0).inserted } ?? true }
            .sorted { ($0.purchaseDate ?? .distantPast) > ($1.purchaseDate ?? .distantPast) }
    }

    /// The identifiers of the transactions and originals, each once, of the newest purchase first. They lead to what
    /// Apple signed, and prove nothing.
    package var transactionIdentifiers: [String] {
        var known: Set<String> = []
        return purchases.flatMap { [$0.transactionIdentifier, $0.originalTransactionIdentifier] }
            .compactMap { $0 }.filter { known.insert($0).inserted }
    }

    /// `{"verified": false, "status", "environment", "bundleIdentifier", "purchases": [{"productIdentifier",
    /// "transactionIdentifier", "originalTransactionIdentifier", "purchaseDate", "expirationDate",
    /// "cancellationDate"}]}`; absent values are null.
    package var json: AppStoreJSON {
        [
            "verified": false, "status": status.map { .number(AppStoreJSON.Number($0)) } ?? .null,
            "environment": .text(environment), "bundleIdentifier": .text(bundleIdentifier),
            "purchases": .array(purchases.map(\.json)),
        ]
    }
}

extension EvidenceInput {
    /// The claims of the input if it is a response of verifyReceipt without a receipt; otherwise nil.
    package var claimedResponse: ClaimedResponse? {
        guard items.count == 1, case .token(let text) = items[0] else { return nil }
        return ClaimedResponse(text)
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

    /// An identifier, which is a string or a number.
    fileprivate func identifier(_ name: String) -> String? { self[name]?.string ?? self[name]?.number?.text }

    /// A date in milliseconds, which is a string or a number.
    fileprivate func date(_ name: String) -> Date? {
        guard let milliseconds = identifier(name).flatMap({ Int64($0) }) else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
