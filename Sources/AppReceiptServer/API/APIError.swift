#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import AppReceiptSupport

/// An error response: `{"error": {"code", "message", "documentation"}}`.
struct APIError: Error, Sendable {
    let status: HTTPResponse.Status
    /// A stable code, for programs.
    let code: Code
    /// What is wrong and what to do, in full sentences, for people. Contains nothing of a receipt.
    let message: String
    /// Further headers of the response, such as `Allow`.
    var headers = HTTPFields()

    init(_ status: HTTPResponse.Status, _ code: Code, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// An error in the request itself, independent of its receipt.
    static func badRequest(_ code: Code, _ message: String) -> APIError { APIError(.badRequest, code, message) }

    var json: JSONValue {
        [
            "error": [
                "code": .string(code.rawValue), "message": .string(message),
                "documentation": .string(code.documentation),
            ]
        ]
    }
}

@available(AppReceiptServer 1.0, *)
extension APIError {
    /// Renders the failures of the routes in `/v1`.
    static func response(_ limits: ServerLimits) -> ErrorMiddleware.Render {
        { failure, _ in
            switch failure {
            case .bodyTooLarge:
                Response(
                    APIError(
                        .contentTooLarge, .bodyTooLarge,
                        "The body is larger than the limit of \(limits.maxBodyBytes) bytes."))
            case .databaseFailed:
                Response(
                    APIError(
                        .internalServerError, .stateUnavailable,
                        "The server couldn't read or write its database. Retry later."))
            case .tooMuchEvidence:
                Response(
                    APIError(
                        .internalServerError, .tooMuchEvidence,
                        "More evidence is stored about these purchases than the server reads for one receipt. "
                            + "Send the customer's newest receipt; if that fails too, contact the server's operator."))
            }
        }
    }
}
#endif
