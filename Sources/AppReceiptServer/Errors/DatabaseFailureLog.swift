#if Server
import AppReceiptStore
import AppReceiptSupport
import Logging

/// Counts the failures of the store that requests and background tasks meet, and logs them: the same one at most once a
/// minute, with the number since. Also logs that the database works again.
@available(AppReceiptServer 1.0, *)
final class DatabaseFailureLog: Sendable {
    private let failures: RepetitionLog<StoreError.Code>
    private let count: @Sendable (StoreError) -> Void
    private let hasFailed = LockedValueBox(false)

    /// - Parameters:
    ///   - count: Counts a failure.
    ///   - now: Returns the current time.
    init(
        count: @escaping @Sendable (StoreError) -> Void = { _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.count = count
        failures = RepetitionLog(now: now)
    }

    /// Counts and logs a failure, without the data in question. Cancellation isn't a failure: a reload ends tasks.
    func log(_ error: StoreError, logger: Logger) {
        guard error != .canceled else { return }
        count(error)
        guard let repetitions = failures.repetitionsToLog(of: error.code) else { return }
        let isAboutPurchases = error == .tooMuchEvidence || error == .untrustedRevocation
        if !isAboutPurchases { hasFailed.withLock { $0 = true } }
        var metadata: Logger.Metadata = ["error": "\(error)"]
        if repetitions > 0 { metadata["repeated"] = .stringConvertible(repetitions) }
        logger.error(
            isAboutPurchases ? "Evidence of a purchase can't be used" : "The database failed", metadata: metadata)
    }

    /// Logs that the database works again, after a failure.
    func logRecovery(logger: Logger) {
        let isRecovery = hasFailed.withLock { hasFailed in
            defer { hasFailed = false }
            return hasFailed
        }
        if isRecovery { logger.notice("The database works again") }
    }
}
#endif
