#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The answer to a request whose receipt or token is valid: what the customer has, product by product.
@available(AppReceiptServer 1.0, *)
struct ValidatorAnswer: Sendable {
    /// The purchases, one for each product.
    let collection: [ValidatorPurchase]

    private let identifier: String
    private let transaction: AppStoreJSON.Object
    private let ineligible: [String]
    private let isPartial: Bool
    private let now: Date

    /// - Parameters:
    ///   - submission: What the request proves.
    ///   - known: The stored evidence about its purchases, and about others of the same customer.
    ///   - isPartial: Whether evidence from the App Store is still missing.
    ///   - now: The current time.
    init(
        about submission: ValidatorSubmission, beside known: CustomerEvidence, isPartial: Bool, now: Date
    ) {
        let ledger = submission.ledger(beside: known)
        let entitlements = Entitlements(ledger, now: now)
        collection = ValidatorPurchase.all(of: entitlements, renewals: known.newestRenewals)
        identifier = submission.identifier
        transaction = submission.transaction(beside: known, now: now)
        ineligible = entitlements.productsWithoutIntroductoryOffer
        self.isPartial = isPartial
        self.now = now
    }

    /// Returns the document.
    ///
    /// - Parameter product: The product that the request is about, as in versions 8 to 12; nil if it is about the app.
    /// - Throws: `NEED_MORE_DATA` if the product isn't in the collection, and `PURCHASE_EXPIRED` if it is over. For
    ///   these versions, every success verifies the product, whatever the collection says.
    func json(about product: String?) throws(ValidatorFailure) -> AppStoreJSON {
        var transaction = transaction
        if let product {
            guard let purchase = collection.first(where: { $0.isOf(product) }) else {
                throw ValidatorFailure(
                    .needMoreData, "The receipt or token doesn't contain the product in 'id'. Send a newer one.")
            }
            guard !purchase.isOver else { throw ValidatorFailure(.purchaseExpired, purchase.reason) }
            // These versions copy them from here to the product.
            for member in purchase.dates.members { transaction[member.name] = member.value }
        }
        var data: AppStoreJSON.Object = [
            "id": .string(identifier), "latest_receipt": true, "transaction": .object(transaction),
            "collection": .array(collection.map(\.json)), "date": .string(Self.text(now)),
            "ineligible_for_intro_price": .array(ineligible.map { .string($0) }),
        ]
        if isPartial {
            data["warning"] = "The App Store hasn't answered yet, so newer renewals and refunds may be missing."
        }
        return ["ok": true, "data": .object(data)]
    }

    /// The date in ISO 8601, always with milliseconds: some clients' parsers require them.
    private static func text(_ date: Date) -> String {
        let text = ReceiptDate.string(from: date)
        return text.contains(".") ? text : text.dropLast() + ".000Z"
    }
}
#endif
