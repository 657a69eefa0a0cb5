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
    init(_ bytes: some Collection<UInt8>, _ kind: ContentDigest.Kind) {
        self.bytes = Bytes(ContentDigest.sha256(of: bytes, kind: kind))
        chain = nil
    }

    init(_ receipt: VerifiedReceipt) {
        // The key and the signed content determine an RSA signature, and its bytes are as good as random. A digest would add nothing.
        bytes = Bytes(receipt.signature.prefix(32))
        chain = receipt.chain
    }

    /// Not one vector: with an alignment of 32 bytes, asynchronous functions that Swift 6.3.1 compiles for release abort the process.
    private struct Bytes: Hashable {
        private var first = SIMD2<UInt64>()
        private var last = SIMD2<UInt64>()

        /// - Parameter bytes: At most 32 bytes.
        init(_ bytes: some Sequence<UInt8>) {
            for (index, byte) in bytes.enumerated() {
                if index < 16 {
                    first[index / 8] = first[index / 8] << 8 | UInt64(byte)
                } else {
                    last[index / 8 - 2] = last[index / 8 - 2] << 8 | UInt64(byte)
                }
            }
        }
    }

    // The bytes differ nearly always, so the certificates needn't be hashed.
    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
#endif
