import AppReceiptKit
import AppStoreSignedData
import VerifyReceipt

/// A history that returns the same evidence for every receipt.
struct StubHistory: TransactionHistory {
    let history: CustomerEvidence

    func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) async throws -> CustomerEvidence { history }
}
