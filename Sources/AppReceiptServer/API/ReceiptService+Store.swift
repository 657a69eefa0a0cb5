#if Server
import AppReceiptKit
import AppStoreSignedData
import Hummingbird
import Logging
import VerifyReceipt

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Whether purchases of an environment are stored.
    func storesPurchases(of environment: ReceiptEnvironment.Base?) -> Bool {
        environment.map { $0 != .xcode && configuration.environments.contains($0) } ?? false
    }

    /// The evidence about the purchases in a receipt: the receipt's own, and the stored evidence.
    func ledger(of receipt: VerifiedReceipt, logger: Logger) async throws(StoreError) -> PurchaseLedger {
        let originals = receipt.originals
        let app = receipt.receipt.bundleIdentifier ?? ""
        var history = CustomerHistory()
        if let environment = receipt.environment, storesPurchases(of: environment) {
            history = try await LoggedHistory(store: store, logger: logger)
                .storedHistory(of: originals, app: app, environment: environment)
        }
        return PurchaseLedger(
            bundleIdentifier: app, environment: receipt.environment, receipts: history.receipts,
            ownEvidence: [receipt.evidence], transactions: history.transactions, renewals: history.renewals,
            originals: originals)
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
