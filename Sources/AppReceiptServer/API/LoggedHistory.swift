#if Server
import AppReceiptKit
import AppReceiptSupport
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

/// The store's history for one request, completed by the App Store. Logs failures and skipped rows, because the response doesn't contain
/// them.
@available(AppReceiptServer 1.0, *)
struct LoggedHistory: TransactionHistory {
    let store: TransactionStore
    /// Completes the store; nil if the App Store isn't asked.
    let completion: AppStoreCompletion?
    let logger: Logger

    private let isPartial = LockedValueBox(false)

    init(store: TransactionStore, completion: AppStoreCompletion?, logger: Logger) {
        self.store = store
        self.completion = completion
        self.logger = logger
    }

    /// Marks the response if the App Store hasn't answered completely yet.
    func mark(_ response: inout Response) {
        if isPartial.withLock({ $0 }) { response.headers[.evidence] = "partial" }
    }

    func history(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws -> CustomerHistory {
        do throws(StoreError) {
            return try await storedHistory(of: originals, app: app, environment: environment)
        } catch {
            logger.databaseFailed(error)
            throw error
        }
    }

    /// Completes and reads the history, and logs skipped rows but no failure: the caller reports that.
    func storedHistory(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws(StoreError) -> CustomerHistory {
        if let completion, let scope = AppScope(app: app, environment), await !completion.complete(originals, scope) {
            isPartial.withLock { $0 = true }
        }
        let skipped = store.skippedRows
        let history = try await store.history(of: originals, app: app, environment: environment)
        if store.skippedRows > skipped {
            logger.warning("Stored rows that don't verify under the current roots were skipped")
        }
        return history
    }
}
#endif
