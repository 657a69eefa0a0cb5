import AppReceiptKit

/// The outcome of a request, as Apple numbers it. Source: Apple, verifyReceipt, status.
public struct VerifyReceiptStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int

    /// The status of this number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The receipt is genuine. A subscription in it may have ended.
    public static let valid = Self(rawValue: 0)
    /// The request could not be read, or was no POST.
    public static let requestUnreadable = Self(rawValue: 21000)
    /// `receipt-data` is missing or malformed.
    public static let receiptMalformed = Self(rawValue: 21002)
    /// The receipt could not be authenticated.
    public static let notAuthenticated = Self(rawValue: 21003)
    /// The request's `password` is not the shared secret.
    public static let sharedSecretMismatch = Self(rawValue: 21004)
    /// Not now. For who serves answers: a responder has no such state.
    public static let unavailable = Self(rawValue: 21005)
    /// The receipt, from before iOS 7, is genuine, and its subscription has ended. The answer holds its data.
    public static let subscriptionExpired = Self(rawValue: 21006)
    /// A receipt from the sandbox, or not from production, where production is answered: ask the sandbox.
    public static let sandboxReceiptInProduction = Self(rawValue: 21007)
    /// A receipt from production where the sandbox is answered: ask production.
    public static let productionReceiptInSandbox = Self(rawValue: 21008)
    /// An error of the server. For who serves answers: a responder has no such state.
    public static let internalError = Self(rawValue: 21009)

    /// The history of transactions could not be asked; asking again may help.
    public static let historyUnavailable = Self(rawValue: 21100)

    /// The number.
    public var description: String { String(rawValue) }

    /// Whether answers with this status say whether asking again may help (`is-retryable`).
    var saysWhetherToRetry: Bool { (21100...21199).contains(rawValue) }
}

extension VerifyReceiptStatus {
    /// The status for what a request or receipt was refused for. What cannot be read is malformed (21002), all other
    /// that is wrong with a receipt makes it unproven (21003), a receipt of another app included: a client that is told
    /// 21002 may try again, and that would not help.
    init(_ error: ReceiptError) {
        switch error.code {
        case .requestTooLarge, .requestMalformed, .requestMemberDuplicate, .requestMemberMistyped:
            self = .requestUnreadable
        case .sharedSecretMissing, .sharedSecretMismatch:
            self = .sharedSecretMismatch
        default:
            switch error.stage {
            case .input, .container, .payload: self = .receiptMalformed
            default: self = .notAuthenticated
            }
        }
    }
}
