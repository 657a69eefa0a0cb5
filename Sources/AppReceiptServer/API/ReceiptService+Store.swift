#if Server
import AppReceiptKit
import AppStoreSignedData
import Hummingbird
import Logging
import VerifyReceipt

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Whether purchases of an environment are stored.
    func storesPurchases(of environment: AppStoreEnvironment?) -> Bool {
        environment.map { $0 != .xcode && configuration.environments.contains($0) } ?? false
    }

    /// The history for one request.
    func history(_ logger: Logger) -> LoggedHistory {
        LoggedHistory(store: store, completion: completion, logger: logger)
    }

    /// Whether there is no evidence about the purchases in a receipt beside the receipt, if that is known without reading the database or asking
    /// the App Store.
    func isKnownToBeOnlyEvidence(_ receipt: VerifiedReceipt) -> Bool {
        completion == nil && store.containsNothing(beside: receipt)
    }

    /// The evidence about the purchases in a receipt: the receipt's own, and the stored evidence.
    func ledger(
        of receipt: VerifiedReceipt, evidence own: PurchaseLedger.ReceiptEvidence, stored: LoggedHistory
    ) async throws(StoreError) -> PurchaseLedger {
        guard let environment = receipt.environment, storesPurchases(of: environment) else {
            return PurchaseLedger(environment: receipt.environment, receipts: [own])
        }
        let history = try await stored.storedHistory(for: receipt)
        return PurchaseLedger(
            history, app: receipt.bundleIdentifier ?? "", environment: environment, ownEvidence: [own],
            originals: receipt.originals)
    }

    /// The evidence about the purchase in a transaction receipt: the receipt's own, and the stored evidence.
    func ledger(
        of receipt: VerifiedTransactionReceipt, stored: LoggedHistory
    ) async throws(StoreError) -> PurchaseLedger {
        var history = CustomerEvidence()
        if let app = receipt.bundleIdentifier, let original = receipt.originalTransactionIdentifier,
            let environment = receipt.environment, storesPurchases(of: environment)
        {
            history = try await stored.storedHistory(of: [original], app: app, environment: environment)
        }
        history.transactionReceipts.append(receipt)
        return PurchaseLedger(
            history, app: receipt.bundleIdentifier ?? "", environment: receipt.environment,
            originals: receipt.originalTransactionIdentifier.map { [$0] })
    }

    /// The evidence about the purchase in signed data: the data's own, and the stored evidence. Nil if the data doesn't prove a purchase and
    /// its app isn't known.
    ///
    /// - Parameters:
    ///   - data: The verified data.
    ///   - expectations: The expectations that the data met. Their app is that of renewal information, which names none.
    ///   - stored: The history for the request.
    func ledger(
        of data: VerifiedSignedData, expecting expectations: SignedDataExpectations, _ stored: LoggedHistory
    ) async throws(StoreError) -> PurchaseLedger? {
        let expected: String? = if case .identifier(let app) = expectations.bundleIdentifier { app } else { nil }
        let (transaction, renewal) = (data.transaction, data.renewalInfo)
        guard let environment = transaction?.environment ?? renewal?.environment,
            let app = transaction?.claims.bundleIdentifier ?? expected,
            let original = transaction?.original ?? renewal?.claims.originalTransactionIdentifier
        else { return nil }
        var history = CustomerEvidence()
        if storesPurchases(of: environment) {
            history = try await stored.storedHistory(
                of: [original], app: app, environment: environment,
                signedDate: transaction?.signedDate ?? renewal?.signedDate)
        }
        history.add(data)
        return PurchaseLedger(history, app: app, environment: environment, originals: [original])
    }

    /// Reads the evidence before `record` and, if there is too much, again after it: what is recorded replaces older evidence.
    ///
    /// - Parameters:
    ///   - read: Reads the evidence.
    ///   - record: Records evidence.
    /// - Returns: What `read` returned.
    func ledger<Ledger>(
        _ read: () async throws(StoreError) -> Ledger, recording record: () async throws -> Void
    ) async throws -> Ledger {
        var ledger: Ledger?
        do throws(StoreError) {
            ledger = try await read()
        } catch {
            guard error == .tooMuchEvidence else { throw error }
        }
        try await record()
        return if let ledger { ledger } else { try await read() }
    }

    /// Whether a receipt was recorded recently without replays, or has no purchases that are stored. Doesn't read the database, but checks that
    /// its files are in place.
    func hasRecorded(_ receipt: VerifiedReceipt, in context: ServerContext) throws(StoreError) -> Bool {
        guard receipt.hasOriginals, storesPurchases(of: receipt.environment) else { return true }
        return try store.hasRecorded(receipt, account: context.account)
    }

    /// Records a receipt, unless its purchases aren't stored.
    ///
    /// - Returns: The purchases that belong to another account.
    func record(_ receipt: VerifiedReceipt, in context: ServerContext) async throws -> [RecordResult.Replay] {
        if try hasRecorded(receipt, in: context) { return [] }
        return try await record(in: context) { () throws(StoreError) in
            try await store.record(receipt, account: context.account)
        }.replays
    }

    /// Binds the purchase in a transaction receipt to the account, unless its environment isn't stored.
    ///
    /// - Returns: The purchases that belong to another account.
    func record(
        _ receipt: VerifiedTransactionReceipt, in context: ServerContext
    ) async throws -> [RecordResult.Replay] {
        guard storesPurchases(of: receipt.environment) else { return [] }
        return try await record(in: context) { () throws(StoreError) in
            try await store.record(receipt, account: context.account)
        }.replays
    }

    /// Records evidence, and counts and logs purchases that belong to another account.
    ///
    /// - Parameters:
    ///   - context: The context of the request.
    ///   - write: Writes to the store.
    /// - Throws: `OverloadError` if too many writes are waiting, or `StoreError`.
    @discardableResult
    func record(
        in context: ServerContext, write: () async throws(StoreError) -> RecordResult
    ) async throws -> RecordResult {
        let recorded: RecordResult
        do throws(StoreError) {
            recorded = try await write()
        } catch {
            guard error == .busy else { throw error }
            throw admission.rejection(.database)
        }
        if !recorded.replays.isEmpty {
            metrics.replays(recorded.replays.count)
            context.logger.warning(
                "Purchases of another account were submitted", metadata: ["purchases": "\(recorded.replays.count)"])
        }
        return recorded
    }
}
#endif
