public import AppReceiptFoundation
import AppReceiptSupport

/// The error of a request for a new receipt. Two errors are equal if their codes are equal.
public struct ReceiptRefreshError: Error, Sendable {
    /// The kind of failure. The raw value is stable.
    public let code: Code

    /// The App Store's error, such as `SKErrorDomain` and 2 (the customer declined); nil if no request was made.
    public let appStoreError: AppStoreError?

    /// The date of the next allowed attempt, for `refresh-too-soon`.
    public let retryDate: Date?

    /// The problem, as an English sentence.
    public var message: String { code.cause }

    /// The remedy, as an English sentence.
    public var remedy: String { code.remedy }

    /// The domain and number of an App Store error.
    public struct AppStoreError: Sendable, Hashable {
        /// The domain, such as `SKErrorDomain`.
        public let domain: String
        /// The number within the domain.
        public let number: Int

        /// Creates an error from its domain and number.
        ///
        /// - Parameters:
        ///   - domain: The domain, such as `SKErrorDomain`.
        ///   - number: The number within the domain.
        public init(domain: String, number: Int) {
            self.domain = domain
            self.number = number
        }
    }

    /// A kind of failure. New codes may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, such as `refresh-failed`.
        public let rawValue: String
        /// The meaning of the code, as a sentence.
        public let cause: String
        /// The remedy, as a sentence.
        public let remedy: String
        /// The section about this code in the documentation, such as `docs/errors.md#refresh-failed`.
        ///
        /// The path is relative to the repository of this package.
        public var documentation: URL { ErrorDocumentation.url(of: rawValue) }
        /// The stable name.
        public var description: String { rawValue }

        /// Two codes are equal if their names are equal.
        public static func == (left: Code, right: Code) -> Bool { left.rawValue == right.rawValue }
        /// Hashes the value that equality compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

        /// The App Store didn't deliver a receipt.
        public static let failed = Code(
            rawValue: "refresh-failed",
            cause: "The App Store didn't deliver a new receipt.",
            remedy: "The customer may have declined to sign in or be offline. Let them try again when they want to.")

        /// The last attempt ended recently.
        public static let tooSoon = Code(
            rawValue: "refresh-too-soon",
            cause: "A new receipt was requested recently.",
            remedy: "Wait until the error's retry date. Never refresh in a loop.")

        /// The calling task was canceled.
        public static let canceled = Code(
            rawValue: "refresh-canceled",
            cause: "The app canceled the request for a new receipt.",
            remedy: "No action is necessary. Request the receipt again when the customer wants to.")

        /// The system doesn't have an App Store.
        public static let unavailable = Code(
            rawValue: "refresh-unavailable",
            cause: "This system doesn't have an App Store that could deliver a receipt.",
            remedy: "On a server, have the app refresh its receipt and send it again.")

        /// All codes.
        package static let all = [failed, tooSoon, canceled, unavailable]
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - appStoreError: The App Store's error.
    ///   - retryDate: The date of the next allowed attempt.
    public init(_ code: Code, appStoreError: AppStoreError? = nil, retryDate: Date? = nil) {
        self.code = code
        self.appStoreError = appStoreError
        self.retryDate = retryDate
    }

    /// Converts the error of a request.
    init(_ error: any Error) {
        if let error = error as? ReceiptRefreshError {
            self = error
        } else if error is CancellationError {
            self.init(.canceled)
        } else {
            self.init(.failed, appStoreError: AppStoreError(error))
        }
    }
}

extension ReceiptRefreshError.AppStoreError {
    // `NSError` isn't part of FoundationEssentials.
    init(_ error: any Error) { self.init(domain: error._domain, number: error._code) }
}

extension ReceiptRefreshError: Equatable, Hashable {
    /// Two errors are equal if their codes are equal.
    public static func == (left: ReceiptRefreshError, right: ReceiptRefreshError) -> Bool { left.code == right.code }
    /// Hashes the value that equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension ReceiptRefreshError: CustomStringConvertible {
    /// The message with the code and the App Store's error.
    public var description: String {
        guard let appStoreError else { return "\(message) [\(code)]" }
        return "\(message) [\(code), \(appStoreError.domain) \(appStoreError.number)]"
    }
}

extension ReceiptRefreshError: LocalizedError {
    /// The description, in English, for code that logs `localizedDescription`.
    public var errorDescription: String? { description }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}
