import AppReceiptKit
import AppReceiptSupport
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A public test key pair. See the constants in `TestKeys.swift`.
public struct TestKey: Sendable, Hashable {
    /// The kind of a key.
    public enum Kind: Sendable, Hashable {
        /// RSA.
        case rsa
        /// The curve P-256.
        case p256
        /// The curve P-384.
        case p384
    }

    /// The kind of the key.
    public let kind: Kind
    private let base64: String

    /// Creates a key from a private key that protects nothing.
    ///
    /// - Parameters:
    ///   - kind: The kind of the key.
    ///   - base64: The private key as base64 of DER: PKCS #1 for RSA, SEC 1 for elliptic curves.
    public init(_ kind: Kind, insecure base64: String) {
        self.kind = kind
        self.base64 = base64
    }

    private var der: [UInt8] {
        get throws { try Base64.decode(ArraySlice(base64.utf8)) }
    }

    // The unsafe initializer accepts weak keys, which tests need.
    private func rsa() throws -> _RSA.Signing.PrivateKey {
        if let key = Self.keys.withLock({ $0[base64] }) { return key }
        let key = try _RSA.Signing.PrivateKey(unsafeDERRepresentation: der)
        Self.keys.withLock { $0[base64] = key }
        return key
    }

    /// A cache of parsed keys, because parsing validates a key and takes longer than signing with it.
    private static let keys = LockedValueBox<[String: _RSA.Signing.PrivateKey]>([:])

    private func p256() throws -> P256.Signing.PrivateKey { try P256.Signing.PrivateKey(derRepresentation: der) }
    private func p384() throws -> P384.Signing.PrivateKey { try P384.Signing.PrivateKey(derRepresentation: der) }

    /// The public key as the DER of a SubjectPublicKeyInfo.
    public var publicKeyInfo: [UInt8] {
        get throws {
            switch kind {
            case .rsa: Array(try rsa().publicKey.derRepresentation)
            case .p256: Array(try p256().publicKey.derRepresentation)
            case .p384: Array(try p384().publicKey.derRepresentation)
            }
        }
    }

    /// Signs bytes. The signature is PKCS #1 v1.5 for RSA and DER for elliptic curves.
    ///
    /// RSA signatures are deterministic, ECDSA signatures are not.
    public func signature(over octets: [UInt8], _ digest: TestDigest) throws -> [UInt8] {
        switch digest {
        case .sha1: try signature(Insecure.SHA1.hash(data: octets))
        case .sha256: try signature(SHA256.hash(data: octets))
        case .sha384: try signature(SHA384.hash(data: octets))
        case .sha512: try signature(SHA512.hash(data: octets))
        }
    }

    private func signature(_ digest: some Digest) throws -> [UInt8] {
        switch kind {
        case .rsa: Array(try rsa().signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        case .p256: Array(try p256().signature(for: digest).derRepresentation)
        case .p384: Array(try p384().signature(for: digest).derRepresentation)
        }
    }
}

/// The digest of a signature.
public enum TestDigest: Sendable, Hashable, CaseIterable {
    case sha1, sha256, sha384, sha512

    /// The object identifier of the digest.
    public var objectIdentifier: String {
        switch self {
        case .sha1: "1.3.14.3.2.26"
        case .sha256: "2.16.840.1.101.3.4.2.1"
        case .sha384: "2.16.840.1.101.3.4.2.2"
        case .sha512: "2.16.840.1.101.3.4.2.3"
        }
    }

    /// Returns the object identifier of a signature with this digest and a key of the given kind.
    public func signatureObjectIdentifier(_ kind: TestKey.Kind) -> String {
        switch (kind, self) {
        case (.rsa, .sha1): "1.2.840.113549.1.1.5"
        case (.rsa, .sha256): "1.2.840.113549.1.1.11"
        case (.rsa, .sha384): "1.2.840.113549.1.1.12"
        case (.rsa, .sha512): "1.2.840.113549.1.1.13"
        case (_, .sha1): "1.2.840.10045.4.1"
        case (_, .sha256): "1.2.840.10045.4.3.2"
        case (_, .sha384): "1.2.840.10045.4.3.3"
        case (_, .sha512): "1.2.840.10045.4.3.4"
        }
    }

    /// Returns the digest of `octets`.
    public func digest(of octets: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: octets))
        case .sha256: Array(SHA256.hash(data: octets))
        case .sha384: Array(SHA384.hash(data: octets))
        case .sha512: Array(SHA512.hash(data: octets))
        }
    }
}

/// The algorithm that a container or certificate specifies, which need not be the one that was used.
public struct TestAlgorithm: Sendable, Hashable {
    /// The object identifier in dotted decimal.
    public var objectIdentifier: String
    /// The parameters.
    public var parameters: Parameters

    /// The parameters of an algorithm.
    public enum Parameters: Sendable, Hashable {
        case null
        case absent
        /// The bytes of a whole element.
        case other([UInt8])
    }

    /// Creates an algorithm.
    ///
    /// - Parameters:
    ///   - objectIdentifier: The object identifier in dotted decimal.
    ///   - parameters: The parameters.
    public init(_ objectIdentifier: String, parameters: Parameters = .null) {
        self.objectIdentifier = objectIdentifier
        self.parameters = parameters
    }

    /// Creates the signature algorithm for a kind of key and a digest. The parameters are NULL for RSA and absent for elliptic curves.
    public init(_ kind: TestKey.Kind, _ digest: TestDigest) {
        self.init(digest.signatureObjectIdentifier(kind), parameters: kind == .rsa ? .null : .absent)
    }

    /// `rsaEncryption`, the signature algorithm in App Store receipts.
    public static let rsaEncryption = TestAlgorithm("1.2.840.113549.1.1.1")

    var der: [UInt8] {
        switch parameters {
        case .null: DERWriter.sequence([DERWriter.objectIdentifier(objectIdentifier), DERWriter.null])
        case .absent: DERWriter.sequence([DERWriter.objectIdentifier(objectIdentifier)])
        case .other(let element): DERWriter.sequence([DERWriter.objectIdentifier(objectIdentifier), element])
        }
    }
}
