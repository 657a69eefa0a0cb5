#if Server
import AppReceiptSupport
import HTTPTypes
import Hummingbird

/// A failure in the receipt validation protocol of cordova-plugin-purchase. Its HTTP status is 200, because the plugin
/// reads no other response.
@available(AppReceiptServer 1.0, *)
struct ValidatorFailure: Error, Hashable {
    /// Returns whether errors of a path have the protocol's form. The router ignores slashes at the end.
    static func isForm(of path: String) -> Bool { path.split(separator: "/") == ["v1", "validator"] }

    /// The protocol's codes, as far as the server has a use for them. Source: cordova-plugin-purchase 11.0.0,
    /// `src/js/constants.js`.
    enum Code: Int64, Sendable {
        /// `INVALID_PAYLOAD`: the request can't be read, or its receipt or token is rejected.
        case invalidPayload = 6_778_001
        /// `PURCHASE_EXPIRED`: the product that the request is about is over.
        case purchaseExpired = 6_778_003
        /// `INTERNAL_ERROR`: the server, or its database.
        case internalError = 6_778_005
        /// `NEED_MORE_DATA`: the receipt or token doesn't contain what the request is about.
        case needMoreData = 6_778_006
    }

    let code: Code
    /// The problem, for the app's developers. Not for logs: it may name the app.
    let message: String
    /// The code of the check that failed, for the log.
    private(set) var check: String?
    /// Whether a later request may succeed.
    private(set) var isRetryable = false
    /// Whether the connection is closed, because the rest of the body isn't read.
    private(set) var closesConnection = false

    init(_ code: Code, _ message: String, check: String? = nil) {
        self.code = code
        self.message = message
        self.check = check
    }

    /// Creates the protocol's failure for an error; nil for one that isn't about the content of a request.
    init?(_ error: any Error) {
        switch error {
        case let error as ValidatorFailure: self = error
        case let error as APIError:
            guard error.code != .crossOrigin, error.code != .methodNotAllowed else { return nil }
            self.init(
                .invalidPayload, "\(error.code.rawValue): \(error.message)", check: error.code.rawValue)
        case let error as OverloadError:
            self.init(.internalError, error.resource.message)
            isRetryable = true
        case is CollectedBody.TooLarge:
            self.init(.invalidPayload, "The body is larger than the server's limit.")
            closesConnection = true
        case is CollectedBody.Broken, is any HTTPResponseError: return nil
        default: self.init(.internalError, "The server failed. Retry later.")
        }
    }

    /// Returns the response, with the code also in `data`, where version 11 and older read it.
    func response(retryAfter seconds: Int64) -> Response {
        let code = AppStoreJSON.number(AppStoreJSON.Number(self.code.rawValue))
        var response = Response(json: [
            "ok": false, "code": code, "message": .string(message),
            "data": ["code": code, "error": ["message": .string(message)]],
        ])
        if isRetryable { response.headers[.retryAfter] = String(seconds) }
        if closesConnection { response.headers[.connection] = "close" }
        return response
    }
}
#endif
