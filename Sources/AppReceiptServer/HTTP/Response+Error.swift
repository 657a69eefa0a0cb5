#if Server
import HTTPTypes
import Hummingbird
import Logging

@available(AppReceiptServer 1.0, *)
extension Response {
    /// Creates the response for an error that a route or middleware throws.
    ///
    /// A body beyond the limit isn't among them: verifyReceipt and `/v1` have their own responses for it.
    init(error: any Error, path: String, limits: ServerLimits, logger: Logger) {
        switch error {
        case let error as APIError:
            self.init(error)
        case is OverloadError:
            let overload = OverloadResponse(path: path, retryAfter: limits.retryAfter)
            self.init(
                status: .serviceUnavailable, headers: overload.headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: overload.body)))
        case is CollectedBody.Broken:
            var error = APIError(.badRequest, .bodyBroken, "The body is incomplete, or isn't valid HTTP.")
            error.headers[.connection] = "close"
            self.init(error)
        case let error as any HTTPResponseError where error.status == .notFound:
            self.init(APIError(.notFound, .notFound, "This path doesn't exist."))
        case let error as any HTTPResponseError:
            self.init(APIError(error.status, .httpError, error.status.reasonPhrase))
        default:
            // Not the error itself, which may contain parts of the request.
            logger.error("Internal error", metadata: ["type": "\(type(of: error))"])
            self.init(APIError(.internalServerError, .internalError, "Internal server error."))
        }
    }

    /// Creates the response for an error of the API.
    init(_ error: APIError) {
        self.init(json: error.json, status: error.status)
        headers.append(contentsOf: error.headers)
    }
}
#endif
