#if Server
import AppReceiptSupport
import Crypto

/// What was written recently, so that it isn't written again.
struct RecentWrites: Sendable {
    /// What was written, and the account that submitted it.
    struct Write: Hashable {
        let evidence: SHA256Digest
        let account: Account?
    }

    /// How often everything was forgotten.
    private(set) var generation = 0
    private let capacity: Int
    private var writes: GenerationalCache<Write, Bool>

    init(capacity: Int) {
        self.capacity = capacity
        writes = GenerationalCache(capacity: capacity)
    }

    mutating func contains(_ write: Write) -> Bool { writes.value(for: write) == true }

    /// Adds a write, unless everything was forgotten since it began: what it wrote may be deleted.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - generation: The generation in which it began.
    mutating func insert(_ write: Write, of generation: Int) {
        guard generation == self.generation else { return }
        writes.insert(true, for: write, cost: 1)
    }

    mutating func forget() {
        generation += 1
        writes = GenerationalCache(capacity: capacity)
    }
}
#endif
