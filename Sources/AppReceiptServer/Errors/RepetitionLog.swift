#if Server
import AppReceiptSupport
import Logging

/// Logs events that may happen again and again: the same one at most once a minute, with the number since.
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

    /// Logs an event, unless it was logged less than a minute ago. `repeated` is how often it happened since.
    ///
    /// - Parameters:
    ///   - event: The event, of which there are few.
    ///   - level: The level of the message.
    ///   - message: The message.
    ///   - metadata: The metadata of the message.
    ///   - logger: The logger.
    func log(
        _ event: Event, level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata, logger: Logger
    ) {
        guard let repetitions = repetitionsToLog(of: event) else { return }
        var metadata = metadata
        if repetitions > 0 { metadata["repeated"] = .stringConvertible(repetitions) }
        logger.log(level: level, message, metadata: metadata)
    }

    /// Counts an event.
    ///
    /// - Returns: How often it happened since it was logged; nil if it was logged less than a minute ago.
    private func repetitionsToLog(of event: Event) -> Int? {
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
