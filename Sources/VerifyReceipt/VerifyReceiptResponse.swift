public import AppReceiptKit
public import AppReceiptSupport

/// An answer: a status, the JSON that the client gets, and for whoever runs the server the reason.
public struct VerifyReceiptResponse: Sendable {
    /// The outcome.
    public let status: VerifyReceiptStatus

    /// What the client gets: members in the order of Apple's answers, beginning with `status`.
    public let json: JSONValue

    /// Why the status is not 0, nil if it is. It is no part of ``json``: log it, and let the client have the status. The
    /// text holds nothing of the receipt.
    public let failure: ReceiptError?

    /// The receipt that was answered, for a history to record; nil if no receipt was verified. It isn't part of ``json``.
    public let receipt: Receipt?

    /// A receipt that was verified and answered.
    public enum Receipt: Sendable, Hashable {
        /// An app receipt. It was verified without a date: `isFromFuture` has no meaning.
        case app(VerifiedReceipt)
        /// A transaction receipt from before iOS 7.
        case transaction(VerifiedTransactionReceipt)

        /// The environment of the purchases.
        public var environment: ReceiptEnvironment.Base? {
            switch self {
            case .app(let receipt): receipt.environment
            case .transaction(let receipt): receipt.environment
            }
        }
    }

    /// ``json`` as UTF-8, on one line.
    public var body: [UInt8] { json.text() }

    /// An answer that holds nothing but a status, for faults of a server that have no other.
    ///
    /// - Parameters:
    ///   - status: the outcome.
    ///   - isRetryable: whether asking again may help; goes into answers with a status from 21100 to 21199 only.
    public init(status: VerifyReceiptStatus, isRetryable: Bool = false) {
        let retry = JSONObject.Member(name: "is-retryable", value: .boolean(isRetryable))
        self.init(status, status.saysWhetherToRetry ? [retry] : [])
    }

    init(
        _ status: VerifyReceiptStatus, _ members: [JSONObject.Member] = [], failure: ReceiptError? = nil,
        receipt: Receipt? = nil
    ) {
        self.status = status
        self.failure = failure
        self.receipt = receipt
        let first = JSONObject.Member(name: "status", value: .number(JSONNumber(status.rawValue)))
        json = .object(JSONObject(distinct: [first] + members))
    }

    init(refusing error: ReceiptError) { self.init(VerifyReceiptStatus(error), failure: error) }
}

extension VerifyReceiptResponse: CustomStringConvertible {
    /// Status and code, and nothing of the receipt.
    public var description: String {
        "VerifyReceiptResponse(\(status)\(failure.map { ", \($0.code)" } ?? ""))"
    }
}
