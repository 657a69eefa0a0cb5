#if Server
import AppReceiptStore
import Logging

/// Logs the failures of the store that requests meet: the same one at most once a minute, with the number since.
@available(AppReceiptServer 1.0, *)
final class DatabaseFailureLog: Sendable {
    private let failures: RepetitionLog<StoreError.Code>

    /// - Parameter now: Returns the current time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { failures = RepetitionLog(now: now) }

    /// Logs a failure, without the data in question.
    func log(_ error: StoreError, logger: Logger) {
        guard error != .canceled, let repetitions = failures.repetitionsToLog(of: error.code) else { return }
        logger.databaseFailed(error, repetitions: repetitions)
    }
}
#endif
