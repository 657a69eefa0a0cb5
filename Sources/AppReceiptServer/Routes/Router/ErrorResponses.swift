#if Server
import AppReceiptStore
import AppReceiptSupport
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

/// The responses to the errors that routes throw. On verifyReceipt, a body beyond the limit and a failure of the store
/// have HTTP status 200, and a status in the body.
@available(AppReceiptServer 1.0, *)
struct ErrorResponses: Sendable {
    let limits: ServerLimits
    let metrics: ServerMetrics
    let databaseFailures: DatabaseFailureLog
    let rejections: RejectionLog

    /// Returns the response to an error, and logs one of the server.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - path: The path of the request, which determines the form of the response.
    ///   - logger: The logger of the request.
    func response(to error: any Error, path: String, logger: Logger) -> Response {
        guard !CommerceError.isForm(of: path) else { return commerceResponse(to: error, logger: logger) }
        if ValidatorFailure.isForm(of: path), let failure = ValidatorFailure(error) {
            if failure.code == .internalError { logFailure(error, logger: logger) }
            return failure.response(retryAfter: limits.retryAfter.components.seconds)
        }
        switch error {
        case let error as APIError:
            return Response(error)
        case let error as OverloadError:
            let overload = overloadResponse(path: path, to: error.resource)
            return Response(
                status: .serviceUnavailable, headers: overload.headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: overload.body)))
        case is CollectedBody.TooLarge:
            return tooLarge(isVerifyReceipt: Self.isVerifyReceipt(path), logger: logger)
        case is CollectedBody.Broken:
            var error = APIError(.badRequest, .bodyBroken, "The body is incomplete, or isn't valid HTTP.")
            error.headers[.connection] = "close"
            return Response(error)
        case let error as StoreError:
            databaseFailures.log(error, logger: logger)
            guard !Self.isVerifyReceipt(path) else {
                let rejected = VerifyReceiptResponse(status: .historyUnavailable, isRetryable: true)
                metrics.count(rejected)
                return Response(jsonBytes: rejected.body)
            }
            return switch error {
            case .tooMuchEvidence: Response(.tooMuchEvidence)
            case .untrustedRevocation: Response(.untrustedRevocation)
            default: Response(.databaseFailed)
            }
        case let error as any HTTPResponseError where error.status == .notFound:
            return Response(APIError(.notFound, .notFound, "This path doesn't exist."))
        case let error as any HTTPResponseError:
            return Response(APIError(error.status, .httpError, error.status.reasonPhrase))
        default:
            logger.internalError(error)
            return Response(APIError(.internalServerError, .internalError, "Internal server error."))
        }
    }

    private func commerceResponse(to error: any Error, logger: Logger) -> Response {
        let response = CommerceError(error)
        if response.status == .internalServerError { logFailure(error, logger: logger) }
        return response.response(retryAfter: limits.retryAfter.components.seconds)
    }

    /// Logs an error of the server. Overload is logged as a rejection.
    private func logFailure(_ error: any Error, logger: Logger) {
        switch error {
        case let error as StoreError: databaseFailures.log(error, logger: logger)
        case is OverloadError: break
        default: logger.internalError(error)
        }
    }

    /// Logs that a request is rejected, the same rejection at most once a minute. Failures of the server are logged
    /// with their responses.
    func log(_ error: any Error, route: String, logger: Logger) {
        switch error {
        case let error as APIError:
            rejections.log(
                error.code.rawValue, route: route, token: error.token, reason: error.reason, logger: logger)
        case let error as CommerceError: rejections.log(error.code, route: route, logger: logger)
        case let error as ValidatorFailure:
            rejections.log(String(error.code.rawValue), route: route, reason: error.check, logger: logger)
        case let error as OverloadError:
            rejections.log(
                APIError.Code.overloaded.rawValue, route: route, resource: error.resource, logger: logger)
        case let error as any HTTPResponseError:
            let code = error.status == .notFound ? APIError.Code.notFound : .httpError
            rejections.log(code.rawValue, route: route, logger: logger)
        default: break
        }
    }

    /// Returns the response to a request that exceeds a limit. That of verifyReceipt has a status that Apple's clients
    /// know.
    func overloadResponse(path: String, to resource: OverloadError.Resource = .connections) -> OverloadResponse {
        OverloadResponse(
            body: Self.isVerifyReceipt(path)
                ? VerifyReceiptResponse(status: .unavailable).body
                : APIError(.serviceUnavailable, .overloaded, resource.message).json.text(),
            retryAfter: limits.retryAfter)
    }

    /// Returns whether the last component of a path is that of Apple's endpoints.
    ///
    /// - Parameter path: The path, or the target of a request that isn't parsed yet.
    private static func isVerifyReceipt(_ path: String) -> Bool {
        // The router ignores slashes at the end.
        path.prefix { $0 != "?" }.split(separator: "/").last == "verifyReceipt"
    }

    private func tooLarge(isVerifyReceipt: Bool, logger: Logger) -> Response {
        guard isVerifyReceipt else {
            return Response(
                APIError(
                    .contentTooLarge, .bodyTooLarge,
                    "The body is larger than the limit of \(limits.maxBodyBytes) bytes."))
        }
        let rejected = VerifyReceiptResponse(status: .requestUnreadable)
        metrics.countVerifyReceiptResponse(status: rejected.status.rawValue, code: "request-too-large")
        rejections.log(rejected.status, code: "request-too-large", logger: logger)
        var response = Response(jsonBytes: rejected.body)
        // Otherwise the client could send its next request only after the rest of the body.
        response.headers[.connection] = "close"
        return response
    }
}

extension APIError {
    fileprivate static let databaseFailed = APIError(
        .internalServerError, .stateUnavailable, "The server couldn't read or write its database. Retry later.")

    fileprivate static let tooMuchEvidence = APIError(
        .internalServerError, .tooMuchEvidence,
        "More evidence is stored about these purchases than the server reads for one receipt. "
            + "Send the customer's newest receipt; if that fails too, contact the server's operator.")

    fileprivate static let untrustedRevocation = APIError(
        .internalServerError, .untrustedRevocation,
        "A root that the server doesn't trust any more signed a refund or upgrade of these purchases. "
            + "Contact the server's operator.")
}

@available(AppReceiptServer 1.0, *)
extension Response {
    /// Creates the response to an error of the API.
    init(_ error: APIError) {
        self.init(json: error.json, status: error.status)
        headers.append(contentsOf: error.headers)
    }
}
#endif
