import AppStoreSignedData
import AppReceiptKit
import VerifyReceipt

/// A history that returns the same evidence for every receipt.
struct StubHistory: TransactionHistory {
    let history: CustomerEvidence

    func history(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws -> CustomerEvidence { history }
}
