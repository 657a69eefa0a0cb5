#if Server
import AppReceiptKit
import Logging
import VerifyReceipt

/// The store's history. Logs failures and skipped rows, because the response doesn't contain them.
struct LoggedHistory: TransactionHistory {
    let store: TransactionStore
    let logger: Logger

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

    /// Reads the history, and logs skipped rows but no failure: the caller reports that.
    func storedHistory(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws(StoreError) -> CustomerHistory {
        let skipped = store.skippedRows
        let history = try await store.history(of: originals, app: app, environment: environment)
        if store.skippedRows > skipped {
            logger.warning("Stored rows that don't verify under the current roots were skipped")
        }
        return history
    }
}
#endif
