import AppReceiptParsing
import Crypto

/// The digest algorithms that are accepted in receipts and certificates.
package enum DigestAlgorithm: Sendable, Hashable {
    case sha1, sha256, sha384, sha512

    /// Creates the algorithm with this object identifier, nil for other identifiers.
    init?(objectIdentifier: ArraySlice<UInt8>) {
        guard let match = Self.objectIdentifiers.first(where: { objectIdentifier.elementsEqual($0.bytes) }) else {
            return nil
        }
        self = match.digest
    }

    private static let objectIdentifiers: [(bytes: [UInt8], digest: DigestAlgorithm)] = [
        // 2.16.840.1.101.3.4.2.1 to .3, and 1.3.14.3.2.26
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01], .sha256),
        ([0x2B, 0x0E, 0x03, 0x02, 0x1A], .sha1),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02], .sha384),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03], .sha512),
    ]

    /// Returns the digest of bytes.
    package func digest(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }
}

/// A signature scheme, with the digest if its object identifier specifies one.
package enum SignatureScheme: Sendable, Hashable {
    /// RSA with PKCS #1 v1.5 padding; nil for plain `rsaEncryption`, which doesn't specify a digest.
    case rsa(DigestAlgorithm?)
    /// ECDSA; nil for a bare EC key identifier, which doesn't specify a digest.
    case ecdsa(DigestAlgorithm?)

    /// Creates the scheme with this object identifier, nil for schemes that aren't accepted.
    init?(objectIdentifier: ArraySlice<UInt8>) {
        guard let match = Self.objectIdentifiers.first(where: { objectIdentifier.elementsEqual($0.bytes) }) else {
            return nil
        }
        self = match.scheme
    }

    private static let pkcs1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]
    private static let ansiX962: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D]

    private static let objectIdentifiers: [(bytes: [UInt8], scheme: SignatureScheme)] = [
        // 1.2.840.113549.1.1.x
        (pkcs1 + [1], .rsa(nil)), (pkcs1 + [11], .rsa(.sha256)), (pkcs1 + [5], .rsa(.sha1)),
        (pkcs1 + [12], .rsa(.sha384)), (pkcs1 + [13], .rsa(.sha512)),
        // 1.2.840.10045.4.x, and .2.1 for a bare EC key
        (ansiX962 + [4, 3, 2], .ecdsa(.sha256)), (ansiX962 + [4, 3, 3], .ecdsa(.sha384)),
        (ansiX962 + [4, 3, 4], .ecdsa(.sha512)), (ansiX962 + [4, 1], .ecdsa(.sha1)), (ansiX962 + [2, 1], .ecdsa(nil)),
    ]
}
