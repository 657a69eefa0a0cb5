#if Server
import HTTPTypes
import AppReceiptSupport

/// An error response: `{"error": {"code", "message", "documentation"}}`, with further members of some routes.
struct APIError: Error, Sendable {
    let status: HTTPResponse.Status
    /// A stable code, for programs.
    let code: Code
    /// The problem and its remedy in full sentences, for people. Contains nothing of a receipt.
    let message: String
    /// Further members, such as the `candidates` that can be searched instead of an ambiguous text.
    var details = AppStoreJSON.Object()
    /// Further headers of the response, such as `Allow`.
    var headers = HTTPFields()
    /// The name of the token that may not do what was requested, for the log.
    var token: String?
    /// The reason if the code has several, for the log.
    var reason: String?

    init(_ status: HTTPResponse.Status, _ code: Code, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// Returns an error in the request itself, independent of its receipt.
    static func badRequest(_ code: Code, _ message: String) -> APIError { APIError(.badRequest, code, message) }

    var json: AppStoreJSON {
        var error = AppStoreJSON.Object()
        error["code"] = .string(code.rawValue)
        error["message"] = .string(message)
        error["documentation"] = .string(code.documentation)
        for member in details.members { error[member.name] = member.value }
        return ["error": .object(error)]
    }
}

extension APIError {
    /// The codes of error responses, in the order of their statuses. docs/errors.md explains each.
    enum Code: String, CaseIterable, Sendable {
        case bodyBroken = "body-broken"
        case bodyMalformed = "body-malformed"
        case contentMissing = "content-missing"
        case contentMistyped = "content-mistyped"
        case contentMalformed = "content-malformed"
        case contentAmbiguous = "content-ambiguous"
        case optionUnknown = "option-unknown"
        case optionMistyped = "option-mistyped"
        case optionMalformed = "option-malformed"
        case optionRepeated = "option-repeated"
        case optionConflict = "option-conflict"
        case bundleNotServed = "bundle-not-served"
        case environmentNotServed = "environment-not-served"
        case appUnspecified = "app-unspecified"
        case notAPurchase = "not-a-purchase"
        case pathMalformed = "path-malformed"
        case cursorMalformed = "cursor-malformed"
        case accountTooLong = "account-too-long"
        case accountMalformed = "account-malformed"
        case unauthorized
        case roleInsufficient = "role-insufficient"
        case appNotAllowed = "app-not-allowed"
        case crossOrigin = "cross-origin"
        case notFound = "not-found"
        case accountUnknown = "account-unknown"
        case purchaseUnknown = "purchase-unknown"
        case orderUnknown = "order-unknown"
        case customerUnknown = "customer-unknown"
        case customerAmbiguous = "customer-ambiguous"
        case inspectorSampleUnknown = "inspector-sample-unknown"
        case methodNotAllowed = "method-not-allowed"
        case accountSigned = "account-signed"
        case bodyTooLarge = "body-too-large"
        case contentTypeUnsupported = "content-type-unsupported"
        case httpError = "http-error"
        case stateUnavailable = "state-unavailable"
        case tooMuchEvidence = "too-much-evidence"
        case untrustedRevocation = "untrusted-revocation"
        case internalError = "internal-error"
        case appStoreUnconfigured = "app-store-unconfigured"
        case appStoreFailed = "app-store-failed"
        case overloaded

        /// The section about this code in the documentation, relative to the repository.
        var documentation: String { ErrorDocumentation.link(to: rawValue) }
    }
}
#endif
