#if Server
/// The original transactions in memory that wait for a request to the App Store, in batches.
///
/// The original transactions of a batch are probably one customer's, so they are asked about one after the other: the
/// answer to the first one usually contains all.
struct CompletionQueue: Sendable {
    /// The batches of each app and environment, the next one last.
    private var batches: [AppScope: [[ScopedOriginal]]] = [:]
    private var counts: [AppScope: Int] = [:]
    /// The number of original transactions.
    private(set) var count = 0

    /// The number of original transactions of an app.
    func count(of scope: AppScope) -> Int { counts[scope] ?? 0 }

    /// Adds a batch before all others, because a response waits for it.
    mutating func addFirst(_ batch: [ScopedOriginal]) {
        guard let scope = batch.first?.scope else { return }
        batches[scope, default: []].append(batch)
        note(batch.count, of: scope)
    }

    /// Adds batches of an app after all others, in their order.
    mutating func addLast(_ added: [[ScopedOriginal]], of scope: AppScope) {
        guard !added.isEmpty else { return }
        batches[scope, default: []].insert(contentsOf: added.reversed(), at: 0)
        note(added.reduce(0) { $0 + $1.count }, of: scope)
    }

    private mutating func note(_ change: Int, of scope: AppScope) {
        count += change
        counts[scope, default: 0] += change
    }

    /// Removes the next batch, of the app with the fewest requests in progress.
    ///
    /// - Parameters:
    ///   - requests: The number of requests in progress of each app.
    ///   - limit: The limit of requests in progress of one app.
    mutating func next(requests: [AppScope: Int], limit: Int) -> [ScopedOriginal]? {
        let scope = batches.keys.min { (requests[$0] ?? 0) < (requests[$1] ?? 0) }
        guard let scope, (requests[scope] ?? 0) < limit, let batch = batches[scope]?.popLast() else { return nil }
        note(-batch.count, of: scope)
        if batches[scope]?.isEmpty == true {
            batches[scope] = nil
            counts[scope] = nil
        }
        return batch
    }
}
#endif
