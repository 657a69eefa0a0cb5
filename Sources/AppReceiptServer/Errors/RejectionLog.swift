#if Server
import AppReceiptSupport
import Logging

/// Logs the rejections of requests: the same one at most once a minute, with the number since.
@available(AppReceiptServer 1.0, *)
final class RejectionLog: Sendable {
    private struct Rejection: Hashable {
        let code: APIError.Code
        let route: String
    }

    private struct Count {
        var logged: ContinuousClock.Instant
        var suppressed = 0
    }

    private let counts = LockedValueBox<[Rejection: Count]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: Returns the current time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Logs a rejection, without anything of the request.
    ///
    /// - Parameters:
    ///   - code: Why the request is rejected.
    ///   - route: The route, of which there are few.
    ///   - logger: The logger of the request.
    func log(_ code: APIError.Code, route: String, logger: Logger) {
        let now = now()
        let repetitions = counts.withLock { counts -> Int? in
            let rejection = Rejection(code: code, route: route)
            guard var count = counts[rejection], now - count.logged < .seconds(60) else {
                let suppressed = counts[rejection]?.suppressed ?? 0
                counts[rejection] = Count(logged: now)
                return suppressed
            }
            count.suppressed += 1
            counts[rejection] = count
            return nil
        }
        guard let repetitions else { return }
        var metadata: Logger.Metadata = ["code": "\(code.rawValue)", "route": "\(route)"]
        if repetitions > 0 { metadata["repeated"] = "\(repetitions)" }
        logger.info("Request rejected", metadata: metadata)
    }
}
#endif
