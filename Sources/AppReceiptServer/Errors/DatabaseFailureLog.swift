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
    /// The last failure since the database worked.
    private let lastFailure = LockedValueBox<StoreError.Code?>(nil)

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
        if !isAboutPurchases { lastFailure.withLock { $0 = error.code } }
        var metadata: Logger.Metadata = ["error": "\(error)"]
        if repetitions > 0 { metadata["repeated"] = .stringConvertible(repetitions) }
        logger.error(
            isAboutPurchases ? "Evidence of a purchase can't be used" : "The database failed", metadata: metadata)
    }

    /// Logs that the database works again, after a failure. A later failure is logged at once.
    ///
    /// - Parameters:
    ///   - wasWritten: Whether something was written. What was only read shows no more than that it can be reached.
    ///   - logger: The logger.
    func logSuccess(wasWritten: Bool, logger: Logger) {
        let isRecovery = lastFailure.withLock { failure in
            guard let code = failure, wasWritten || code == .databaseUnreachable else { return false }
            failure = nil
            return true
        }
        guard isRecovery else { return }
        failures.reset()
        logger.notice("The database works again")
    }
}
#endif
