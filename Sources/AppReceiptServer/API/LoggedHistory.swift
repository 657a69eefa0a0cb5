#if Server
import AppReceiptKit
import Logging
import VerifyReceipt

/// The store's history. Logs failures and skipped rows, because an answer doesn't state them.
struct LoggedHistory: TransactionHistory {
    let store: TransactionStore
    let logger: Logger

    func history(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws -> CustomerHistory {
        let skipped = store.skippedRows
        do {
            let history = try await store.history(of: originals, app: app, environment: environment)
            if store.skippedRows > skipped {
                logger.warning("Stored rows that don't verify under the current roots were skipped")
            }
            return history
        } catch {
            logger.databaseFailed(error)
            throw error
        }
    }
}

extension Logger {
    /// Logs a failure of the database, without the data in question.
    func databaseFailed(_ error: any Error) { self.error("The database failed", metadata: ["error": "\(error)"]) }
}
#endif
