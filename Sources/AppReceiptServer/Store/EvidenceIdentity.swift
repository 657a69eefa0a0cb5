#if Server
import AppReceiptKit

/// Identifies verified evidence.
struct EvidenceIdentity: Hashable {
    /// The first bytes of the verified signature of a receipt; the SHA-256 digest of other evidence.
    private let bytes: Bytes
    /// The certificates, for a receipt: only signatures by the same key are known to differ.
    private let chain: CertificateChain?

    /// - Parameters:
    ///   - bytes: What identifies evidence of this kind.
    ///   - kind: The kind, which isn't a receipt.
    init(_ bytes: some Collection<UInt8>, kind: ContentDigest.Kind) {
        self.bytes = Bytes(ContiguousArray(ContentDigest.sha256(of: bytes, kind: kind)).span)
        chain = nil
    }

    init(_ receipt: VerifiedReceipt) {
        // The key and the signed content determine an RSA signature, and its bytes are as good as random. A digest would add nothing.
        bytes = Bytes(receipt.signature.span)
        chain = receipt.chain
    }

    /// Not one vector: with an alignment of 32 bytes, asynchronous functions that Swift 6.3.1 compiles for release abort the process.
    private struct Bytes: Hashable {
        let first: SIMD2<UInt64>
        private let last: SIMD2<UInt64>

        /// Takes the first 32 bytes.
        init(_ bytes: Span<UInt8>) {
            first = SIMD2(Self.word(in: bytes, at: 0), Self.word(in: bytes, at: 8))
            last = SIMD2(Self.word(in: bytes, at: 16), Self.word(in: bytes, at: 24))
        }

        /// Returns eight bytes, zeros after the end.
        private static func word(in bytes: Span<UInt8>, at start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<start + 8 { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
            return word
        }
    }

    /// Hashes the start of the bytes, which nearly always differs.
    func hash(into hasher: inout Hasher) { hasher.combine(bytes.first.x) }
}
#endif
