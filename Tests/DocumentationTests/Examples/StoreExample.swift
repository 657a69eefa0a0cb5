#if Server
import AppReceiptKit
import AppReceiptStore
import AppStoreSignedData

func openEvidence() throws -> SQLiteStore {
    try SQLiteStore(
        path: "/var/lib/receipts/evidence.sqlite", receipts: ReceiptVerifier(), signedData: SignedDataVerifier())
}

/// Records a receipt of a signed-in customer, and returns whether all purchases in it are this customer's.
func record(_ receipt: VerifiedReceipt, of account: String, in evidence: SQLiteStore) async throws -> Bool {
    try await evidence.record(CustomerEvidence(receipts: [receipt]), account: account).replays.isEmpty
}
#endif
