import Crypto

/// An In-App Purchase key of App Store Connect, which signs the authorization of requests, and offers.
///
/// App Store Connect offers the key for download once, as a `.p8` file. Its key identifier is shown beside it, and the issuer identifier
/// above the list. One key is valid for all apps of the team. The private key is never part of a description.
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
    func signature(for bytes: [UInt8]) throws(AppStoreServerError) -> P256.Signing.ECDSASignature {
        do {
            return try privateKey.signature(for: bytes)
        } catch {
            throw AppStoreServerError(.keyInvalid, "The key can't sign.")
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
