#if Server
import AppReceiptKit
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
    }

    /// The digest of a verified receipt: of its signature and the certificate whose key verified it, which together
    /// determine what is signed.
    static func sha256(of receipt: VerifiedReceipt) -> SHA256Digest {
        digest([receipt.chain.signer.der, receipt.signature], kind: .receipt)
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
