#if Server
import AppReceiptKit
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

extension EvidenceInput.Item {
    /// The app that a receipt claims to be for; nil if it can't be read, and for a token.
    var claimedBundleIdentifier: String? {
        switch self {
        case .receipt(let source): (try? AppReceipt(parsing: source))?.bundleIdentifier
        case .transactionReceipt(let list): (try? TransactionReceipt(parsing: list))?.bundleIdentifier
        case .token: nil
        }
    }
}
#endif
