import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptParsing
import AppReceiptSupport
import Crypto
import CryptoExtras

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

    // The unsafe initializer accepts weak keys, which tests need.
    private func rsa() throws -> _RSA.Signing.PrivateKey {
        if let key = Self.keys.withLock({ $0[base64] }) { return key }
        let key = try _RSA.Signing.PrivateKey(unsafeDERRepresentation: Base64.decode(ArraySlice(base64.utf8)))
        Self.keys.withLock { $0[base64] = key }
        return key
    }

    /// A cache of parsed keys, because parsing validates a key and takes longer than signing with it.
    private static let keys = LockedValueBox<[String: _RSA.Signing.PrivateKey]>([:])

    private func p256() throws -> P256.Signing.PrivateKey { try P256.Signing.PrivateKey(rawRepresentation: scalar()) }
    private func p384() throws -> P384.Signing.PrivateKey { try P384.Signing.PrivateKey(rawRepresentation: scalar()) }

    // CryptoKit reads and writes DER and PEM of elliptic curves only since iOS 14, tvOS 14 and watchOS 7.

    /// Returns the private number in a SEC 1 structure: `SEQUENCE { version INTEGER, privateKey OCTET STRING, … }` (RFC
    /// 5915, section 3).
    private func scalar() throws -> ArraySlice<UInt8> {
        let der = try Base64.decode(ArraySlice(base64.utf8))[...]
        let span = der.span
        var reader = BERReader(0..<der.count, check: .container, limits: .default)
        var members = reader.inside(try reader.next(BERTag.sequence, in: span))
        _ = try members.next(BERTag.integer, in: span)
        return der[try members.next(BERTag.octetString, in: span).content]
    }

    /// Returns the algorithm of a key on a named curve (RFC 5480, section 2.1.1).
    private static func ellipticAlgorithm(curve: String) -> [UInt8] {
        DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.2.1"), DERWriter.objectIdentifier(curve)])
    }

    /// Returns the parts of an elliptic-curve key; nil for RSA.
    private func ellipticParts() throws -> (algorithm: [UInt8], scalar: [UInt8], point: [UInt8])? {
        switch kind {
        case .rsa: return nil
        case .p256:
            let key = try p256()
            return (
                Self.ellipticAlgorithm(curve: "1.2.840.10045.3.1.7"), Array(key.rawRepresentation),
                Array(key.publicKey.x963Representation)
            )
        case .p384:
            let key = try p384()
            return (
                Self.ellipticAlgorithm(curve: "1.3.132.0.34"), Array(key.rawRepresentation),
                Array(key.publicKey.x963Representation)
            )
        }
    }

    /// The public key as the DER of a SubjectPublicKeyInfo.
    public var publicKeyInfo: [UInt8] {
        get throws(ReceiptError) {
            try ReceiptError.readingKey {
                guard let parts = try ellipticParts() else { return Array(try rsa().publicKey.derRepresentation) }
                return DERWriter.sequence([parts.algorithm, DERWriter.bitString(parts.point)])
            }
        }
    }

    /// The private key as PEM of PKCS #8, the form of the `.p8` files of App Store Connect.
    public var privateKeyPEM: String {
        get throws(ReceiptError) {
            try ReceiptError.readingKey {
                guard let parts = try ellipticParts() else {
                    let text = try rsa().pkcs8PEMRepresentation
                    // The text ends with a line break, depending on the platform.
                    return text.hasSuffix("\n") ? text : text + "\n"
                }
                let key = DERWriter.sequence([
                    DERWriter.integer(1), DERWriter.octetString(parts.scalar),
                    DERWriter.context(1, DERWriter.bitString(parts.point)),
                ])
                let information = DERWriter.sequence([
                    DERWriter.integer(0), parts.algorithm, DERWriter.octetString(key),
                ])
                return DERWriter.pem(information, label: "PRIVATE KEY")
            }
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
    /// - Throws: `test-key-malformed` if the key can't be read.
    public func signature(for bytes: [UInt8], digest: TestDigest) throws(ReceiptError) -> [UInt8] {
        try ReceiptError.readingKey {
            switch digest {
            case .sha1: try signature(Insecure.SHA1.hash(data: bytes))
            case .sha256: try signature(SHA256.hash(data: bytes))
            case .sha384: try signature(SHA384.hash(data: bytes))
            case .sha512: try signature(SHA512.hash(data: bytes))
            }
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

extension ReceiptError {
    /// Runs the body, and converts its error to `test-key-malformed`.
    fileprivate static func readingKey<Value>(_ body: () throws -> Value) throws(ReceiptError) -> Value {
        do {
            return try body()
        } catch {
            throw ReceiptError(.testKeyMalformed)
        }
    }
}
