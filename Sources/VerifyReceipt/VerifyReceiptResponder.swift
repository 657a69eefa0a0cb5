@_exported public import AppReceiptKit
@_exported public import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Answers what used to be asked of Apple's verifyReceipt, from the receipt alone.
///
/// The same question (`receipt-data`, `password`, `exclude-old-transactions`), the same answer, computed from a receipt
/// that was verified here. Nothing is sent anywhere, and there is no HTTP in it: Apple's endpoint answers a POST with the
/// HTTP status 200 and the ``VerifyReceiptResponse/body``, whatever the ``VerifyReceiptResponse/status``.
///
/// ```swift
/// let responder = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
/// let response = responder.answer(requestBody)
/// ```
///
/// What a receipt does not hold is left out and never invented. For what is bought once the answer is complete; a
/// subscription is as of the receipt's signing: renewals, refunds and cancellations since then are not in it, and so
/// there is no `pending_renewal_info`. As with Apple, status 0 says that the receipt is genuine, not that it is for your
/// app (unless ``bundleIdentifiers`` says so), for this device, or that a subscription in it has not ended.
///
/// In this order: the request is read (21000, 21002), the shared secret compared (21004), the receipt read and verified
/// (21002, 21003), its app (21003) and its environment (21007, 21008, 21003) compared. Who does not know the secret
/// learns nothing about a receipt.
/// Source: Apple, verifyReceipt; App Store Receipts.
public struct VerifyReceiptResponder: Sendable {
    /// Verifies the receipts. Its limits are those of the request's body too.
    public let verifier: ReceiptVerifier

    /// Which receipts are answered, and with which status the others are refused.
    public let environments: Environments

    /// The secret that every request must know; nil asks for none.
    public let sharedSecret: SharedSecret?

    /// The apps whose receipts are answered.
    public let bundleIdentifiers: BundleIdentifiers

    /// Whom to trust for transaction receipts from before iOS 7.
    public let transactionReceipts: TransactionReceiptTrust

    /// - Parameters:
    ///   - verifier: with the roots to trust. One that trusts a certificate of Xcode's is for tests only.
    ///   - environments: production, sandbox or both.
    ///   - sharedSecret: what `password` must be in every request, also in those for which Apple would not need it.
    ///     Default: not asked for.
    ///   - bundleIdentifiers: the apps whose receipts are answered; others get 21003. Default: any, as with Apple.
    ///   - transactionReceipts: the intermediates of receipts from before iOS 7. Default: none, they get 21003.
    public init(
        verifier: ReceiptVerifier, environments: Environments, sharedSecret: SharedSecret? = nil,
        bundleIdentifiers: BundleIdentifiers = .anyBundle, transactionReceipts: TransactionReceiptTrust = .disabled
    ) {
        self.verifier = verifier
        self.environments = environments
        self.sharedSecret = sharedSecret
        self.bundleIdentifiers = bundleIdentifiers
        self.transactionReceipts = transactionReceipts
    }

    /// The answer to a request.
    ///
    /// - Parameters:
    ///   - body: the request as JSON.
    ///   - now: the answer's `request_date`, and when a subscription in a receipt from before iOS 7 is looked at.
    public func answer(_ body: some Collection<UInt8>, now: Date = Date()) -> VerifyReceiptResponse {
        do throws(ReceiptError) {
            return answer(try VerifyReceiptRequest(parsing: body, limits: verifier.limits), now: now)
        } catch {
            return VerifyReceiptResponse(refusing: error)
        }
    }

    /// The answer to a request that was read already.
    public func answer(_ request: VerifyReceiptRequest, now: Date = Date()) -> VerifyReceiptResponse {
        do throws(ReceiptError) {
            switch try verified(request) {
            case .refused(let refusal): return refusal
            case .verified(let submission):
                return answer(submission, CustomerHistory(), request, now: now)
            }
        } catch {
            return VerifyReceiptResponse(refusing: error)
        }
    }

    /// The answer to a request with a receipt that was validated already, whatever the report's expectations.
    package func answer(_ report: ReceiptReport, to request: VerifyReceiptRequest, now: Date) -> VerifyReceiptResponse {
        do throws(ReceiptError) {
            guard let receipt = report.authenticated else {
                throw report.failure ?? ReceiptError(.signatureInvalid)
            }
            switch try compared(receipt) {
            case .refused(let refusal): return refusal
            case .verified(let submission): return answer(submission, CustomerHistory(), request, now: now)
            }
        } catch {
            return VerifyReceiptResponse(refusing: error)
        }
    }

    /// The answer to a request, from the receipt and a history together: renewals, refunds and upgrades that the receipt doesn't
    /// contain, `latest_receipt` with the newest known receipt, and `pending_renewal_info`.
    ///
    /// A known refund or revocation appears as `cancellation_date` in `in_app` and `latest_receipt_info`, for every product type.
    ///
    /// - Parameters:
    ///   - body: The request as JSON.
    ///   - history: Evidence beyond the receipt. It is consulted only for receipts that were verified and contain purchases.
    ///   - now: The answer's `request_date`.
    public func answer(
        _ body: some Collection<UInt8>, history: some TransactionHistory, now: Date = Date()
    ) async -> VerifyReceiptResponse {
        do throws(ReceiptError) {
            let request = try VerifyReceiptRequest(parsing: body, limits: verifier.limits)
            let submission: Submission
            switch try verified(request) {
            case .refused(let refusal): return refusal
            case .verified(let verified): submission = verified
            }
            var known = CustomerHistory()
            if let scope = submission.scope {
                do {
                    known = try await history.history(
                        of: scope.originals, app: scope.app, environment: scope.environment
                    ).only(scope.originals, app: scope.app, environment: scope.environment)
                } catch {
                    // An answer without history could grant what was refunded.
                    return VerifyReceiptResponse(status: .historyUnavailable, isRetryable: true)
                }
            }
            return answer(submission, known, request, now: now)
        } catch {
            return VerifyReceiptResponse(refusing: error)
        }
    }

    /// A receipt of either kind that was verified, and is of an app and environment that are answered.
    private enum Submission {
        case app(VerifiedReceipt)
        case transaction(TransactionReceipt, text: ArraySlice<UInt8>)

        /// The purchases to ask a history for, nil if there are none.
        var scope: (originals: Set<String>, app: String, environment: ReceiptEnvironment.Base)? {
            switch self {
            case .app(let receipt):
                let originals = receipt.originals
                guard !originals.isEmpty, let app = receipt.receipt.bundleIdentifier,
                    let environment = receipt.environment
                else { return nil }
                return (originals, app, environment)
            case .transaction(let receipt, _):
                return VerifiedTransactionReceipt(receipt).map {
                    ([$0.originalTransactionIdentifier], $0.bundleIdentifier, $0.environment)
                }
            }
        }
    }

    private enum Verification {
        case verified(Submission)
        case refused(VerifyReceiptResponse)
    }

    /// Verifies the receipt in a request, and compares its app and environment with those that are answered.
    private func verified(_ request: VerifyReceiptRequest) throws(ReceiptError) -> Verification {
        try sharedSecret?.check(request.password)
        switch try SubmittedReceipt(request.receiptData, limits: verifier.limits) {
        case .app(let der):
            // Apple's endpoint states when a volume purchase expires and doesn't check it. No receipt has expired in the distant past.
            let receipt = try verifier.verify(
                der, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
                now: .distantPast)
            return try compared(receipt)
        case .transaction(let text):
            let receipt = try TransactionReceipt(parsing: text)
            try transactionReceipts.verify(receipt, under: verifier.anchors)
            try bundleIdentifiers.check(receipt.bundleIdentifier)
            let refusal = environments.refusal(of: receipt.environment, isNamed: receipt.claimedEnvironment != nil)
            return refusal.map { .refused($0) } ?? .verified(.transaction(receipt, text: text))
        }
    }

    /// Compares the app and environment of a verified receipt with those that are answered.
    private func compared(_ receipt: VerifiedReceipt) throws(ReceiptError) -> Verification {
        try bundleIdentifiers.check(receipt.receipt.bundleIdentifier)
        let refusal = environments.refusal(of: receipt.environment, isNamed: receipt.receipt.environment != nil)
        return refusal.map { .refused($0) } ?? .verified(.app(receipt))
    }

    private func answer(
        _ submission: Submission, _ history: CustomerHistory, _ request: VerifyReceiptRequest, now: Date
    ) -> VerifyReceiptResponse {
        switch submission {
        case .app(let receipt):
            let answer = AppReceiptAnswer(
                receipt, history: history, excludesOldTransactions: request.excludesOldTransactions, now: now)
            return VerifyReceiptResponse(.valid, answer.members, receipt: .app(receipt))
        case .transaction(let receipt, let text):
            let answer = TransactionReceiptAnswer(receipt, submitted: text, history: history, now: now)
            let verified = VerifiedTransactionReceipt(receipt).map { VerifyReceiptResponse.Receipt.transaction($0) }
            return answer.isExpired
                ? VerifyReceiptResponse(
                    .subscriptionExpired, answer.members,
                    failure: ReceiptError(.transactionReceiptSubscriptionExpired), receipt: verified)
                : VerifyReceiptResponse(.valid, answer.members, receipt: verified)
        }
    }
}

extension VerifyReceiptResponder {
    /// The apps whose receipts are answered.
    public enum BundleIdentifiers: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// These, compared byte by byte.
        case only(Set<String>)
        /// Whatever it is: the caller compares `receipt.bundle_id`, as after asking Apple.
        case anyBundle

        /// A literal lists the apps that are answered.
        public init(arrayLiteral elements: String...) { self = .only(Set(elements)) }

        func check(_ bundleIdentifier: String?) throws(ReceiptError) {
            guard case .only(let accepted) = self else { return }
            guard let bundleIdentifier else { throw ReceiptError(.bundleIdentifierMissing) }
            guard accepted.contains(where: { $0.utf8.elementsEqual(bundleIdentifier.utf8) }) else {
                throw ReceiptError(.bundleIdentifierMismatch)
            }
        }
    }
}
