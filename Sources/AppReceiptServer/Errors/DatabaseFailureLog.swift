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
    /// The last failure since the database worked, and whether the check of readiness found it.
    private let lastFailure = LockedValueBox<(code: StoreError.Code, isOfCheck: Bool)?>(nil)

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
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - isOfCheck: Whether the check of readiness found it.
    ///   - logger: The logger.
    func log(_ error: StoreError, isOfCheck: Bool = false, logger: Logger) {
        guard error != .canceled else { return }
        count(error)
        let isAboutPurchases = error == .tooMuchEvidence || error == .untrustedRevocation
        if !isAboutPurchases { lastFailure.withLock { $0 = (error.code, isOfCheck) } }
        failures.log(
            error.code, level: .error,
            message: isAboutPurchases ? "Evidence of a purchase can't be used" : "The database failed",
            metadata: ["error": "\(error)"], logger: logger)
    }

    /// What succeeded.
    enum Success {
        /// Shows no more than that the database can be reached.
        case read
        case write
        /// The check of readiness. Only it shows that a disk that it found full has room again.
        case check
    }

    /// Logs that the database works again, after a failure. A later failure is logged at once.
    func log(_ success: Success, logger: Logger) {
        let isRecovery = lastFailure.withLock { failure in
            guard let last = failure else { return false }
            let isShown =
                switch success {
                case .read: last.code == .databaseUnreachable
                case .write: last.code != .full || !last.isOfCheck
                case .check: true
                }
            if isShown { failure = nil }
            return isShown
        }
        guard isRecovery else { return }
        failures.reset()
        logger.notice("The database works again")
    }
}
#endif
