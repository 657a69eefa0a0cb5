#if Server
import AppReceiptSupport
import Crypto

/// What was written recently, so that it isn't written again.
struct RecentWrites: Sendable {
    /// How often everything was forgotten.
    private(set) var generation = 0
    private let capacity: Int
    private var writes: GenerationalCache<SHA256Digest, Bool>

    init(capacity: Int) {
        self.capacity = capacity
        writes = GenerationalCache(capacity: capacity)
    }

    mutating func contains(_ write: SHA256Digest) -> Bool { writes.value(for: write) == true }

    /// Adds a write, unless everything was forgotten since it began: what it wrote may be deleted.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - generation: The generation in which it began.
    mutating func insert(_ write: SHA256Digest, of generation: Int) {
        guard generation == self.generation else { return }
        writes.insert(true, for: write, cost: 1)
    }

    mutating func forget() {
        generation += 1
        writes = GenerationalCache(capacity: capacity)
    }
}
#endif
