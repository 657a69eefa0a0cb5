public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

/// Responds to verifyReceipt requests locally.
///
/// Requests (`receipt-data`, `password`, `exclude-old-transactions`) and responses have the form of Apple's endpoint. The response is computed from
/// the verified receipt. The responder performs no I/O. The caller implements HTTP: Apple's endpoint responds to a POST with HTTP status 200 and the
/// ``VerifyReceiptResponse/body``, for every ``VerifyReceiptResponse/status``.
///
/// ```swift
/// let responder = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
/// let response = responder.response(to: requestBody)
/// ```
///
/// Values that the receipt doesn't contain are left out. The response is complete for one-time purchases. Subscriptions are described as of the
/// date the receipt was signed: without later renewals, refunds and cancellations, and without `pending_renewal_info`. As with Apple's endpoint,
/// status 0 means that the receipt is genuine. It doesn't mean that the receipt is for your app (unless ``bundleIdentifiers`` requires it) or for
/// this device, or that a subscription in it is active.
///
/// The steps are, in this order: parse the request (21000, 21002), compare the shared secret (21004), parse and verify the receipt
/// (21002, 21003), compare its app (21003) and its environment (21007, 21008, 21003). Without the secret, a client learns nothing about
/// a receipt.
/// Source: Apple, verifyReceipt; App Store Receipts.
public struct VerifyReceiptResponder: Sendable {
    /// Verifies the receipts. Its limits also apply to the request's body.
    public let verifier: ReceiptVerifier

    /// The environments whose receipts are accepted, and the status for others.
    public let environments: Environments

    /// The secret that every request must contain; nil if none is required.
    public let sharedSecret: SharedSecret?

    /// The apps whose receipts are accepted, compared byte by byte. If any is, the caller compares `receipt.bundle_id`, as with Apple's endpoint.
    public let bundleIdentifiers: AcceptedValues<String>

    /// The subscriptions for which responses contain an element of `pending_renewal_info`.
    public let renewalInfo: RenewalInfo

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - verifier: The verifier with the trusted roots. Trust an Xcode certificate only in tests.
    ///   - environments: Production, sandbox or both.
    ///   - sharedSecret: The required `password` of every request, including those for which Apple doesn't require it. Default: none.
    ///   - bundleIdentifiers: The apps whose receipts are accepted; others get 21003. Default: any, as at Apple's endpoint.
    ///   - renewalInfo: The subscriptions with an element of `pending_renewal_info`. Default: those with signed renewal information.
    public init(
        verifier: ReceiptVerifier, environments: Environments, sharedSecret: SharedSecret? = nil,
        bundleIdentifiers: AcceptedValues<String> = .anyBundle, renewalInfo: RenewalInfo = .known
    ) {
        self.verifier = verifier
        self.environments = environments
        self.sharedSecret = sharedSecret
        self.bundleIdentifiers = bundleIdentifiers
        self.renewalInfo = renewalInfo
    }

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - body: The request as JSON.
    ///   - now: The response's `request_date`, and the date for which the subscription in a transaction receipt is evaluated.
    /// - Returns: The response, with the JSON for the client and the reason for a rejection.
    public func response(to body: some Collection<UInt8>, now: Date = Date()) -> VerifyReceiptResponse {
        response(to: verify(body), now: now)
    }

    /// Returns the response to a parsed request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The response's `request_date`, and the date for which the subscription in a transaction receipt is evaluated.
    /// - Returns: The response, with the JSON for the client and the reason for a rejection.
    public func response(to request: VerifyReceiptRequest, now: Date = Date()) -> VerifyReceiptResponse {
        let members = RequestMembers(request)
        return response(to: verification { () throws(ReceiptError) in try verified(members) }, now: now)
    }

    /// Returns the response to a request with a receipt that was validated already. The report's expectations have no effect.
    package func response(
        to request: VerifyReceiptRequest, report: ReceiptReport, now: Date
    ) -> VerifyReceiptResponse {
        let verification = verification { () throws(ReceiptError) in
            guard let receipt = report.authenticated else { throw report.failure ?? ReceiptError(.signatureInvalid) }
            return try compared(.app(receipt), in: RequestMembers(request))
        }
        return response(to: verification, now: now)
    }

    /// Returns the response to a request with a transaction receipt that was validated already. The report's expectations have no effect.
    package func response(
        to request: VerifyReceiptRequest, report: TransactionReceiptReport, now: Date
    ) -> VerifyReceiptResponse {
        let members = RequestMembers(request)
        let verification = verification { () throws(ReceiptError) in
            guard let receipt = report.authenticated else { throw report.failure ?? ReceiptError(.signatureInvalid) }
            return try compared(
                .transaction(receipt, text: SubmittedReceipt.propertyList(members.receiptData)), in: members)
        }
        return response(to: verification, now: now)
    }

    /// Returns the response to a request from the receipt and a history together: renewals, refunds and upgrades that the receipt doesn't
    /// contain, `latest_receipt` with the newest known receipt, and `pending_renewal_info`.
    ///
    /// A known refund or revocation appears as `cancellation_date` in `in_app` and `latest_receipt_info`, for every product type.
    ///
    /// - Parameters:
    ///   - body: The request as JSON.
    ///   - history: Evidence beyond the receipt. It is queried only for receipts that were verified and contain purchases.
    ///   - now: The response's `request_date`.
    /// - Returns: The response, with the JSON for the client and the reason for a rejection.
    public func response(
        to body: some Collection<UInt8>, evidence history: some TransactionHistory, now: Date = Date()
    ) async -> VerifyReceiptResponse {
        switch verify(body) {
        case .rejected(let rejection): rejection
        case .verified(let request): await response(to: request, evidence: history, now: now)
        }
    }

    /// A request whose receipt was verified.
    package struct VerifiedRequest: Sendable {
        fileprivate let submission: Submission
        fileprivate let members: RequestMembers

        /// The app receipt; nil for a transaction receipt.
        package var appReceipt: VerifiedReceipt? {
            if case .app(let receipt) = submission { receipt } else { nil }
        }
    }

    /// The result of verifying a request.
    package enum RequestVerification: Sendable {
        case verified(VerifiedRequest)
        case rejected(VerifyReceiptResponse)
    }

    /// Parses a request and verifies its receipt: the first part of ``response(to:evidence:now:)``.
    package func verify(_ body: some Collection<UInt8>) -> RequestVerification {
        verification { () throws(ReceiptError) in
            try verified(RequestMembers(parsing: body, limits: verifier.limits))
        }
    }

    /// Returns the response to a verified request: the second part of ``response(to:evidence:now:)``.
    package func response(
        to request: VerifiedRequest, evidence history: some TransactionHistory, now: Date = Date()
    ) async -> VerifyReceiptResponse {
        let known: CustomerEvidence
        do {
            known = try await request.submission.evidence(from: history)
        } catch {
            // A response without history could grant what was refunded. The receipt can be recorded even so.
            return VerifyReceiptResponse(
                status: .historyUnavailable, isRetryable: true, receipt: request.submission.receipt)
        }
        return response(to: request, evidence: known, now: now)
    }

    /// Returns the response to a verified request whose evidence is known.
    package func response(
        to request: VerifiedRequest, evidence: CustomerEvidence, now: Date = Date()
    ) -> VerifyReceiptResponse {
        let receipt = request.submission.receipt
        switch request.submission {
        case .app(let verified):
            let response = AppReceiptResponse(
                verified, text: request.members.receiptData, history: evidence,
                excludesOldTransactions: request.members.excludesOldTransactions, renewalInfo: renewalInfo, now: now)
            return VerifyReceiptResponse(.valid, receipt: receipt, capacity: response.capacity) {
                response.write(to: &$0)
            }
        case .transaction(let verified, let text):
            let response = TransactionReceiptResponse(verified, submitted: text, history: evidence, now: now)
            let failure = response.isExpired ? ReceiptError(.transactionReceiptSubscriptionExpired) : nil
            return VerifyReceiptResponse(
                response.isExpired ? .subscriptionExpired : .valid, failure: failure, receipt: receipt,
                capacity: response.capacity
            ) { response.write(to: &$0) }
        }
    }

    private func response(to verification: RequestVerification, now: Date) -> VerifyReceiptResponse {
        switch verification {
        case .rejected(let rejection): rejection
        case .verified(let request): response(to: request, evidence: CustomerEvidence(), now: now)
        }
    }
}

extension VerifyReceiptResponder {
    /// A verified receipt of either kind.
    fileprivate enum Submission: Sendable {
        case app(VerifiedReceipt)
        case transaction(VerifiedTransactionReceipt, text: ArraySlice<UInt8>)

        /// The receipt to record.
        var receipt: VerifyReceiptResponse.Receipt {
            switch self {
            case .app(let receipt): .app(receipt)
            case .transaction(let receipt, _): .transaction(receipt)
            }
        }

        /// Returns the known evidence about the purchases. Doesn't query the history if the receipt has no purchases.
        func evidence(from history: some TransactionHistory) async throws -> CustomerEvidence {
            switch self {
            case .app(let receipt):
                guard receipt.hasOriginals, let app = receipt.bundleIdentifier,
                    let environment = receipt.environment
                else { return CustomerEvidence() }
                let known = try await history.history(for: receipt)
                return known.isEmpty
                    ? known : known.only(app: app, environment: environment, originals: receipt.originals)
            case .transaction(let receipt, _):
                guard let original = receipt.originalTransactionIdentifier, let app = receipt.bundleIdentifier,
                    let environment = receipt.environment
                else { return CustomerEvidence() }
                return try await history.history(of: [original], app: app, environment: environment)
                    .only(app: app, environment: environment, originals: [original])
            }
        }
    }

    private func verification(
        _ verify: () throws(ReceiptError) -> RequestVerification
    ) -> RequestVerification {
        do throws(ReceiptError) {
            return try verify()
        } catch {
            return .rejected(VerifyReceiptResponse(rejecting: error))
        }
    }

    /// Verifies the receipt in a request, and compares its app and environment with those that are accepted.
    private func verified(_ request: RequestMembers) throws(ReceiptError) -> RequestVerification {
        try sharedSecret?.check(request.password)
        let anything = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        switch try SubmittedReceipt(request.receiptData, limits: verifier.limits) {
        case .app(let der):
            // Apple's endpoint returns the expiration date of a volume purchase but doesn't check it. At .distantPast none has expired.
            return try compared(.app(verifier.verify(der, expecting: anything, now: .distantPast)), in: request)
        case .transaction(let text):
            let receipt = try verifier.verifyTransactionReceipt(text, expecting: anything)
            return try compared(.transaction(receipt, text: text), in: request)
        }
    }

    /// Compares the app and environment of a verified receipt with those that are accepted.
    private func compared(
        _ submission: Submission, in request: RequestMembers
    ) throws(ReceiptError) -> RequestVerification {
        let rejection: VerifyReceiptResponse?
        switch submission {
        case .app(let receipt):
            try check(receipt.bundleIdentifier)
            rejection = environments.rejection(
                of: receipt.environment, isNamed: receipt.isEnvironmentNamed,
                isSignedByXcode: receipt.environment == .xcode && receipt.signerCertificate.role == .xcode)
        case .transaction(let receipt, _):
            try check(receipt.bundleIdentifier)
            rejection = environments.rejection(
                of: receipt.environment, isNamed: receipt.receipt.claimedEnvironment != nil)
        }
        return rejection.map { .rejected($0) }
            ?? .verified(VerifiedRequest(submission: submission, members: request))
    }

    private func check(_ bundleIdentifier: String?) throws(ReceiptError) {
        guard let accepted = bundleIdentifiers.values else { return }
        guard let bundleIdentifier else { throw ReceiptError(.bundleIdentifierMissing) }
        guard accepted.contains(where: { ExactString($0) == ExactString(bundleIdentifier) }) else {
            throw ReceiptError(.bundleIdentifierMismatch)
        }
    }
}
