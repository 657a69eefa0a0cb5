#if Server
import Logging

/// Logs the rejections of requests: the same one at most once a minute, with the number since.
@available(AppReceiptServer 1.0, *)
final class RejectionLog: Sendable {
    private struct Rejection: Hashable {
        let code: String
        let route: String
        let resource: OverloadError.Resource?
        let token: String?
    }

    private let rejections: RepetitionLog<Rejection>

    /// - Parameter now: Returns the current time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { rejections = RepetitionLog(now: now) }

    /// Logs a rejection, without anything of the request.
    ///
    /// - Parameters:
    ///   - code: Why the request is rejected.
    ///   - route: The route, of which there are few.
    ///   - resource: The resource whose limit is reached; nil for another reason.
    ///   - token: The name of the token that may not do this; nil for another reason.
    ///   - logger: The logger of the request.
    func log(
        _ code: String, route: String, resource: OverloadError.Resource? = nil, token: String? = nil, logger: Logger
    ) {
        let rejection = Rejection(code: code, route: route, resource: resource, token: token)
        guard let repetitions = rejections.repetitionsToLog(of: rejection) else { return }
        var metadata: Logger.Metadata = ["code": "\(code)", "route": "\(route)"]
        if let resource { metadata["limit"] = "\(resource.rawValue)" }
        if let token { metadata["token"] = "\(token)" }
        if repetitions > 0 { metadata["repeated"] = .stringConvertible(repetitions) }
        logger.info("Request rejected", metadata: metadata)
    }
}
#endif
