public import AppReceiptKit
package import AppReceiptSupport
import AppStoreSignedData

/// A response: the status, the JSON for the client, and the reason for the operator.
public struct VerifyReceiptResponse: Sendable {
    /// The status.
    public let status: VerifyReceiptStatus

    /// The JSON for the client in UTF-8, on one line: members in the order of Apple's responses, beginning with
    /// `status`.
    public let body: [UInt8]

    /// The reason for a status other than 0; nil for status 0. Not part of ``body``: log it, and send the client only
    /// the status. The text doesn't contain data of the receipt.
    public let failure: ReceiptError?

    /// The verified receipt, for a history to record; nil if no receipt was verified. It isn't part of ``body``.
    ///
    /// A response without history contains it too: a newer receipt may replace the evidence that couldn't be read.
    public let receipt: Receipt?

    /// The verified signed transactions that the request contains beside a receipt, for a history to record; nil
    /// without any.
    public let signedTransactions: VerifiedSignedTransactions?

    /// What the app or its back end should send instead, for its developers: if the receipt or the tokens are in a
    /// wrapper, if a receipt or tokens beside `receipt-data` aren't used, or if it is none. Nil for an ordinary
    /// request.
    ///
    /// It contains nothing of the request but names of members that plugins use.
    public let hint: String?
    /// The hint without names, of which there are few different ones.
    package let loggedHint: String?
    /// Whether the request has a receipt or token that is read only if signed transactions and wrappers are accepted.
    package let isAboutSetting: Bool

    /// A verified and accepted receipt.
    public enum Receipt: Sendable, Hashable {
        /// An app receipt. It was verified without a date: `isFromFuture` has no meaning.
        case app(VerifiedReceipt)
        /// A transaction receipt.
        case transaction(VerifiedTransactionReceipt)
        /// Signed transactions in place of a receipt.
        case signedTransactions(VerifiedSignedTransactions)

        /// The environment of the purchases.
        public var environment: AppStoreEnvironment? {
            switch self {
            case .app(let receipt): receipt.environment
            case .transaction(let receipt): receipt.environment
            case .signedTransactions(let transactions): transactions.environment
            }
        }

        /// The app.
        var bundleIdentifier: String? {
            switch self {
            case .app(let receipt): receipt.bundleIdentifier
            case .transaction(let receipt): receipt.bundleIdentifier
            case .signedTransactions(let transactions): transactions.bundleIdentifier
            }
        }

        /// The original transactions of the purchases.
        var originals: Set<String> {
            switch self {
            case .app(let receipt): receipt.originals
            case .transaction(let receipt): receipt.originalTransactionIdentifier.map { [$0] } ?? []
            case .signedTransactions(let transactions): transactions.evidence.originals
            }
        }
    }

    /// The ``body`` as a value. It is parsed for each call.
    package var json: AppStoreJSON {
        guard let value = try? AppStoreJSON(parsing: body[...]) else { preconditionFailure("The body isn't JSON.") }
        return value
    }

    /// Creates a response that contains only a status, for errors of a server.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - isRetryable: Whether a retry may succeed. Only responses with a status from 21100 to 21199 contain it.
    public init(status: VerifyReceiptStatus, isRetryable: Bool = false) {
        self.init(status: status, isRetryable: isRetryable, receipt: nil)
    }

    init(
        status: VerifyReceiptStatus, isRetryable: Bool, receipt: Receipt?,
        signedTransactions: VerifiedSignedTransactions? = nil
    ) {
        self.init(status, receipt: receipt, signedTransactions: signedTransactions) { writer in
            guard status.containsIsRetryable else { return }
            // Apple documents the first name and sends the second one.
            writer.member("is-retryable", isRetryable)
            writer.member("is_retryable", isRetryable)
        }
    }

    /// - Parameters:
    ///   - hint: What to send instead; nil for an ordinary request.
    ///   - capacity: The expected size of the other members.
    ///   - writeMembers: Writes the members after the status.
    init(
        _ status: VerifyReceiptStatus, failure: ReceiptError? = nil, receipt: Receipt? = nil,
        signedTransactions: VerifiedSignedTransactions? = nil, hint: RequestHint? = nil, capacity: Int = 0,
        writeMembers: (inout JSONWriter) -> Void = { _ in }
    ) {
        self.status = status
        self.failure = failure
        self.receipt = receipt
        self.signedTransactions = signedTransactions
        self.hint = hint?.text
        loggedHint = hint?.loggedText
        isAboutSetting = hint?.isAboutSetting ?? false
        var writer = JSONWriter(capacity: 64 + capacity)
        writer.openObject()
        writer.member("status", number: status.rawValue)
        writeMembers(&writer)
        writer.closeObject()
        body = writer.bytes
    }

    init(rejecting error: ReceiptError, hint: RequestHint? = nil) {
        self.init(VerifyReceiptStatus(error), failure: error, hint: hint)
    }
}

extension VerifyReceiptResponse: CustomStringConvertible {
    /// The status and code, without data of the receipt.
    public var description: String {
        "VerifyReceiptResponse(\(status)\(failure.map { ", \($0.code)" } ?? ""))"
    }
}
