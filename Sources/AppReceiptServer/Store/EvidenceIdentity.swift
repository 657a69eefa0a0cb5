#if Server
import AppReceiptKit
import Crypto

/// Identifies verified evidence.
struct EvidenceIdentity: Hashable {
    private let digest: SHA256Digest
    /// The certificates, for a receipt, of which `digest` is that of the signature.
    private let chain: CertificateChain?

    /// - Parameters:
    ///   - bytes: What identifies evidence of this kind.
    ///   - kind: The kind, which isn't a receipt.
    init(_ bytes: some Collection<UInt8>, _ kind: ContentDigest.Kind) {
        digest = ContentDigest.sha256(of: bytes, kind: kind)
        chain = nil
    }

    init(_ receipt: VerifiedReceipt) {
        digest = ContentDigest.sha256(of: receipt.signature, kind: .receipt)
        chain = receipt.chain
    }

    // Digests of different receipts differ, so the certificates needn't be hashed.
    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
#endif
