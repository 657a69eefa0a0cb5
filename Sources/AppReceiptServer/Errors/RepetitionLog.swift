#if Server
import AppReceiptSupport

/// Counts what happens again and again, so that it is logged at most once a minute, with the number since.
@available(AppReceiptServer 1.0, *)
final class RepetitionLog<Event: Hashable & Sendable>: Sendable {
    private struct Count {
        var logged: ContinuousClock.Instant
        var suppressed = 0
    }

    private let counts = LockedValueBox<[Event: Count]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: Returns the current time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Forgets what was logged, so that the next event is logged again.
    func reset() { counts.withLock { $0 = [:] } }

    /// Counts an event.
    ///
    /// - Parameter event: The event, of which there are few.
    /// - Returns: How often it happened since it was logged; nil if it was logged less than a minute ago.
    func repetitionsToLog(of event: Event) -> Int? {
        let now = now()
        return counts.withLock { counts in
            guard var count = counts[event], now - count.logged < .seconds(60) else {
                let suppressed = counts[event]?.suppressed ?? 0
                counts[event] = Count(logged: now)
                return suppressed
            }
            count.suppressed += 1
            counts[event] = count
            return nil
        }
    }
}
#endif
