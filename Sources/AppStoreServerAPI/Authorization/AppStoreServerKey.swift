public import AppReceiptFoundation
import AppReceiptSupport
import Crypto

/// An In-App Purchase key of App Store Connect, which signs the authorization of requests, and offers.
///
/// App Store Connect offers the key for download once, as a `.p8` file. Its key identifier is shown beside it, and the
/// issuer identifier above the list. One key is valid for all apps of the team. The private key is never part of a
/// description.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerKey: Sendable {
    /// The identifier of the key, such as `2X9R4HXF34`.
    public let keyIdentifier: String
    /// The identifier of the team's keys, a UUID.
    public let issuerIdentifier: String

    private let privateKey: P256.Signing.PrivateKey

    /// Creates a key from the text of a `.p8` file.
    ///
    /// Line breaks that were written as `\n`, as in environment variables, are accepted.
    ///
    /// - Parameters:
    ///   - pem: The text, from `-----BEGIN PRIVATE KEY-----` to `-----END PRIVATE KEY-----`.
    ///   - keyIdentifier: The key identifier in App Store Connect.
    ///   - issuerIdentifier: The issuer identifier in App Store Connect.
    /// - Throws: An error with the code `key-invalid`, whose message names what to correct.
    public init(pem: String, keyIdentifier: String, issuerIdentifier: String) throws(AppStoreServerError) {
        try Self.validate(keyIdentifier: keyIdentifier, issuerIdentifier: issuerIdentifier)
        self.privateKey = try Self.privateKey(pem)
        self.keyIdentifier = keyIdentifier
        self.issuerIdentifier = issuerIdentifier.lowercased()
    }

    /// Creates a key from the contents of a `.p8` file.
    ///
    /// - Parameters:
    ///   - pem: The contents.
    ///   - keyIdentifier: The key identifier in App Store Connect.
    ///   - issuerIdentifier: The issuer identifier in App Store Connect.
    /// - Throws: An error with the code `key-invalid`, whose message names what to correct.
    public init(
        pem: some Collection<UInt8>, keyIdentifier: String, issuerIdentifier: String
    ) throws(AppStoreServerError) {
        try self.init(
            pem: String(decoding: pem, as: UTF8.self), keyIdentifier: keyIdentifier, issuerIdentifier: issuerIdentifier)
    }

    /// Signs bytes with ECDSA and SHA-256.
    private func signature(for bytes: [UInt8]) throws(AppStoreServerError) -> P256.Signing.ECDSASignature {
        do {
            return try privateKey.signature(for: bytes)
        } catch {
            throw AppStoreServerError(.keyInvalid, message: "The key can't sign.")
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerKey: CustomStringConvertible, CustomReflectable {
    /// The key identifier, without the private key.
    public var description: String { "AppStoreServerKey(\(keyIdentifier))" }

    /// The identifiers, without the private key.
    public var customMirror: Mirror {
        Mirror(self, children: ["keyIdentifier": keyIdentifier, "issuerIdentifier": issuerIdentifier])
    }
}

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
    /// - Returns: The token, which belongs into the header `Authorization` after `Bearer`. It is a secret until it
    ///   expires.
    /// - Throws: An error with the code `request-invalid` for a lifetime that Apple doesn't accept.
    public func authorizationToken(
        bundleIdentifier: String, at date: Date = Date(), lifetime: Duration = .seconds(300)
    ) throws(AppStoreServerError) -> String {
        guard lifetime > .zero, lifetime <= .seconds(3600) else {
            throw AppStoreServerError(.requestInvalid, message: "The lifetime of a token must be at most an hour.")
        }
        let issued = date.wholeSecondsSince1970
        return try token([
            "iss": .string(issuerIdentifier), "iat": .number(AppStoreJSON.Number(issued)),
            "exp": .number(AppStoreJSON.Number(issued + lifetime.components.seconds)), "aud": "appstoreconnect-v1",
            "bid": .string(bundleIdentifier),
        ])
    }

    func token(_ payload: AppStoreJSON.Object) throws(AppStoreServerError) -> String {
        let header: AppStoreJSON = ["alg": "ES256", "kid": .string(keyIdentifier), "typ": "JWT"]
        let signed = Base64URL.encode(header.text()) + "." + Base64URL.encode(AppStoreJSON.object(payload).text())
        let signature = try signature(for: Array(signed.utf8))
        return signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }
}

extension Date {
    /// The seconds since 1970, rounded down.
    var wholeSecondsSince1970: Int64 { Self.integer(timeIntervalSince1970) }

    /// The milliseconds since 1970. Apple refuses fractions.
    // Rounded, because 1698148800.123 times 1000 is slightly less than 1698148800123.
    var millisecondsSince1970: Int64 { Self.integer((timeIntervalSince1970 * 1000).rounded()) }

    private static func integer(_ value: Double) -> Int64 {
        Int64(exactly: value.rounded(.down)) ?? (value > 0 ? .max / 2 : .min / 2)
    }
}
