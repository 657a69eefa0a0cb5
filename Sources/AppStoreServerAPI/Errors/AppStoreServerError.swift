public import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Describes why a request to the App Store Server API failed: a stable code for programs, a message for people, and what to do.
///
/// Two errors are equal if their codes are equal. Neither message nor description contains keys, tokens or identifiers of a customer, so
/// both may be logged.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerError: Error, Sendable {
    /// The kind of failure, stable from release to release.
    public var code: Code { storage.code }

    /// The number of Apple's error, known or unknown. Nil if the response doesn't contain one.
    public var appleErrorCode: Int64? { storage.appleErrorCode }

    /// Apple's message, at most 500 characters. It isn't part of the description, because it may name an identifier.
    public var appleMessage: String? { storage.appleMessage }

    /// The HTTP status of the response; nil if there was none.
    public var httpStatus: Int? { storage.httpStatus }

    /// What failed, as full sentences.
    public var message: String { storage.message }

    /// What to do about it, as full sentences.
    public var remedy: String { storage.remedy }

    /// Whether the same request may succeed later. The client has already repeated requests that are safe to repeat.
    public var isRetryable: Bool { storage.isRetryable }

    /// Whether the request may have been carried out although it failed, because the connection broke or the App Store's server failed after
    /// it was sent. Always false for requests that change nothing.
    public var isOutcomeUnknown: Bool { storage.isOutcomeUnknown }

    /// The environment that was asked; nil if no request was sent.
    public var environment: ReceiptEnvironment.Base? { storage.environment }

    /// When to send the next request, if the limit of requests is exceeded or the response names a time.
    public var retryDate: Date? { storage.retryDate }

    /// The reason for which signed data of the response was rejected.
    public var receiptError: ReceiptError? { storage.receiptError }

    /// The failures in the other environments that were asked, in order.
    public var otherErrors: [AppStoreServerError] { storage.otherErrors }

    // A class, so that the error is one word and throwing functions return it in a register.
    private let storage: Storage

    private final class Storage: Sendable {
        let code: Code
        let appleErrorCode: Int64?
        let appleMessage: String?
        let httpStatus: Int?
        let message: String
        let remedy: String
        let isRetryable: Bool
        let isOutcomeUnknown: Bool
        let environment: ReceiptEnvironment.Base?
        let retryDate: Date?
        let receiptError: ReceiptError?
        let otherErrors: [AppStoreServerError]

        init(_ details: Details) {
            code = details.code
            appleErrorCode = details.appleErrorCode
            appleMessage = details.appleMessage.map { String($0.prefix(500)) }
            httpStatus = details.httpStatus
            message = details.message ?? details.code.cause
            remedy = details.remedy ?? details.code.remedy
            isRetryable = details.isRetryable
            isOutcomeUnknown = details.isOutcomeUnknown
            environment = details.environment
            retryDate = details.retryDate
            receiptError = details.receiptError
            otherErrors = details.otherErrors
        }
    }

    /// The values of an error.
    struct Details {
        var code: Code
        var appleErrorCode: Int64?
        var appleMessage: String?
        var httpStatus: Int?
        /// Default: the code's.
        var message: String?
        /// Default: the code's.
        var remedy: String?
        var isRetryable: Bool
        var isOutcomeUnknown = false
        var environment: ReceiptEnvironment.Base?
        var retryDate: Date?
        var receiptError: ReceiptError?
        var otherErrors: [AppStoreServerError] = []
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: Full sentences, without identifiers. Default: the code's cause.
    ///   - environment: The environment that was asked.
    ///   - change: Sets further values.
    init(
        _ code: Code, _ message: String? = nil, in environment: ReceiptEnvironment.Base? = nil,
        _ change: (inout Details) -> Void = { _ in }
    ) {
        var details = Details(
            code: code, message: message, isRetryable: code.isRetryable, environment: environment)
        change(&details)
        storage = Storage(details)
    }

    /// Returns the error with other values.
    func with(_ change: (inout Details) -> Void) -> AppStoreServerError {
        AppStoreServerError(code, message, in: environment) {
            $0.appleErrorCode = appleErrorCode
            $0.appleMessage = appleMessage
            $0.httpStatus = httpStatus
            $0.remedy = remedy
            $0.isRetryable = isRetryable
            $0.isOutcomeUnknown = isOutcomeUnknown
            $0.retryDate = retryDate
            $0.receiptError = receiptError
            $0.otherErrors = otherErrors
            change(&$0)
        }
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
