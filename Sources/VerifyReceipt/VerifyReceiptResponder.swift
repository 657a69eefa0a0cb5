public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

/// Responds to verifyReceipt requests locally.
///
/// Requests (`receipt-data`, `password`, `exclude-old-transactions`) and responses have the form of Apple's endpoint.
/// The response is computed from the verified receipt. The responder performs no I/O. The caller implements HTTP:
/// Apple's endpoint responds to a POST with HTTP status 200 and the ``VerifyReceiptResponse/body``, for every
/// ``VerifyReceiptResponse/status``.
///
/// ```swift
/// let responder = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
/// let response = responder.response(to: requestBody)
/// ```
///
/// Values that the receipt doesn't contain are left out. The response is complete for one-time purchases. Subscriptions
/// are described as of the date the receipt was signed: without later renewals, refunds and cancellations, and without
/// `pending_renewal_info`. As with Apple's endpoint, status 0 means that the receipt is genuine. It doesn't mean that
/// the receipt is for your app (unless ``bundleIdentifiers`` requires it) or for this device, or that a subscription in
/// it is active.
///
/// The steps are, in this order: parse the request (21000, 21002), compare the shared secret (21004), parse and verify
/// the receipt (21002, 21003), compare the secret of its app (21004), its app (21003) and its environment (21007,
/// 21008, 21003). If every app requires a secret, a client without any learns nothing about a receipt. Source: Apple,
/// verifyReceipt; App Store Receipts.
public struct VerifyReceiptResponder: Sendable {
    /// Verifies the receipts. Its limits also apply to the request's body.
    public let verifier: ReceiptVerifier

    /// The environments whose receipts are accepted, and the status for others.
    public let environments: Environments

    /// The secret that every request must contain, unless its app has its own; nil if none is required.
    public let sharedSecret: SharedSecret?

    /// The apps whose receipts are accepted, compared byte by byte. If any is, the caller compares `receipt.bundle_id`,
    /// as with Apple's endpoint.
    public let bundleIdentifiers: AcceptedValues<String>

    /// The particulars of some of the apps.
    public let apps: [App]

    /// The subscriptions for which responses contain an element of `pending_renewal_info`.
    public let renewalInfo: RenewalInfo

    /// Verifies signed transactions, which are accepted in place of a receipt; nil if they aren't accepted.
    public let signedData: SignedDataVerifier?

    /// The particulars of an app.
    public struct App: Sendable {
        /// The bundle identifier.
        public var bundleIdentifier: String
        /// The secrets of which a request about the app must contain one. Empty leaves the responder's.
        public var sharedSecrets: [SharedSecret]
        /// The environments whose receipts are accepted, of those of the responder; nil for all. Others get 21003.
        public var environments: Set<AppStoreEnvironment>?

        /// Creates what is particular about an app.
        public init(
            bundleIdentifier: String, sharedSecrets: [SharedSecret] = [], environments: Set<AppStoreEnvironment>? = nil
        ) {
            self.bundleIdentifier = bundleIdentifier
            self.sharedSecrets = sharedSecrets
            self.environments = environments
        }
    }

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - verifier: The verifier with the trusted roots. Trust an Xcode certificate only in tests.
    ///   - environments: Production, sandbox or both.
    ///   - sharedSecret: The required `password` of every request, including those for which Apple doesn't require it.
    ///     Default: none.
    ///   - bundleIdentifiers: The apps whose receipts are accepted; others get 21003. Default: any, as at Apple's
    ///     endpoint.
    ///   - apps: What is particular about some of the apps. Default: nothing.
    ///   - renewalInfo: The subscriptions with an element of `pending_renewal_info`. Default: those with signed renewal
    ///     information.
    ///   - signedData: Verifies signed transactions of StoreKit 2, which are accepted in place of a receipt. Pass nil
    ///     to reject them with 21002, as Apple's endpoint does. Default: one that trusts Apple's roots.
    public init(
        verifier: ReceiptVerifier, environments: Environments, sharedSecret: SharedSecret? = nil,
        bundleIdentifiers: AcceptedValues<String> = .anyBundle, apps: [App] = [], renewalInfo: RenewalInfo = .known,
        signedData: SignedDataVerifier? = SignedDataVerifier()
    ) {
        self.verifier = verifier
        self.environments = environments
        self.sharedSecret = sharedSecret
        self.bundleIdentifiers = bundleIdentifiers
        self.apps = apps
        self.renewalInfo = renewalInfo
        self.signedData = signedData
    }

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - body: The request as JSON.
    ///   - now: The response's `request_date`, and the date for which the subscription in a transaction receipt is
    ///     evaluated.
    /// - Returns: The response, with the JSON for the client and the reason for a rejection.
    public func response(to body: some Collection<UInt8>, now: Date = Date()) -> VerifyReceiptResponse {
        let body = (body as? ArraySlice<UInt8>) ?? Array(body)[...]
        return respond(at: now, hintsFrom: { membersWithWrappers(of: body) }) { () throws(ReceiptError) in
            try verified(members(of: body))
        }
    }

    /// Returns the response to a parsed request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The response's `request_date`, and the date for which the subscription in a transaction receipt is
    ///     evaluated.
    /// - Returns: The response, with the JSON for the client and the reason for a rejection.
    public func response(to request: VerifyReceiptRequest, now: Date = Date()) -> VerifyReceiptResponse {
        let members = RequestMembers(request)
        return respond(at: now, hintsFrom: { members }) { () throws(ReceiptError) in try verified(members) }
    }

    /// Returns the response to a request whose receipt was validated already, without its secret.
    package func responseWithoutSecret(
        to request: VerifyReceiptRequest, receipt: Result<VerifyReceiptResponse.Receipt, ReceiptError>, now: Date
    ) -> VerifyReceiptResponse {
        let members = RequestMembers(request)
        return respond(at: now, hintsFrom: { members }) { () throws(ReceiptError) in
            Submission(receipt: try receipt.get(), members: members, text: try members.receiptData.get())
        }
    }

    /// Returns the response to a request from the receipt and a history together: renewals, refunds and upgrades that
    /// the receipt doesn't contain, `latest_receipt` with the newest known receipt, and `pending_renewal_info`.
    ///
    /// A known refund or revocation appears as `cancellation_date` in `in_app` and `latest_receipt_info`, for every
    /// product type.
    ///
    /// - Parameters:
    ///   - body: The request as JSON.
    ///   - history: Evidence beyond the receipt. It is queried only for receipts that were verified and contain
    ///     purchases.
    ///   - now: The response's `request_date`.
    /// - Returns: The response, with the JSON for the client and the reason for a rejection.
    public func response(
        to body: some Collection<UInt8>, evidence history: some TransactionHistory, now: Date = Date()
    ) async -> VerifyReceiptResponse {
        let body = (body as? ArraySlice<UInt8>) ?? Array(body)[...]
        let submission: Submission
        do throws(Rejection) {
            submission = try accepted(hintsFrom: { membersWithWrappers(of: body) }) { () throws(ReceiptError) in
                try verified(members(of: body))
            }
        } catch {
            return error.response
        }
        let evidence: CustomerEvidence
        do {
            evidence = try await submission.evidence(from: history)
        } catch {
            // A response without history could grant what was refunded. The receipt can be recorded even so.
            return VerifyReceiptResponse(
                status: .historyUnavailable, isRetryable: true, receipt: submission.receipt,
                signedTransactions: submission.signedTransactions)
        }
        return makeResponse(to: submission, evidence: evidence, now: now)
    }

    /// Accepts or rejects what `read` returns, and responds from the receipt alone.
    private func respond(
        at now: Date, hintsFrom request: () -> RequestMembers?, _ read: () throws(ReceiptError) -> Submission
    ) -> VerifyReceiptResponse {
        do throws(Rejection) {
            let submission = try accepted(hintsFrom: request, read)
            return makeResponse(to: submission, evidence: CustomerEvidence(), now: now)
        } catch {
            return error.response
        }
    }
}

extension VerifyReceiptResponder {
    /// A request and its verified receipt.
    fileprivate struct Submission {
        let receipt: VerifyReceiptResponse.Receipt
        let members: RequestMembers
        /// The text of the receipt: base64 as Apple's endpoint reads it, or a property list; empty if it was in a
        /// wrapper.
        let text: ArraySlice<UInt8>
        /// The tokens beside a receipt; nil for none.
        var signedTransactions: VerifiedSignedTransactions?
        /// What to send instead; nil for an ordinary request.
        var hint: RequestHint?
    }

    private struct Rejection: Error {
        let response: VerifyReceiptResponse
    }

    /// Returns a submission whose app and environment are accepted.
    ///
    /// - Parameters:
    ///   - request: Returns the request, for the hint of a rejection; nil if it can't be read.
    ///   - read: Verifies it.
    private func accepted(
        hintsFrom request: () -> RequestMembers?, _ read: () throws(ReceiptError) -> Submission
    ) throws(Rejection) -> Submission {
        let submission: Submission
        do throws(ReceiptError) {
            submission = try read()
            try check(submission.receipt)
        } catch {
            let hint = RequestHint(
                for: error, in: signedData == nil ? request() : nil, limits: verifier.limits)
            throw Rejection(response: VerifyReceiptResponse(rejecting: error, hint: hint))
        }
        if let response = rejection(of: submission.receipt) { throw Rejection(response: response) }
        return submission
    }

    /// Compares the secret, and verifies the receipt in a request.
    private func verified(_ request: RequestMembers) throws(ReceiptError) -> Submission {
        try checkSecret(request.password)
        let submission = try verifiedReceipt(of: request)
        try checkSecret(request.password, of: submission.receipt)
        return submission
    }

    private func members(of body: ArraySlice<UInt8>) throws(ReceiptError) -> RequestMembers {
        try RequestMembers(parsing: body, limits: verifier.limits, acceptsWrappers: signedData != nil)
    }

    private func membersWithWrappers(of body: ArraySlice<UInt8>) -> RequestMembers? {
        try? RequestMembers(parsing: body, limits: verifier.limits, acceptsWrappers: true)
    }

    private func verifiedReceipt(of request: RequestMembers) throws(ReceiptError) -> Submission {
        let anything = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        let submitted = try submittedReceipt(of: request)
        switch submitted.kind {
        case .app(let der):
            // Apple's endpoint returns the expiration date of a volume purchase but doesn't check it. At .distantPast
            // none has expired.
            let receipt = try verifier.verify(der, expecting: anything, now: .distantPast)
            let text = submitted.isPlain ? (try? request.receiptData.get()) ?? [] : []
            return submission(.app(receipt), text: text, in: submitted, of: request)
        case .transaction(let list):
            let receipt = try verifier.verifyTransactionReceipt(list, expecting: anything)
            return submission(.transaction(receipt), text: list, in: submitted, of: request)
        case .signedTransactions:
            guard let signedData else { throw ReceiptError(.inputSignedData) }
            let transactions = try VerifiedSignedTransactions(submitted.tokens, by: signedData)
            return submission(.signedTransactions(transactions), text: [], in: submitted, of: request)
        }
    }

    private func submittedReceipt(of request: RequestMembers) throws(ReceiptError) -> SubmittedReceipt {
        let limits = verifier.limits
        guard signedData == nil else { return try SubmittedReceipt(anywhereIn: request, limits: limits) }
        // Like Apple's endpoint, only the receipt itself.
        return try SubmittedReceipt(request.receiptData.get(), limits: limits)
    }

    /// Returns what was verified with the tokens beside it, which may have been signed later. A token isn't used if it
    /// isn't genuine, is of another app or environment, or proves no purchase.
    private func submission(
        _ receipt: VerifyReceiptResponse.Receipt, text: ArraySlice<UInt8>, in submitted: SubmittedReceipt,
        of request: RequestMembers
    ) -> Submission {
        var (receipt, beside, unused) = (receipt, nil as VerifiedSignedTransactions?, nil as ReceiptError?)
        if let signedData, !submitted.tokensBeside.isEmpty {
            (beside, unused) = VerifiedSignedTransactions.usable(
                submitted.tokensBeside, beside: receipt, by: signedData)
        }
        if case .signedTransactions(var transactions) = receipt {
            if let tokens = beside { transactions.add(tokens) }
            if transactions.omitsRenewals { unused = unused ?? ReceiptError(.signedTransactionMissing) }
            (receipt, beside) = (.signedTransactions(transactions), nil)
        }
        return Submission(
            receipt: receipt, members: request, text: text, signedTransactions: beside,
            hint: RequestHint(for: submitted, unused: unused))
    }

    private func rejection(of receipt: VerifyReceiptResponse.Receipt) -> VerifyReceiptResponse? {
        switch receipt {
        case .app(let receipt):
            environments.rejection(
                of: receipt.environment, isNamed: receipt.isEnvironmentNamed,
                isSignedByXcode: receipt.environment == .xcode && receipt.signerCertificate.role == .xcode)
        case .transaction(let receipt):
            environments.rejection(of: receipt.environment, isNamed: receipt.receipt.claimedEnvironment != nil)
        case .signedTransactions(let transactions):
            environments.rejection(
                of: transactions.environment, isNamed: transactions.isEnvironmentNamed,
                isSignedByXcode: transactions.areSignedByXcode)
        }
    }

    private func makeResponse(
        to submission: Submission, evidence: CustomerEvidence, now: Date
    ) -> VerifyReceiptResponse {
        let members = submission.members
        switch submission.receipt {
        case .app(let receipt):
            let response = AppReceiptResponse(
                receipt, text: submission.text, beside: submission.signedTransactions, history: evidence,
                excludesOldTransactions: members.excludesOldTransactions, renewalInfo: renewalInfo, now: now)
            return VerifyReceiptResponse(
                .valid, receipt: submission.receipt, signedTransactions: submission.signedTransactions,
                hint: submission.hint, capacity: response.capacity
            ) { response.write(to: &$0) }
        case .signedTransactions(let transactions):
            let response = SignedTransactionsResponse(
                transactions, history: evidence, excludesOldTransactions: members.excludesOldTransactions,
                renewalInfo: renewalInfo, now: now)
            return VerifyReceiptResponse(
                .valid, receipt: submission.receipt, hint: submission.hint, capacity: response.capacity
            ) { response.write(to: &$0) }
        case .transaction(let receipt):
            let response = TransactionReceiptResponse(
                receipt, submitted: SubmittedReceipt.propertyList(submission.text),
                beside: submission.signedTransactions, history: evidence, now: now)
            let failure = response.isExpired ? ReceiptError(.transactionReceiptSubscriptionExpired) : nil
            return VerifyReceiptResponse(
                response.isExpired ? .subscriptionExpired : .valid, failure: failure, receipt: submission.receipt,
                signedTransactions: submission.signedTransactions, hint: submission.hint, capacity: response.capacity
            ) { response.write(to: &$0) }
        }
    }

    /// Compares the app of a receipt, and the environment with those of the app.
    private func check(_ receipt: VerifyReceiptResponse.Receipt) throws(ReceiptError) {
        if let accepted = bundleIdentifiers.values {
            guard let bundleIdentifier = receipt.bundleIdentifier else { throw ReceiptError(.bundleIdentifierMissing) }
            guard accepted.contains(where: { ExactString($0) == ExactString(bundleIdentifier) }) else {
                throw ReceiptError(.bundleIdentifierMismatch)
            }
        }
        if let accepted = app(of: receipt)?.environments {
            guard let environment = receipt.environment, accepted.contains(environment) else {
                throw ReceiptError(.environmentMismatch)
            }
        }
    }

    private func app(of receipt: VerifyReceiptResponse.Receipt) -> App? {
        guard let bundleIdentifier = receipt.bundleIdentifier else { return nil }
        return apps.first { ExactString($0.bundleIdentifier) == ExactString(bundleIdentifier) }
    }

    /// Compares a password before the receipt is known: if every app requires a secret, it must be one of them.
    private func checkSecret(_ password: String?) throws(ReceiptError) {
        let own = apps.filter { !$0.sharedSecrets.isEmpty }.map { ExactString($0.bundleIdentifier) }
        let accepted = bundleIdentifiers.values ?? []
        let isEveryAppCovered = !accepted.isEmpty && accepted.allSatisfy { own.contains(ExactString($0)) }
        guard sharedSecret != nil || isEveryAppCovered else { return }
        try check(password, anyOf: apps.flatMap(\.sharedSecrets) + (sharedSecret.map { [$0] } ?? []))
    }

    /// Compares a password with the secrets of the receipt's app, or else the responder's.
    private func checkSecret(_ password: String?, of receipt: VerifyReceiptResponse.Receipt) throws(ReceiptError) {
        let own = app(of: receipt)?.sharedSecrets ?? []
        let secrets = own.isEmpty ? sharedSecret.map { [$0] } ?? [] : own
        if !secrets.isEmpty { try check(password, anyOf: secrets) }
    }

    private func check(_ password: String?, anyOf secrets: [SharedSecret]) throws(ReceiptError) {
        guard let password else { throw ReceiptError(.sharedSecretMissing) }
        // All of them are compared, each in constant time.
        guard !secrets.filter({ $0.matches(password) }).isEmpty else { throw ReceiptError(.sharedSecretMismatch) }
    }
}

extension VerifyReceiptResponder.Submission {
    /// Returns the known evidence about the purchases. Doesn't query the history if there are none.
    fileprivate func evidence(from history: some TransactionHistory) async throws -> CustomerEvidence {
        guard let app = receipt.bundleIdentifier, let environment = receipt.environment else {
            return CustomerEvidence()
        }
        func known(of originals: Set<String>) async throws -> CustomerEvidence {
            guard !originals.isEmpty else { return CustomerEvidence() }
            return try await history.history(of: originals, app: app, environment: environment)
                .only(app: app, environment: environment, originals: originals)
        }
        switch receipt {
        case .app(let receipt):
            if let beside = signedTransactions?.evidence {
                return try await known(of: receipt.originals.union(beside.originals))
            }
            guard receipt.hasOriginals else { return CustomerEvidence() }
            let known = try await history.history(for: receipt)
            return known.isEmpty
                ? known : known.only(app: app, environment: environment, originals: receipt.originals)
        case .transaction, .signedTransactions: return try await known(of: receipt.originals)
        }
    }
}
