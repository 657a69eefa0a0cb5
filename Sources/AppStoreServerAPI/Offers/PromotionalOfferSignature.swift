import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The signature of a promotional offer for the original API for in-app purchases, and for `Product.PurchaseOption.promotionalOffer`.
///
/// No request is sent. Send the values to the app, which passes them to StoreKit. They are valid for 24 hours.
@available(AppStoreServerAPI 1.0, *)
public struct PromotionalOfferSignature: Sendable, Hashable {
    /// The key that signed.
    public let keyIdentifier: String
    /// The identifier that was signed once.
    public let nonce: UUID
    /// The date of the signature in milliseconds since 1970.
    public let timestamp: Int64
    /// The signature in base64.
    public let signature: String

    /// Signs an offer.
    ///
    /// - Parameters:
    ///   - key: The In-App Purchase key.
    ///   - bundleIdentifier: The app.
    ///   - productIdentifier: The subscription.
    ///   - offerIdentifier: The offer in App Store Connect.
    ///   - appAccountToken: The customer's account in your system, if the app passes it to StoreKit.
    ///   - nonce: An identifier that is used once.
    ///   - date: The current time.
    /// - Throws: ``AppStoreServerError`` with the code `request-invalid` if an identifier is empty.
    public init(
        key: AppStoreServerKey, bundleIdentifier: String, productIdentifier: String, offerIdentifier: String,
        appAccountToken: UUID? = nil, nonce: UUID = UUID(), at date: Date = Date()
    ) throws(AppStoreServerError) {
        try OfferIdentifiers.validate([
            ("bundle identifier", bundleIdentifier), ("product identifier", productIdentifier),
            ("offer identifier", offerIdentifier),
        ])
        keyIdentifier = key.keyIdentifier
        self.nonce = nonce
        timestamp = date.millisecondsSince1970
        let signed = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier,
            appAccountToken?.uuidString.lowercased() ?? "", nonce.uuidString.lowercased(), String(timestamp),
        ].joined(separator: "\u{2063}")
        signature = try key.signature(for: Array(signed.utf8)).derRepresentation.base64EncodedString()
    }
}
