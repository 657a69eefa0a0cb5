#if Server
import AppReceiptSupport
import AppStoreSignedData

extension EvidenceInput {
    /// Whether the content is in a request to this server.
    var isServerRequest: Bool {
        enclosingObjects.contains { $0["receipt"]?.string != nil || $0["token"]?.string != nil } || !options.isEmpty
    }

    /// Whether the content is in a request to verifyReceipt that excludes old transactions.
    var excludesOldTransactions: Bool {
        enclosingObjects.contains { $0["exclude-old-transactions"]?.boolean == true }
    }
}
#endif
