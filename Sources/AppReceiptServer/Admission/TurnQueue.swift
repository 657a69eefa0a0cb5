#if Server
/// Bounds the sum of sizes in progress. What exceeds the bound waits, first come, first served.
struct TurnQueue<Waiter: Sendable>: Sendable {
    /// The largest sum of sizes in progress. A larger size proceeds alone.
    let capacity: Int
    private(set) var inProgress = 0
    private(set) var waiting: [(size: Int, waiter: Waiter)] = []

    init(capacity: Int) { self.capacity = capacity }

    /// Starts the work or enqueues the waiter.
    ///
    /// - Returns: Whether the waiter may proceed immediately.
    mutating func begin(_ waiter: Waiter, size: Int) -> Bool {
        guard waiting.isEmpty, take(size) else {
            waiting.append((size, waiter))
            return false
        }
        return true
    }

    /// Ends work that was started.
    ///
    /// - Returns: The waiters to resume.
    mutating func end(_ size: Int) -> [Waiter] {
        inProgress -= size
        var next: [Waiter] = []
        while let first = waiting.first, take(first.size) {
            next.append(first.waiter)
            waiting.removeFirst()
        }
        return next
    }

    private mutating func take(_ size: Int) -> Bool {
        guard inProgress == 0 || inProgress + size <= capacity else { return false }
        inProgress += size
        return true
    }
}
#endif
