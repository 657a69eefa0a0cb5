#if Server
import AppReceiptStore
import Logging

/// Logs the failures of the store that requests and background tasks meet: the same one at most once a minute, with the
/// number since.
@available(AppReceiptServer 1.0, *)
final class DatabaseFailureLog: Sendable {
    private let failures: RepetitionLog<StoreError.Code>

    /// - Parameter now: Returns the current time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { failures = RepetitionLog(now: now) }

    /// Logs a failure, without the data in question. Cancellation isn't a failure: a reload ends tasks.
    func log(_ error: StoreError, logger: Logger) {
        guard error != .canceled, let repetitions = failures.repetitionsToLog(of: error.code) else { return }
        let isAboutPurchases = error == .tooMuchEvidence || error == .untrustedRevocation
        var metadata: Logger.Metadata = ["error": "\(error)"]
        if repetitions > 0 { metadata["repeated"] = .stringConvertible(repetitions) }
        logger.error(
            isAboutPurchases ? "Evidence of a purchase can't be used" : "The database failed", metadata: metadata)
    }
}
#endif
