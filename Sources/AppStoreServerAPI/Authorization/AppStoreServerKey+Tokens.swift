import AppReceiptSupport
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerKey {
    /// Creates a token that authorizes requests to the App Store Server API.
    ///
    /// ``AppStoreServerClient`` creates its tokens itself. This function is for requests that other programs send.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app.
    ///   - date: The current time.
    ///   - lifetime: How long the token is valid: at most an hour.
    /// - Returns: The token, which belongs into the header `Authorization` after `Bearer`. It is a secret until it expires.
    /// - Throws: An error with the code `request-invalid` for a lifetime that Apple doesn't accept.
    public func authorizationToken(
        bundleIdentifier: String, at date: Date = Date(), lifetime: Duration = .seconds(300)
    ) throws(AppStoreServerError) -> String {
        guard lifetime > .zero, lifetime <= .seconds(3600) else {
            throw AppStoreServerError(.requestInvalid, "The lifetime of a token must be at most an hour.")
        }
        let issued = date.wholeSecondsSince1970
        return try token([
            "iss": .string(issuerIdentifier), "iat": .number(JSONNumber(issued)),
            "exp": .number(JSONNumber(issued + lifetime.components.seconds)), "aud": "appstoreconnect-v1",
            "bid": .string(bundleIdentifier),
        ])
    }

    /// Creates a token for the app itself, which isn't sent to the App Store by the server.
    ///
    /// - Parameters:
    ///   - audience: The purpose.
    ///   - members: The members of this purpose.
    func offerToken(
        for audience: String, bundleIdentifier: String, nonce: UUID, at date: Date, _ members: JSONObject
    ) throws(AppStoreServerError) -> String {
        var payload: JSONObject = [
            "iss": .string(issuerIdentifier), "bid": .string(bundleIdentifier),
            "iat": .number(JSONNumber(date.wholeSecondsSince1970)), "aud": .string(audience),
            "nonce": .string(nonce.uuidString.lowercased()),
        ]
        for member in members.members { payload[member.name] = member.value }
        return try token(payload)
    }

    private func token(_ payload: JSONObject) throws(AppStoreServerError) -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyIdentifier), "typ": "JWT"]
        let signed = Base64URL.encode(header.text()) + "." + Base64URL.encode(JSONValue.object(payload).text())
        let signature = try signature(for: Array(signed.utf8))
        return signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }
}
