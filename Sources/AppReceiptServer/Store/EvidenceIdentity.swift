#if Server
import AppReceiptKit
import Crypto

/// Identifies verified evidence.
struct EvidenceIdentity: Hashable {
    /// 32 bytes that no other evidence has.
    private let bytes: SIMD4<UInt64>
    /// The certificates, for a receipt.
    private let chain: CertificateChain?

    /// - Parameters:
    ///   - bytes: What identifies evidence of this kind.
    ///   - kind: The kind, which isn't a receipt.
    init(_ bytes: some Collection<UInt8>, _ kind: ContentDigest.Kind) {
        self.bytes = Self.words(ContentDigest.sha256(of: bytes, kind: kind))
        chain = nil
    }

    init(_ receipt: VerifiedReceipt) {
        // Nobody can choose a part of a signature, so that no digest of it is needed.
        bytes = Self.words(receipt.signature.prefix(32))
        chain = receipt.chain
    }

    private static func words(_ bytes: some Sequence<UInt8>) -> SIMD4<UInt64> {
        var words = SIMD4<UInt64>()
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        return words
    }

    // Equal bytes are of equal evidence, so the certificates needn't be hashed.
    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
#endif
