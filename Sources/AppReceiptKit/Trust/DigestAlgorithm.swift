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
