public import AppReceiptKit
public import AppReceiptSupport

/// A response: the status, the JSON for the client, and the reason for the operator.
public struct VerifyReceiptResponse: Sendable {
    /// The status.
    public let status: VerifyReceiptStatus

    /// The JSON for the client: members in the order of Apple's responses, beginning with `status`.
    public let json: JSONValue

    /// The reason for a status other than 0; nil for status 0. Not part of ``json``: log it, and send the client only the status. The text
    /// doesn't contain data of the receipt.
    public let failure: ReceiptError?

    /// The verified receipt, for a history to record; nil if no receipt was verified. It isn't part of ``json``.
    ///
    /// A response without history contains it too: a newer receipt may replace the evidence that couldn't be read.
    public let receipt: Receipt?

    /// A verified and accepted receipt.
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

    /// Creates a response that contains only a status, for errors of a server.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - isRetryable: Whether a retry may succeed. Only responses with a status from 21100 to 21199 contain it.
    public init(status: VerifyReceiptStatus, isRetryable: Bool = false) {
        self.init(status: status, isRetryable: isRetryable, receipt: nil)
    }

    init(status: VerifyReceiptStatus, isRetryable: Bool, receipt: Receipt?) {
        let retry = JSONObject.Member(name: "is-retryable", value: .boolean(isRetryable))
        self.init(status, status.containsIsRetryable ? [retry] : [], receipt: receipt)
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

    init(rejecting error: ReceiptError) { self.init(VerifyReceiptStatus(error), failure: error) }
}

extension VerifyReceiptResponse: CustomStringConvertible {
    /// The status and code, without data of the receipt.
    public var description: String {
        "VerifyReceiptResponse(\(status)\(failure.map { ", \($0.code)" } ?? ""))"
    }
}
