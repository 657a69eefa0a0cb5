import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The token of a promotional offer, for `Product.PurchaseOption.promotionalOffer(_:compactJWS:)`.
///
/// No request is sent. Send the token to the app, which passes it to StoreKit.
@available(AppStoreServerAPI 1.0, *)
public struct PromotionalOfferToken: Sendable, Hashable {
    /// The compact JWS.
    public let compactJWS: String

    /// Signs an offer.
    ///
    /// - Parameters:
    ///   - key: The In-App Purchase key.
    ///   - bundleIdentifier: The app.
    ///   - productIdentifier: The subscription.
    ///   - offerIdentifier: The offer in App Store Connect.
    ///   - transactionIdentifier: Any transaction identifier or app transaction identifier of the customer. Apple recommends it: it binds the
    ///     offer to the customer.
    ///   - nonce: An identifier that is used once.
    ///   - date: The current time.
    /// - Throws: ``AppStoreServerError`` with the code `request-invalid` if an identifier is empty.
    public init(
        key: AppStoreServerKey, bundleIdentifier: String, productIdentifier: String, offerIdentifier: String,
        transactionIdentifier: String? = nil, nonce: UUID = UUID(), at date: Date = Date()
    ) throws(AppStoreServerError) {
        try OfferIdentifiers.validate([
            ("bundle identifier", bundleIdentifier), ("product identifier", productIdentifier),
            ("offer identifier", offerIdentifier), ("transaction identifier", transactionIdentifier ?? "none"),
        ])
        var members: JSONObject = [
            "productId": .string(productIdentifier), "offerIdentifier": .string(offerIdentifier),
        ]
        members["transactionId"] = transactionIdentifier.map { .string($0) }
        compactJWS = try key.offerToken(
            for: "promotional-offer", bundleIdentifier: bundleIdentifier, nonce: nonce, at: date, members)
    }
}

@available(AppStoreServerAPI 1.0, *)
extension PromotionalOfferToken: CustomStringConvertible {
    /// The type, without the token.
    public var description: String { "PromotionalOfferToken" }
}
