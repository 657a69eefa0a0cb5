#if Server
import AppReceiptKit
import HTTPTypes
import AppReceiptSupport

/// An error response: `{"error": {"code", "message"}}`.
struct APIError: Error, Sendable {
    let status: HTTPResponse.Status
    /// A stable code, for programs.
    let code: String
    /// What is wrong and what to do, in full sentences, for people. Contains nothing of a receipt.
    let message: String
    /// Further headers of the response, such as `Allow`.
    var headers = HTTPFields()

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// An error in the request itself, whatever its receipt contains.
    static func badRequest(_ code: String, _ message: String) -> APIError { APIError(.badRequest, code, message) }

    /// The database can't be read or written.
    static let databaseFailed = APIError(
        .internalServerError, "state-unavailable", "The server couldn't read or write its database. Retry later.")

    var json: JSONValue { ["error": ["code": .string(code), "message": .string(message)]] }
}
#endif
