#if Server
import AppReceiptKit
import HTTPTypes
import AppReceiptSupport

/// Why a request is not answered: `{"error": {"code", "message"}}`.
struct APIError: Error, Sendable {
    let status: HTTPResponse.Status
    /// Stable, for programs.
    let code: String
    /// A full sentence, for people. It holds nothing of a receipt.
    let message: String
    /// What goes with it, such as `Allow`.
    var headers = HTTPFields()

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// A request that is wrong, whatever its receipt is.
    static func badRequest(_ code: String, _ message: String) -> APIError { APIError(.badRequest, code, message) }

    var json: JSONValue { ["error": ["code": .string(code), "message": .string(message)]] }
}
#endif
