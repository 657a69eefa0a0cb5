import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The token that decides whether a customer gets an introductory offer, for
/// `Product.PurchaseOption.introductoryOfferEligibility(compactJWS:)`.
///
/// No request is sent. Send the token to the app, which passes it to StoreKit.
@available(AppStoreServerAPI 1.0, *)
public struct IntroductoryOfferToken: Sendable, Hashable {
    /// The compact JWS.
    public let compactJWS: String

    /// Signs the decision.
    ///
    /// - Parameters:
    ///   - key: The In-App Purchase key.
    ///   - bundleIdentifier: The app.
    ///   - productIdentifier: The subscription.
    ///   - isAllowed: Whether the customer gets the introductory offer.
    ///   - transactionIdentifier: Any transaction identifier or app transaction identifier of the customer.
    ///   - nonce: An identifier that is used once.
    ///   - date: The current time.
    /// - Throws: ``AppStoreServerError`` with the code `request-invalid` if an identifier is empty.
    public init(
        key: AppStoreServerKey, bundleIdentifier: String, productIdentifier: String, isAllowed: Bool,
        transactionIdentifier: String, nonce: UUID = UUID(), at date: Date = Date()
    ) throws(AppStoreServerError) {
        try OfferIdentifiers.validate([
            ("bundle identifier", bundleIdentifier), ("product identifier", productIdentifier),
            ("transaction identifier", transactionIdentifier),
        ])
        compactJWS = try key.offerToken(
            for: "introductory-offer-eligibility", bundleIdentifier: bundleIdentifier, nonce: nonce, at: date,
            [
                "productId": .string(productIdentifier), "allowIntroductoryOffer": .boolean(isAllowed),
                "transactionId": .string(transactionIdentifier),
            ])
    }
}

@available(AppStoreServerAPI 1.0, *)
extension IntroductoryOfferToken: CustomStringConvertible {
    /// The type, without the token.
    public var description: String { "IntroductoryOfferToken" }
}
