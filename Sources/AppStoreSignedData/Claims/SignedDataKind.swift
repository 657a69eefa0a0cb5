import AppReceiptKit
import AppReceiptSupport

/// The kinds of signed data.
public enum SignedDataKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// JWSTransaction.
    case transaction
    /// JWSRenewalInfo.
    case renewalInfo = "renewal-info"
    /// JWSAppTransaction.
    case appTransaction = "app-transaction"
    /// App Store Server Notifications, version 2.
    case notification

    /// The kind that the members indicate. If they don't indicate one, as in minimal test data of Apple's libraries, data with a bundle
    /// identifier is a transaction and data with an environment is renewal information.
    init?(of members: JSONObject) {
        guard !Self.isUnsupported(members) else { return nil }
        let evident = Self.kinds(matching: members)
        if let kind = evident.first {
            guard evident.count == 1 else { return nil }
            self = kind
        } else {
            guard members["environment"] != nil, members["signedDate"] != nil else { return nil }
            self = members["bundleId"] != nil ? .transaction : .renewalInfo
        }
    }

    /// Whether the members are those of other data that the App Store signs, which isn't supported: retention messaging requests have most
    /// members of renewal information, with another meaning.
    static func isUnsupported(_ members: JSONObject) -> Bool {
        members["userLocale"] != nil || members["requestIdentifier"] != nil
    }

    /// The kinds whose specific members are present.
    static func kinds(matching members: JSONObject) -> [SignedDataKind] {
        let kinds: [any ReadableClaims.Type] = [
            TransactionClaims.self, RenewalInfoClaims.self, AppTransactionClaims.self, NotificationClaims.self,
        ]
        return kinds.filter { $0.matches(members) }.map { $0.kind }
    }

    /// The name in sentences.
    var nameWithArticle: String {
        switch self {
        case .transaction: "a transaction"
        case .renewalInfo: "renewal information"
        case .appTransaction: "an app transaction"
        case .notification: "a notification"
        }
    }
}
