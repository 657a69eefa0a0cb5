public import AppReceiptFoundation
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError {
    /// A kind of failure.
    ///
    /// The raw value is stable, and can be stored and compared:
    /// `error.code == AppStoreServerError.Code(rawValue: stored)`. An error of Apple has the name of
    /// ``AppStoreServerError/AppleErrorCode/name`` in lowercase with hyphens, such as `transaction-id-not-found`. New
    /// codes may be added in any release, so a `switch` over codes needs a default.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The stable name, such as `transaction-id-not-found`.
        public let rawValue: String

        /// The failure, as a full sentence.
        let cause: String

        /// The remedy, as a full sentence.
        let remedy: String

        /// Whether a request that fails like this may succeed later.
        let isRetryable: Bool

        init(_ rawValue: String, cause: String, remedy: String, isRetryable: Bool = false) {
            self.rawValue = rawValue
            self.cause = cause
            self.remedy = remedy
            self.isRetryable = isRetryable
        }

        /// Creates a code to compare with, known or not.
        public init(rawValue: String) { self.init(rawValue, cause: "", remedy: "") }

        /// The section about this code in the documentation, such as `docs/errors.md#rate-limited`.
        ///
        /// The path is relative to the repository of this package.
        public var documentation: URL { ErrorDocumentation.url(of: rawValue) }

        /// The stable name.
        public var description: String { rawValue }
        /// Two codes are equal if their raw values are equal.
        public static func == (left: Code, right: Code) -> Bool { left.rawValue == right.rawValue }
        /// Hashes the raw value.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}

// MARK: The client

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError.Code {
    /// The task was canceled.
    public static let canceled = Self(
        "canceled",
        cause: "The task was canceled.",
        remedy: "Nothing to do. A request that changes something may have been carried out.")

    /// The server can't be reached, or the connection ended too early.
    public static let unreachable = Self(
        "unreachable",
        cause: "The App Store's server can't be reached, or the connection ended before the response was complete.",
        remedy: "Check name resolution, proxy and firewall for the host, then try again. If TLS failed: \(checkTLS)",
        isRetryable: true)

    /// The remedy if no secure connection was established.
    static let checkTLS = """
        Check the base URL, and that the computer trusts public certificate authorities (on Linux, the package ca-certificates). A proxy \
        that inspects TLS presents its own certificate: exempt the host, or add the proxy's authority to the trusted ones.
        """

    /// The response wasn't complete in time.
    public static let timedOut = Self(
        "timed-out",
        cause: "The App Store's server didn't respond in time.",
        remedy: "Try again later, or raise the time limit.", isRetryable: true)

    /// The response is larger than the limit.
    public static let responseTooLarge = Self(
        "response-too-large",
        cause: "The response is larger than the limit.",
        remedy: "Apple's responses are smaller than 1 MiB. Check that the base URL is Apple's.")

    /// The response isn't what Apple documents.
    public static let responseUnreadable = Self(
        "response-unreadable",
        cause: "The response isn't the JSON that Apple documents.",
        remedy: "Check that the base URL is Apple's and that no proxy answers in its place.")

    /// The server failed without one of Apple's error numbers.
    public static let serverError = Self(
        "server-error",
        cause: "The App Store's server, or a proxy before it, failed.",
        remedy: "Try again later.", isRetryable: true)

    /// Apple rejected the authorization.
    public static let unauthenticated = Self(
        "unauthenticated",
        cause: "The App Store rejected the authorization.",
        remedy: "\(checkKey) Production also answers like this for an app that was never approved for sale.")

    /// The remedy if the sandbox rejected the authorization, which accepts apps that were never approved.
    static let checkKey = """
        Check that the key is an In-App Purchase key (an App Store Connect API key looks the same), that it wasn't revoked, that key \
        identifier and issuer identifier belong to it, and that the computer's clock is right.
        """

    /// The limit of requests was exceeded.
    public static let rateLimited = Self(
        "rate-limited",
        cause: "The limit of requests for this endpoint is exceeded.",
        remedy:
            "Wait until the error's retry date, and send fewer requests. Apple counts requests for each app by the hour.",
        isRetryable: true)

    /// Following pages would never end.
    public static let pagesWithoutEnd = Self(
        "pages-without-end",
        cause: "The response names a next page that was read before.",
        remedy: "Try again later from the last page's cursor. If it happens again, report it to Apple.")

    /// There are more pages than the limit.
    public static let tooManyPages = Self(
        "too-many-pages",
        cause: "There are more pages than the limit.",
        remedy: "Continue from the last page's cursor, narrow the query, or raise the limit of pages.")

    /// Signed data in the response was rejected.
    public static let verificationFailed = Self(
        "verification-failed",
        cause: "Signed data in the response was rejected.",
        remedy: "See the receipt error for the reason.")

    /// The response is about another transaction.
    public static let answerForAnotherTransaction = Self(
        "answer-for-another-transaction",
        cause: "The response is about another transaction than the one requested, even if Apple signed it.",
        remedy: "Don't use it for this customer. Check that no proxy or cache answers in the App Store's place.")

    /// The response is about another request.
    public static let answerForAnotherRequest = Self(
        "answer-for-another-request",
        cause: "The response names another request than the one sent.",
        remedy: "Don't use it. Check that no proxy or cache answers in the App Store's place.")

    /// The key can't be used.
    public static let keyInvalid = Self(
        "key-invalid",
        cause: "The key can't be used to sign tokens.",
        remedy: """
            Use the .p8 file of an In-App Purchase key from App Store Connect (Users and Access, Integrations), with its key identifier \
            and the issuer identifier shown there. An App Store Connect API key looks the same, but is rejected by the App Store.
            """)

    /// The client's configuration can't be used.
    public static let configurationInvalid = Self(
        "configuration-invalid",
        cause: "The client's configuration can't be used.",
        remedy: "Correct the value that the message names.")

    /// A value of the request can't be sent.
    public static let requestInvalid = Self(
        "request-invalid",
        cause: "A value of the request can't be sent.",
        remedy: "Correct the value that the message names.")

    /// Apple's error has a number that this package doesn't know.
    public static let unknownAppleError = Self(
        "unknown-apple-error",
        cause: "The App Store rejected the request with a number that this version doesn't know.",
        remedy: "Look up the number in Apple's documentation of the App Store Server API.")
}

// MARK: Apple

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError.Code {
    /// No transaction has this identifier in the environment (4040010).
    public static let transactionIdentifierNotFound = Self(rawValue: "transaction-id-not-found")
    /// No transaction has this original identifier in the environment (4040005).
    public static let originalTransactionIdentifierNotFound = Self(rawValue: "original-transaction-id-not-found")
    /// The customer's account wasn't found (4040001).
    public static let accountNotFound = Self(rawValue: "account-not-found")
    /// The app wasn't found (4040003).
    public static let appNotFound = Self(rawValue: "app-not-found")
    /// The app's identifier isn't one (4000002).
    public static let invalidAppIdentifier = Self(rawValue: "invalid-app-identifier")
    /// There is no app transaction for the customer (4040019).
    public static let appTransactionDoesNotExist = Self(rawValue: "app-transaction-does-not-exist")
    /// The endpoint doesn't accept the identifier of an app transaction (4000048).
    public static let appTransactionIdentifierNotSupported = Self(rawValue: "app-transaction-id-not-supported")
    /// The cursor of a history can't be used (4000005). Begin again without a cursor.
    public static let invalidRequestRevision = Self(rawValue: "invalid-request-revision")
    /// The token of a page of notifications expired (4000017). Begin again.
    public static let paginationTokenExpired = Self(rawValue: "pagination-token-expired")
    /// The environment has no address for notifications (4040007).
    public static let serverNotificationURLNotFound = Self(rawValue: "server-notification-url-not-found")
    /// The test notification isn't known, or not yet (4040008).
    public static let testNotificationNotFound = Self(rawValue: "test-notification-not-found")
}
