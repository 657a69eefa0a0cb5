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
    /// A realtime request of retention messaging.
    case realtimeRequest = "realtime-request"

    /// The kind that the members indicate. If they don't indicate one, as in minimal test data of Apple's libraries,
    /// data with a bundle identifier is a transaction and data with an environment is renewal information.
    init?(of members: AppStoreJSON.Object) {
        let evident = Self.kinds(matching: members)
        if let kind = evident.first {
            guard evident.count == 1 else { return nil }
            self = kind
        } else {
            guard members["environment"] != nil, members["signedDate"] != nil else { return nil }
            self = members["bundleId"] != nil ? .transaction : .renewalInfo
        }
    }

    /// Returns the kinds whose specific members are present.
    static func kinds(matching members: AppStoreJSON.Object) -> [SignedDataKind] {
        // Realtime requests have most members of renewal information, with another meaning.
        if RealtimeRequestClaims.matches(members) { return [.realtimeRequest] }
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
        case .realtimeRequest: "a realtime request"
        }
    }
}
