#if Server
import AppReceiptSupport
import AppStoreSignedData
import Crypto

/// The digests of recent writes, which aren't written again.
///
/// Everything is forgotten when purchases were deleted, by this server or another one: the generation is how often that
/// happened, which the database counts.
struct RecentWrites: Sendable {
    /// The newest generation that is known.
    private(set) var generation: Int64 = 0
    private var writes: GenerationalCache<SHA256Digest, Bool>

    init(capacity: Int) {
        writes = GenerationalCache(capacity: capacity)
    }

    /// Whether there was the write, in any generation.
    mutating func mayContain(_ write: SHA256Digest) -> Bool { writes.value(for: write) == true }

    /// Whether there was the write in the current generation.
    mutating func contains(_ write: SHA256Digest, in generation: Int64) -> Bool {
        begin(generation)
        return generation == self.generation && mayContain(write)
    }

    /// Whether there was the write of evidence without an account in the current generation: clients submit the same
    /// receipt at every start.
    mutating func contains(_ evidence: CustomerEvidence, in generation: Int64) -> Bool {
        ContentDigest.sha256(of: evidence, app: nil).map { contains($0, in: generation) } ?? false
    }

    /// Adds a write, unless purchases were deleted since: what it wrote may be deleted.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - generation: The generation in which it was committed.
    mutating func insert(_ write: SHA256Digest, of generation: Int64) {
        begin(generation)
        guard generation == self.generation else { return }
        writes.insert(true, for: write, cost: 1)
    }

    private mutating func begin(_ generation: Int64) {
        guard generation > self.generation else { return }
        self.generation = generation
        writes.removeAll()
    }
}
#endif
