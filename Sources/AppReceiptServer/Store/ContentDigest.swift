#if Server
import Crypto

/// Identifies data by its SHA-256 digest.
enum ContentDigest {
    /// The kind of data, which is part of the digest: equal bytes of different kinds have different digests.
    enum Kind: UInt8 {
        case transaction = 1
        case renewal
        case notification
        case receipt
    }

    static func sha256(of bytes: some Collection<UInt8>, kind: Kind) -> SHA256Digest {
        var hash = SHA256()
        hash.update(data: [kind.rawValue])
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable {
            unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0))
        }
        if isContiguous == nil { hash.update(data: Array(bytes)) }
        return hash.finalize()
    }
}
#endif
