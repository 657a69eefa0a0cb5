public import AppReceiptFoundation
public import AppReceiptKit

/// Describes why a request to the App Store Server API failed: a stable code for programs, a message for people, and
/// what to do.
///
/// Two errors are equal if their codes are equal. Neither message nor description contains keys, tokens or identifiers
/// of a customer, so both may be logged.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerError: Error, Sendable {
    /// The kind of failure, stable from release to release.
    public internal(set) var code: Code

    /// The number of Apple's error, known or unknown. Nil if the response doesn't contain one.
    public internal(set) var appleErrorCode: Int64?

    /// Apple's message, at most 500 characters. It isn't part of the description, because it may name an identifier.
    public internal(set) var appleMessage: String?

    /// The HTTP status of the response; nil if there was none.
    public internal(set) var httpStatus: Int?

    /// The failure, as full sentences.
    public internal(set) var message: String

    /// The remedy, as full sentences.
    public internal(set) var remedy: String

    /// Whether the same request may succeed later. The client has already repeated requests that are safe to repeat.
    public internal(set) var isRetryable: Bool

    /// Whether the request may have been carried out although it failed, because the connection broke or the App
    /// Store's server failed after it was sent. Always false for requests that change nothing.
    public internal(set) var isOutcomeUnknown: Bool = false

    /// The environment of the request; nil if no request was sent.
    public internal(set) var environment: AppStoreEnvironment?

    /// The date of the next request, if the limit of requests is exceeded or the response names a time.
    public internal(set) var retryDate: Date?

    /// The reason for which signed data of the response was rejected.
    public internal(set) var receiptError: ReceiptError?

    /// The failures in the other environments, in order.
    public internal(set) var otherErrors: [AppStoreServerError] = []

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: Full sentences, without identifiers. Default: the code's cause.
    ///   - environment: The environment of the request.
    ///   - change: Sets further values.
    package init(
        _ code: Code, message: String? = nil, in environment: AppStoreEnvironment? = nil,
        change: (inout AppStoreServerError) -> Void = { _ in }
    ) {
        self.code = code
        self.message = message ?? code.cause
        remedy = code.remedy
        isRetryable = code.isRetryable
        self.environment = environment
        change(&self)
    }

    /// Returns the error with other values.
    func with(_ change: (inout AppStoreServerError) -> Void) -> AppStoreServerError {
        var changed = self
        change(&changed)
        return changed
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError: Equatable, Hashable {
    /// Two errors are equal if their codes are equal.
    public static func == (left: AppStoreServerError, right: AppStoreServerError) -> Bool { left.code == right.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError: CustomStringConvertible {
    /// The message with the code, Apple's number, the HTTP status and the environment, where known.
    public var description: String {
        var facts = [code.rawValue]
        if let appleErrorCode { facts.append("Apple \(appleErrorCode)") }
        if let httpStatus { facts.append("HTTP \(httpStatus)") }
        if let environment { facts.append(environment.rawValue) }
        if let receiptError { facts.append(receiptError.code.rawValue) }
        return "\(message) [\(facts.joined(separator: ", "))]"
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError: LocalizedError {
    /// The description in English, so that `localizedDescription` contains the code.
    public var errorDescription: String? { description }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}
