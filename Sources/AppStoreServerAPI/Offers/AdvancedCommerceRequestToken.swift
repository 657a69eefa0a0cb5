import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The token of a request of the Advanced Commerce API that the app makes, for `Product.PurchaseOption`.
///
/// No request is sent. Send the token to the app, which passes it to StoreKit.
@available(AppStoreServerAPI 1.0, *)
public struct AdvancedCommerceRequestToken: Sendable, Hashable {
    /// The compact JWS.
    public let compactJWS: String

    /// Signs a request.
    ///
    /// - Parameters:
    ///   - key: The In-App Purchase key.
    ///   - bundleIdentifier: The app.
    ///   - request: The request as a JSON object in UTF-8.
    ///   - nonce: An identifier that is used once.
    ///   - date: The current time.
    /// - Throws: ``AppStoreServerError`` with the code `request-invalid` if the request isn't a JSON object.
    public init(
        key: AppStoreServerKey, bundleIdentifier: String, request: some Collection<UInt8>, nonce: UUID = UUID(),
        at date: Date = Date()
    ) throws(AppStoreServerError) {
        try OfferIdentifiers.validate([("bundle identifier", bundleIdentifier)])
        guard AppStoreServerClient.object(Array(request)) != nil else {
            throw AppStoreServerError(.requestInvalid, "The request isn't a JSON object.")
        }
        compactJWS = try key.offerToken(
            for: "advanced-commerce-api", bundleIdentifier: bundleIdentifier, nonce: nonce, at: date,
            ["request": .string(Data(request).base64EncodedString())])
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AdvancedCommerceRequestToken: CustomStringConvertible {
    /// The type, without the token.
    public var description: String { "AdvancedCommerceRequestToken" }
}
