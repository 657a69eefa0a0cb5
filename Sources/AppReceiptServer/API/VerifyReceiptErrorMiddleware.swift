#if Server
import Hummingbird
import Logging
import VerifyReceipt

/// Converts errors of Apple's endpoints to responses with status 200 and a code in the body, as Apple's clients expect.
@available(AppReceiptServer 1.0, *)
struct VerifyReceiptErrorMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let metrics: ServerMetrics

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CollectedBody.TooLarge {
            let answer = VerifyReceiptResponse(status: .requestUnreadable)
            metrics.answer(status: answer.status.rawValue, code: "request-too-large")
            context.logger.verifyReceiptRefused(answer.status, code: "request-too-large")
            var response = Response(jsonBytes: answer.body)
            // The rest of the body isn't read.
            response.headers[.connection] = "close"
            return response
        } catch let error as StoreError {
            context.logger.databaseFailed(error)
            return Response(jsonBytes: VerifyReceiptResponse(status: .historyUnavailable, isRetryable: true).body)
        }
    }
}

extension Logger {
    /// Logs why a request to Apple's endpoints failed.
    func verifyReceiptRefused(_ status: VerifyReceiptStatus, code: String) {
        info("verifyReceipt refused", metadata: ["status": "\(status)", "code": "\(code)"])
    }
}
#endif
