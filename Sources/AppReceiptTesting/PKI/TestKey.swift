import AppReceiptKit
import AppReceiptSupport
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A public test key pair. See the constants in `TestKey+Keys.swift`.
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

    /// The private key as PEM of PKCS #8, the form of the `.p8` files of App Store Connect.
    public var privateKeyPEM: String {
        get throws {
            let text =
                switch kind {
                case .rsa: try rsa().pkcs8PEMRepresentation
                case .p256: try p256().pemRepresentation
                case .p384: try p384().pemRepresentation
                }
            // Only the text of RSA keys ends with a line break, depending on the platform.
            return text.hasSuffix("\n") ? text : text + "\n"
        }
    }

    /// Signs bytes. The signature is PKCS #1 v1.5 for RSA and DER for elliptic curves.
    ///
    /// RSA signatures are deterministic, ECDSA signatures aren't.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to sign.
    ///   - digest: The digest of the bytes.
    /// - Returns: The signature.
    /// - Throws: An error if the key can't be read.
    public func signature(for bytes: [UInt8], digest: TestDigest) throws -> [UInt8] {
        switch digest {
        case .sha1: try signature(Insecure.SHA1.hash(data: bytes))
        case .sha256: try signature(SHA256.hash(data: bytes))
        case .sha384: try signature(SHA384.hash(data: bytes))
        case .sha512: try signature(SHA512.hash(data: bytes))
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
