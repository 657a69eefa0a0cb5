#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The document for an input.
struct InspectorResponse: Sendable {
    /// The members about the input itself. They contain a customer's receipt and must not be logged.
    let document: JSONDocument
    /// The code of the first failed check, or nil if the input is valid. For logs and metrics.
    let code: String?
    /// What the input proves on its own; nil if it isn't valid.
    var proof: Proof?
    /// The entitlements according to the input alone.
    let products: [Entitlement]
    /// The subscriptions according to the input alone.
    var subscriptions: [AppStoreJSON] = []

    /// What a valid input proves.
    struct Proof: Sendable {
        let evidence: CustomerEvidence
        let app: String?
        let environment: AppStoreEnvironment?
    }

    /// The document, with what the server knows about the customer.
    ///
    /// - Parameter customer: What it knows; nil for the input alone.
    func bytes(with customer: CustomerDocument? = nil) -> [UInt8] {
        var document = document
        guard let customer else {
            document.add(products: products)
            document.add("subscriptions", .array(subscriptions))
            return document.bytes
        }
        customer.write(to: &document)
        return document.bytes
    }
}
#endif
