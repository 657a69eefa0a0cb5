#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird
import Logging
import VerifyReceipt

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Whether purchases of an environment are stored.
    func storesPurchases(of environment: AppStoreEnvironment?) -> Bool {
        environment.map { $0 != .xcode && configuration.servedEnvironments.contains($0) } ?? false
    }

    /// The source of a request's notification: forwarded if a webhook of its app does so, whichever request
    /// or pass of the catch-up has it first.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - body: The notification as it was received; nil for the body with which Apple sends it. Members other than
    ///     the token aren't signed, so a body that has some isn't forwarded as it is.
    func source(ofNotificationOf app: String?, body: [UInt8]?) -> EvidenceSource {
        guard configuration.app(named: app)?.forwardsNotifications == true else { return .client }
        let members = body.flatMap { try? AppStoreJSON(parsing: $0[...]) }?.object?.members
        return .forwarded(body: members?.count == 1 ? body : nil)
    }

    /// The history for one request.
    func history(for context: ServerContext) -> RequestHistory {
        RequestHistory(
            store: store, completion: completion, databaseFailures: databaseFailures, tracing: tracing,
            logger: context.logger)
    }

    /// The ledger of the purchases in a receipt: its own evidence, what was submitted with it, and the stored evidence.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - others: Evidence of the same app and environment that was submitted with it.
    ///   - history: The history for the request.
    func ledger(
        ofReceipt receipt: VerifiedReceipt, beside others: CustomerEvidence, history: RequestHistory
    ) async throws(StoreError) -> PurchaseLedger {
        let (own, isStored) = (receipt.evidence, storesPurchases(of: receipt.environment))
        guard !others.isEmpty else {
            let known = isStored ? try await history.evidence(beside: receipt) : CustomerEvidence()
            guard !known.isEmpty else { return PurchaseLedger(environment: receipt.environment, receipts: [own]) }
            return PurchaseLedger(
                known, app: receipt.bundleIdentifier ?? "", environment: receipt.environment, ownEvidence: [own],
                originals: receipt.originals)
        }
        let (app, originals) = (receipt.bundleIdentifier ?? "", receipt.originals.union(others.originals))
        var known = CustomerEvidence()
        if isStored, let environment = receipt.environment {
            known = try await history.evidence(of: originals, app: app, environment: environment)
        }
        known.add(others)
        return PurchaseLedger(
            known, app: app, environment: receipt.environment, ownEvidence: [own], originals: originals)
    }

    /// The ledger of the purchase in a transaction receipt: its own evidence, what was submitted with it, and the
    /// stored evidence.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - others: Evidence of the same app and environment that was submitted with it.
    ///   - history: The history for the request.
    func ledger(
        ofTransactionReceipt receipt: VerifiedTransactionReceipt, beside others: CustomerEvidence,
        history: RequestHistory
    ) async throws(StoreError) -> PurchaseLedger {
        let app = receipt.bundleIdentifier ?? ""
        var originals = others.originals
        if let original = receipt.originalTransactionIdentifier { originals.insert(original) }
        var known = CustomerEvidence()
        if !originals.isEmpty, let environment = receipt.environment, storesPurchases(of: environment) {
            known = try await history.evidence(of: originals, app: app, environment: environment)
        }
        known.add(others)
        known.transactionReceipts.append(receipt)
        return PurchaseLedger(
            known, app: app, environment: receipt.environment, originals: originals.isEmpty ? nil : originals)
    }

    /// The ledger of the purchase in signed data: its own evidence and the stored evidence. Nil if the data doesn't
    /// prove a purchase and its app isn't known.
    ///
    /// - Parameters:
    ///   - data: The verified data.
    ///   - expectations: The expectations that the data met. Their app is that of renewal information, which names
    ///     none.
    ///   - history: The history for the request.
    func ledger(
        ofSignedData data: VerifiedSignedData, expecting expectations: SignedDataExpectations, history: RequestHistory
    ) async throws(StoreError) -> PurchaseLedger? {
        let expected = expectations.bundleIdentifier.single
        let (transaction, renewal) = (data.transaction, data.renewalInfo)
        guard let environment = transaction?.environment ?? renewal?.environment,
            let app = transaction?.claims.bundleIdentifier ?? expected,
            let original = transaction?.original ?? renewal?.claims.originalTransactionIdentifier
        else { return nil }
        var known = CustomerEvidence()
        if storesPurchases(of: environment) {
            known = try await history.evidence(
                of: [original], app: app, environment: environment,
                signedDate: transaction?.signedDate ?? renewal?.signedDate)
        }
        known.add(data)
        return PurchaseLedger(known, app: app, environment: environment, originals: [original])
    }

    /// Reads the evidence before `record` and, if there is too much, again after it: what is recorded replaces older
    /// evidence.
    ///
    /// - Parameters:
    ///   - read: Reads the evidence.
    ///   - record: Records evidence.
    /// - Returns: What `read` and `record` returned.
    func read<Evidence, Recorded>(
        _ read: () async throws(StoreError) -> Evidence, thenRecord record: () async throws -> Recorded
    ) async throws -> (Evidence, Recorded) {
        let evidence: Evidence
        do throws(StoreError) {
            evidence = try await read()
        } catch {
            guard error == .tooMuchEvidence else { throw error }
            let recorded = try await record()
            return (try await read(), recorded)
        }
        return (evidence, try await record())
    }

    /// Logs why a receipt or token in a request isn't valid, the same reason at most once a minute.
    ///
    /// - Parameters:
    ///   - code: The code of the reason; nil if it is valid.
    ///   - context: The context of the request.
    func logRejection(_ code: String?, in context: ServerContext) {
        guard let code else { return }
        rejections.log(
            "Evidence rejected", metadata: ["code": "\(code)", "route": "\(context.endpointPath ?? "none")"],
            logger: context.logger)
    }

    /// Records a receipt, unless its purchases aren't stored.
    func record(
        _ receipt: VerifiedReceipt, after history: RequestHistory, in context: ServerContext
    ) async throws -> RecordResult {
        guard receipt.hasOriginals, storesPurchases(of: receipt.environment) else { return .notStored }
        return try await record(CustomerEvidence(receipts: [receipt]), after: history, in: context)
    }

    /// Binds the purchase in a transaction receipt to the account, unless its environment isn't stored.
    func record(_ receipt: VerifiedTransactionReceipt, in context: ServerContext) async throws -> RecordResult {
        guard storesPurchases(of: receipt.environment) else { return .notStored }
        return try await record(CustomerEvidence(transactionReceipts: [receipt]), in: context)
    }

    /// Records signed transactions that were submitted in place of a receipt or beside one, unless their environment
    /// isn't stored.
    func record(_ transactions: VerifiedSignedTransactions, in context: ServerContext) async throws -> RecordResult {
        guard storesPurchases(of: transactions.environment), !transactions.evidence.isEmpty else { return .notStored }
        return try await record(
            transactions.evidence, app: .trusted(transactions.bundleIdentifier), in: context)
    }

    /// Warns once if the clock is behind what Apple signed. The entitlements don't depend on it: their date is never
    /// before the newest one that Apple signed.
    private func compareClock(with evidence: CustomerEvidence, logger: Logger) {
        guard let newest = evidence.newestSignedDate, let seconds = metrics.recordClock(Date(), behind: newest) else {
            return
        }
        logger.warning(
            "The clock is behind dates that Apple signed. Synchronize it.",
            metadata: ["seconds": "\(Int(min(seconds, 1e9)))"])
    }

    /// Records evidence for the account of the request, and counts and logs purchases that belong to another account.
    ///
    /// - Parameters:
    ///   - evidence: The evidence.
    ///   - app: The app of the renewal information; nil if there is none.
    ///   - source: Where it comes from.
    ///   - history: The history that was read for the request; nil if none was.
    ///   - context: The context of the request.
    /// - Throws: `OverloadError` if too many writes are waiting, or `StoreError`.
    @discardableResult
    func record(
        _ evidence: CustomerEvidence, app: RenewalApp? = nil, from source: EvidenceSource = .client,
        after history: RequestHistory? = nil, in context: ServerContext
    ) async throws -> RecordResult {
        compareClock(with: evidence, logger: context.logger)
        let recorded: RecordResult
        do throws(StoreError) {
            recorded = try await tracing.span(.storeWrite) { () throws(StoreError) in
                if context.account == nil, let history, history.hasRecorded(evidence) { return .known }
                // The store reads and verifies what notifications are about, which would block an event loop.
                return evidence.notifications.isEmpty
                    ? try await store.record(evidence, account: context.account, app: app, from: source)
                    : try await onVerificationExecutor { () throws(StoreError) in
                        try await store.record(evidence, account: context.account, app: app, from: source)
                    }
            }
        } catch {
            guard error == .busy else { throw error }
            throw admission.rejection(of: .database)
        }
        // Otherwise, the database wasn't asked.
        if recorded.isStored { databaseFailures.log(recorded.isNew ? .write : .read, logger: logger) }
        if !recorded.replays.isEmpty {
            metrics.countReplays(recorded.replays.count)
            rejections.log("Purchases of another account were submitted", metadata: [:], logger: context.logger)
        }
        return recorded
    }
}
#endif
