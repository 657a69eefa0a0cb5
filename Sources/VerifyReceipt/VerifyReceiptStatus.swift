import AppReceiptKit
import AppStoreSignedData

/// The status of a response, with Apple's numbers. Source: Apple, verifyReceipt, status.
public struct VerifyReceiptStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int

    /// Creates a status with any number, known or unknown.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The receipt is genuine. A subscription in it may have ended.
    public static let valid = Self(rawValue: 0)
    /// The request can't be read, or isn't a POST.
    public static let requestUnreadable = Self(rawValue: 21000)
    /// `receipt-data` is missing or malformed.
    public static let receiptMalformed = Self(rawValue: 21002)
    /// The receipt can't be authenticated.
    public static let notAuthenticated = Self(rawValue: 21003)
    /// The request's `password` isn't the shared secret.
    public static let sharedSecretMismatch = Self(rawValue: 21004)
    /// The service is unavailable. For servers; a responder doesn't return it.
    public static let unavailable = Self(rawValue: 21005)
    /// The transaction receipt is genuine, but its subscription has ended. The response contains its data.
    public static let subscriptionExpired = Self(rawValue: 21006)
    /// The receipt isn't from production, and only production is accepted. Send it to the sandbox.
    public static let sandboxReceiptInProduction = Self(rawValue: 21007)
    /// The receipt is from production, and only the sandbox is accepted. Send it to production.
    public static let productionReceiptInSandbox = Self(rawValue: 21008)
    /// An internal error. For servers; a responder doesn't return it.
    public static let internalError = Self(rawValue: 21009)

    /// The history of transactions isn't available. A retry may succeed.
    public static let historyUnavailable = Self(rawValue: 21100)

    /// The number.
    public var description: String { String(rawValue) }

    /// Whether responses with this status contain `is-retryable` and `is_retryable`.
    var containsIsRetryable: Bool { (21100...21199).contains(rawValue) }
}

extension VerifyReceiptStatus {
    /// The status for an error. An unreadable receipt is malformed (21002). Every other error of a receipt, including
    /// another app, means that it isn't authenticated (21003): clients may retry after 21002, which wouldn't help.
    init(_ error: ReceiptError) {
        switch error.code {
        case .requestTooLarge, .requestMalformed, .requestMemberDuplicate, .requestMemberMistyped:
            self = .requestUnreadable
        case .sharedSecretMissing, .sharedSecretMismatch:
            self = .sharedSecretMismatch
        default:
            switch error.check {
            case .input, .container, .token, .payload: self = .receiptMalformed
            default: self = .notAuthenticated
            }
        }
    }
}
