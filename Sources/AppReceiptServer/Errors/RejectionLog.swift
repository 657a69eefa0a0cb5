#if Server
import Logging
import VerifyReceipt

/// Logs the rejections of requests: the same one at most once a minute, with the number since.
@available(AppReceiptServer 1.0, *)
final class RejectionLog: Sendable {
    private let rejections: RepetitionLog<String>

    /// - Parameter now: Returns the current time.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { rejections = RepetitionLog(now: now) }

    /// Logs a rejection, without anything of the request.
    ///
    /// - Parameters:
    ///   - code: Why the request is rejected.
    ///   - route: The route, of which there are few.
    ///   - resource: The resource whose limit is reached; nil for another reason.
    ///   - token: The name of the token that may not do this; nil for another reason.
    ///   - reason: The reason if the code has several.
    ///   - logger: The logger of the request.
    func log(
        _ code: String, route: String, resource: OverloadError.Resource? = nil, token: String? = nil,
        reason: String? = nil, logger: Logger
    ) {
        var metadata: Logger.Metadata = ["code": "\(code)", "route": "\(route)"]
        if let resource { metadata["limit"] = "\(resource.rawValue)" }
        if let token { metadata["token"] = "\(token)" }
        if let reason { metadata["reason"] = "\(reason)" }
        log("Request rejected", metadata: metadata, logger: logger)
    }

    /// Logs why a request to Apple's endpoints failed.
    func log(_ status: VerifyReceiptStatus, code: String, logger: Logger) {
        let metadata: Logger.Metadata = ["status": .stringConvertible(status.rawValue), "code": "\(code)"]
        log("verifyReceipt rejected", metadata: metadata, logger: logger)
    }

    /// Logs what a request contained that clients may repeat.
    ///
    /// - Parameters:
    ///   - message: What it was.
    ///   - metadata: What distinguishes it from others, of which there are few.
    ///   - logger: The logger of the request.
    func log(_ message: Logger.Message, metadata: Logger.Metadata, logger: Logger) {
        let event = metadata.sorted { $0.key < $1.key }.reduce("\(message)") { "\($0) \($1.value)" }
        rejections.log(event, level: .info, message: message, metadata: metadata, logger: logger)
    }
}
#endif
