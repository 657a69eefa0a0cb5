#if Server
import AppReceiptKit
import Crypto

/// Identifies verified evidence.
struct EvidenceIdentity: Hashable {
    /// 32 bytes that no other evidence has.
    private let bytes: Bytes
    /// The certificates, for a receipt.
    private let chain: CertificateChain?

    /// - Parameters:
    ///   - bytes: What identifies evidence of this kind.
    ///   - kind: The kind, which isn't a receipt.
    init(_ bytes: some Collection<UInt8>, _ kind: ContentDigest.Kind) {
        self.bytes = Bytes(ContentDigest.sha256(of: bytes, kind: kind))
        chain = nil
    }

    init(_ receipt: VerifiedReceipt) {
        // Nobody can choose a part of a signature, so that no digest of it is needed.
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

    // Equal bytes are of equal evidence, so the certificates needn't be hashed.
    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
#endif
