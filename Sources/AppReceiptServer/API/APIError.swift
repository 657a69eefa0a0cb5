#if Server
import HTTPTypes
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
#endif
