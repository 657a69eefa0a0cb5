#if Server
import AppReceiptStore
import AppReceiptSupport
import HTTPTypes
import Hummingbird

/// An error of the OpenIAP Commerce Protocol: `{"error": {"code", "message"}}`. Source: OpenIAP Commerce Protocol 1.0,
/// 8.
@available(AppReceiptServer 1.0, *)
struct CommerceError: Error, Hashable {
    /// The path of the protocol's operations.
    static let path = "/commerce/v1"

    /// Returns whether errors of a path have the protocol's form.
    static func isForm(of path: String) -> Bool { path.hasPrefix(Self.path + "/") || path == Self.path }

    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// Further headers of the response, such as `Allow`.
    var headers = HTTPFields()

    static func invalidRequest(_ message: String) -> CommerceError {
        CommerceError(status: .badRequest, code: "INVALID_REQUEST", message: message)
    }

    static let unsupportedStore = CommerceError(
        status: .unprocessableContent, code: "UNSUPPORTED_STORE",
        message: "Only purchases of the store apple are known.")

    /// Creates the protocol's error for any error.
    init(_ error: any Error) {
        switch error {
        case let error as CommerceError: self = error
        case let error as APIError:
            let code =
                switch error.status {
                case .unauthorized: "UNAUTHORIZED"
                case .forbidden: "FORBIDDEN"
                case .notFound: "NOT_FOUND"
                case .serviceUnavailable, .tooManyRequests: "RATE_LIMITED"
                default: "INVALID_REQUEST"
                }
            self.init(
                status: code == "RATE_LIMITED" ? .tooManyRequests : error.status, code: code, message: error.message)
            headers = error.headers
        case let error as OverloadError:
            self.init(status: .tooManyRequests, code: "RATE_LIMITED", message: error.resource.message)
        case is CollectedBody.TooLarge, is CollectedBody.Broken:
            self.init(status: .badRequest, code: "INVALID_REQUEST", message: "The body is too large, or incomplete.")
            headers[.connection] = "close"
        case let error as any HTTPResponseError where error.status == .notFound:
            self.init(status: .notFound, code: "NOT_FOUND", message: "This path doesn't exist.")
        case let error as any HTTPResponseError:
            self.init(status: error.status, code: "INVALID_REQUEST", message: error.status.reasonPhrase)
        default:
            self.init(
                status: .internalServerError, code: "INTERNAL_ERROR", message: "The server failed. Retry later.")
        }
    }

    private init(status: HTTPResponse.Status, code: String, message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// Returns the response.
    func response(retryAfter seconds: Int64) -> Response {
        var response = Response(
            json: ["error": ["code": .string(code), "message": .string(message)]], status: status)
        response.headers.append(contentsOf: headers)
        if code == "RATE_LIMITED" { response.headers[.retryAfter] = String(seconds) }
        return response
    }
}
#endif
