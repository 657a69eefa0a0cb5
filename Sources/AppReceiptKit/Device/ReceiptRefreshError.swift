#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why no fresh receipt came: a stable code for programs and a sentence for people. Equal by code.
public struct ReceiptRefreshError: Error, Sendable {
    /// What went wrong, stable from release to release.
    public let code: Code

    /// The store's own error, such as `SKErrorDomain` and 2 (the customer declined); nil where the store was not asked.
    public let storeError: StoreError?

    /// When the next attempt will be allowed, for `refresh-too-soon`.
    public let retryDate: Date?

    /// What happened, as a full sentence in English.
    public var message: String { code.cause }

    /// What to do about it, as a full sentence in English.
    public var remedy: String { code.remedy }

    /// Domain and number of an error of the store.
    public struct StoreError: Sendable, Hashable {
        /// Such as `SKErrorDomain`.
        public let domain: String
        /// The number within the domain.
        public let number: Int

        /// - Parameters:
        ///   - domain: such as `SKErrorDomain`.
        ///   - number: the number within the domain.
        public init(domain: String, number: Int) {
            self.domain = domain
            self.number = number
        }
    }

    /// A kind of failure. New codes may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, such as `refresh-failed`.
        public let rawValue: String
        /// What this code means, as a full sentence.
        public let cause: String
        /// What to do about it, as a full sentence.
        public let remedy: String
        /// The stable name.
        public var description: String { rawValue }

        /// Equal are codes of the same name.
        public static func == (left: Code, right: Code) -> Bool { left.rawValue == right.rawValue }
        /// Hashes what equality compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

        /// The store did not deliver a receipt.
        public static let failed = Code(
            rawValue: "refresh-failed",
            cause: "The store did not deliver a fresh receipt.",
            remedy: "The customer may have declined to sign in, or be offline: let them try again when they want to.")

        /// The last attempt ended a moment ago.
        public static let tooSoon = Code(
            rawValue: "refresh-too-soon",
            cause: "The store was asked for a fresh receipt a moment ago.",
            remedy: "Wait until the date that the error names; never refresh in a loop.")

        /// The task that asked was canceled.
        public static let canceled = Code(
            rawValue: "refresh-canceled",
            cause: "The request for a fresh receipt was canceled by the app.",
            remedy: "Nothing needs to be done; ask again when the customer wants to.")

        /// There is no store on this system.
        public static let unavailable = Code(
            rawValue: "refresh-unavailable",
            cause: "This system has no store that could deliver a receipt.",
            remedy: "On a server ask the app to refresh its receipt and to send it again.")

        /// Every code.
        package static let all = [failed, tooSoon, canceled, unavailable]
    }

    /// - Parameters:
    ///   - code: what went wrong.
    ///   - storeError: the store's own error.
    ///   - retryDate: when the next attempt will be allowed.
    public init(_ code: Code, storeError: StoreError? = nil, retryDate: Date? = nil) {
        self.code = code
        self.storeError = storeError
        self.retryDate = retryDate
    }

    /// What a request threw.
    init(_ error: any Error) {
        if let error = error as? ReceiptRefreshError {
            self = error
        } else if error is CancellationError {
            self.init(.canceled)
        } else {
            self.init(.failed, storeError: StoreError(error))
        }
    }
}

extension ReceiptRefreshError.StoreError {
    #if canImport(Darwin)
    init(_ error: any Error) {
        let error = error as NSError
        self.init(domain: error.domain, number: error.code)
    }
    #else
    init(_ error: any Error) { self.init(domain: error._domain, number: error._code) }
    #endif
}

extension ReceiptRefreshError: Equatable, Hashable {
    /// Equal are errors with the same code.
    public static func == (left: ReceiptRefreshError, right: ReceiptRefreshError) -> Bool { left.code == right.code }
    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension ReceiptRefreshError: CustomStringConvertible {
    /// The message with the code and the store's error.
    public var description: String {
        guard let storeError else { return "\(message) [\(code)]" }
        return "\(message) [\(code), \(storeError.domain) \(storeError.number)]"
    }
}

extension ReceiptRefreshError: LocalizedError {
    /// The description, for those who log `localizedDescription`. It is in English.
    public var errorDescription: String? { description }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
}
