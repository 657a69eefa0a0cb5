#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import Crypto

/// Identifies evidence by a SHA-256 digest.
enum ContentDigest {
    /// The kind of evidence, which is part of the digest: equal bytes of different kinds have different digests.
    enum Kind: UInt8 {
        case transaction = 1
        case renewal
        case notification
        case receipt
        /// The container of a receipt that isn't verified yet.
        case container
        /// Everything that is recorded together.
        case batch
    }

    /// The digest of a verified receipt: of its signature and the certificate whose key verified it, which together
    /// determine what is signed.
    static func sha256(of receipt: VerifiedReceipt) -> SHA256Digest {
        digest([receipt.chain.signer.der, receipt.signature], kind: .receipt)
    }

    /// The digest of everything that is recorded together; nil if it is nothing, or contains transaction receipts,
    /// which aren't stored.
    static func sha256(of evidence: CustomerEvidence, app: RenewalApp?) -> SHA256Digest? {
        guard evidence.transactionReceipts.isEmpty else { return nil }
        let parts =
            evidence.receipts.map { sha256(of: $0) }
            + evidence.transactions.map { sha256(of: $0.token.utf8, kind: .transaction) }
            + evidence.renewals.map { sha256(of: $0.token.utf8, kind: .renewal) }
            + evidence.notifications.map { sha256(of: $0.notification.token.utf8, kind: .notification) }
        guard parts.count > 1 || app != nil else { return parts.first }
        return digest(parts.map(Array.init) + [Array((app?.bundleIdentifier ?? "").utf8)], kind: .batch)
    }

    static func sha256(of bytes: some Collection<UInt8>, kind: Kind) -> SHA256Digest {
        digest([bytes], kind: kind)
    }

    private static func digest(_ parts: [some Collection<UInt8>], kind: Kind) -> SHA256Digest {
        var hash = SHA256()
        hash.update(data: [kind.rawValue])
        for part in parts {
            let isContiguous: Void? = part.withContiguousStorageIfAvailable {
                unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0))
            }
            if isContiguous == nil { hash.update(data: Array(part)) }
        }
        return hash.finalize()
    }
}
#endif
