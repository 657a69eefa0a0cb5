import AppReceiptKit
import VerifyReceipt

/// A history that returns the same evidence for every receipt.
struct StubHistory: TransactionHistory {
    let history: CustomerHistory

    func history(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws -> CustomerHistory { history }
}
