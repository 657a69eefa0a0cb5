@_exported public import AppReceiptKit

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
        bundleIdentifiers: BundleIdentifiers = .anyBundle, transactionReceipts: TransactionReceiptTrust = .none
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
            try sharedSecret?.check(request.password)
            switch try SubmittedReceipt(request.receiptData, limits: verifier.limits) {
            case .app(let der):
                return try answer(toReceipt: der, request, now)
            case .transaction(let text):
                return try answer(toTransactionReceipt: text, now)
            }
        } catch {
            return VerifyReceiptResponse(refusing: error)
        }
    }

    /// The answer to a request, with what a history knows of the customer's subscriptions beyond the receipt:
    /// `latest_receipt_info` then holds renewals, refunds and upgrades since, `latest_receipt` the newest receipt that is
    /// known, and `pending_renewal_info` how they go on.
    ///
    /// - Parameters:
    ///   - body: the request as JSON.
    ///   - history: is asked only for receipts that were verified, and only if they hold purchases.
    ///   - now: the answer's `request_date`.
    public func answer(
        _ body: some Collection<UInt8>, history: some TransactionHistory, now: Date = Date()
    ) async -> VerifyReceiptResponse {
        do throws(ReceiptError) {
            let request = try VerifyReceiptRequest(parsing: body, limits: verifier.limits)
            try sharedSecret?.check(request.password)
            guard case .app(let der) = try SubmittedReceipt(request.receiptData, limits: verifier.limits) else {
                return answer(request, now: now)
            }
            let submitted: KnownReceipt
            switch try examine(der) {
            case .refused(let refusal): return refusal
            case .verified(let receipt): submitted = receipt
            }
            var known: CustomerHistory?
            let verified = submitted.receipt
            let lines = submitted.lines
            if !lines.isEmpty, let app = verified.receipt.bundleIdentifier, let environment = verified.environment {
                do {
                    known = try await history.history(of: lines, app: app, environment: environment)
                        .only(lines, app: app, environment: environment)
                } catch {
                    // Without it the answer would say that subscriptions ended that were renewed.
                    return VerifyReceiptResponse(status: .historyUnavailable, isRetryable: true)
                }
            }
            let answer = AppReceiptAnswer(
                submitted, history: known, excludesOldTransactions: request.excludesOldTransactions, now: now)
            return VerifyReceiptResponse(.valid, answer.members, receipt: submitted)
        } catch {
            return VerifyReceiptResponse(refusing: error)
        }
    }

    private enum Examined {
        case verified(KnownReceipt)
        case refused(VerifyReceiptResponse)
    }

    private func examine(_ der: ArraySlice<UInt8>) throws(ReceiptError) -> Examined {
        // Apple does not judge when a volume purchase expires but says it in the answer: nothing has expired long ago.
        let known = try KnownReceipt(
            container: der, verifier, Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: .distantPast)
        let verified = known.receipt
        try bundleIdentifiers.check(verified.receipt.bundleIdentifier)
        let isNamed = verified.receipt.environment != nil
        if let refusal = environments.refusal(of: verified.environment, isNamed: isNamed) { return .refused(refusal) }
        return .verified(known)
    }

    private func answer(
        toReceipt der: ArraySlice<UInt8>, _ request: VerifyReceiptRequest, _ now: Date
    ) throws(ReceiptError) -> VerifyReceiptResponse {
        switch try examine(der) {
        case .refused(let refusal):
            return refusal
        case .verified(let submitted):
            let answer = AppReceiptAnswer(
                submitted, excludesOldTransactions: request.excludesOldTransactions, now: now)
            return VerifyReceiptResponse(.valid, answer.members, receipt: submitted)
        }
    }

    private func answer(
        toTransactionReceipt text: ArraySlice<UInt8>, _ now: Date
    ) throws(ReceiptError) -> VerifyReceiptResponse {
        let receipt = try TransactionReceipt(parsing: text)
        try transactionReceipts.prove(receipt, under: verifier.anchors)
        try bundleIdentifiers.check(receipt.bundleIdentifier)
        let isNamed = receipt.claimedEnvironment != nil
        if let refusal = environments.refusal(of: receipt.environment, isNamed: isNamed) { return refusal }
        let answer = TransactionReceiptAnswer(receipt, submitted: text, now: now)
        return answer.isExpired
            ? VerifyReceiptResponse(
                .subscriptionExpired, answer.members, failure: ReceiptError(.transactionReceiptSubscriptionExpired))
            : VerifyReceiptResponse(.valid, answer.members)
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
