#if Server
import Logging

/// Logs the rejections of requests: the same one at most once a minute, with the number since.
@available(AppReceiptServer 1.0, *)
final class RejectionLog: Sendable {
    private struct Rejection: Hashable {
        let code: APIError.Code
        let route: String
    }

    private let rejections: RepetitionLog<Rejection>

    /// - Parameter now: Returns the current time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { rejections = RepetitionLog(now: now) }

    /// Logs a rejection, without anything of the request.
    ///
    /// - Parameters:
    ///   - code: Why the request is rejected.
    ///   - route: The route, of which there are few.
    ///   - logger: The logger of the request.
    func log(_ code: APIError.Code, route: String, logger: Logger) {
        let rejection = Rejection(code: code, route: route)
        guard let repetitions = rejections.repetitionsToLog(of: rejection) else { return }
        var metadata: Logger.Metadata = ["code": "\(code.rawValue)", "route": "\(route)"]
        if repetitions > 0 { metadata["repeated"] = .stringConvertible(repetitions) }
        logger.info("Request rejected", metadata: metadata)
    }
}
#endif
