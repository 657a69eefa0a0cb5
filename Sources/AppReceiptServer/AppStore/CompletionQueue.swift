#if Server
import AppReceiptStore

/// The original transactions in memory that wait for a request to the App Store, in batches.
///
/// The original transactions of a batch are probably one customer's, so their requests are sent one after the other:
/// the response to the first one usually contains all.
struct CompletionQueue: Sendable {
    /// The batches of each app and environment, the next one last.
    private var batches: [AppScope: [[ScopedOriginal]]] = [:]
    /// The apps and environments with batches, the one first whose last batch began longest ago.
    private var order: [AppScope] = []
    private var counts: [AppScope: Int] = [:]
    /// The number of original transactions.
    private(set) var count = 0

    /// Returns the number of original transactions of an app.
    func count(of scope: AppScope) -> Int { counts[scope] ?? 0 }

    /// Adds a batch before all others, because a response waits for it.
    mutating func addFirst(_ batch: [ScopedOriginal]) {
        guard let scope = batch.first?.scope else { return }
        enter(scope)
        batches[scope]?.append(batch)
        adjustCount(of: scope, by: batch.count)
    }

    /// Adds batches of an app after all others, in their order.
    mutating func addLast(_ added: [[ScopedOriginal]], of scope: AppScope) {
        guard !added.isEmpty else { return }
        enter(scope)
        batches[scope]?.insert(contentsOf: added.reversed(), at: 0)
        adjustCount(of: scope, by: added.reduce(0) { $0 + $1.count })
    }

    private mutating func enter(_ scope: AppScope) {
        guard batches[scope] == nil else { return }
        batches[scope] = []
        order.append(scope)
    }

    private mutating func adjustCount(of scope: AppScope, by change: Int) {
        count += change
        counts[scope, default: 0] += change
    }

    /// Removes the next batch, of the app with the fewest batches in progress.
    ///
    /// - Parameters:
    ///   - inProgress: The number of batches in progress of each app.
    ///   - full: The apps that may not have more.
    mutating func next(inProgress: [AppScope: Int], except full: Set<AppScope>) -> [ScopedOriginal]? {
        let available = order.filter { !full.contains($0) }
        guard let scope = available.min(by: { (inProgress[$0] ?? 0) < (inProgress[$1] ?? 0) }),
            let batch = batches[scope]?.popLast()
        else { return nil }
        adjustCount(of: scope, by: -batch.count)
        order.removeAll { $0 == scope }
        if batches[scope]?.isEmpty == true {
            batches[scope] = nil
            counts[scope] = nil
        } else {
            order.append(scope)
        }
        return batch
    }
}
#endif
