import AppReceiptKit
public import AppReceiptSupport

extension UnverifiedSignedData {
    /// The claims of a token, by kind.
    public enum Claims: Sendable, Hashable {
        /// JWSTransaction.
        case transaction(TransactionClaims)
        /// JWSRenewalInfo.
        case renewalInfo(RenewalInfoClaims)
        /// JWSAppTransaction.
        case appTransaction(AppTransactionClaims)
        /// App Store Server Notifications, version 2.
        case notification(NotificationClaims)
        /// A realtime request of retention messaging.
        case realtimeRequest(RealtimeRequestClaims)
        /// The members of data of an unknown kind.
        case unrecognized(AppStoreJSON.Object)

        init(_ members: AppStoreJSON.Object, kind: SignedDataKind?) throws(ReceiptError) {
            self =
                switch kind {
                case .transaction: .transaction(try TransactionClaims(members))
                case .renewalInfo: .renewalInfo(try RenewalInfoClaims(members))
                case .appTransaction: .appTransaction(try AppTransactionClaims(members))
                case .notification: .notification(try NotificationClaims(members))
                case .realtimeRequest: .realtimeRequest(try RealtimeRequestClaims(members))
                case nil: .unrecognized(members)
                }
        }

        /// All members as written, known and unknown.
        public var members: AppStoreJSON.Object {
            switch self {
            case .transaction(let claims): claims.members
            case .renewalInfo(let claims): claims.members
            case .appTransaction(let claims): claims.members
            case .notification(let claims): claims.members
            case .realtimeRequest(let claims): claims.members
            case .unrecognized(let members): members
            }
        }

        /// The app that the claims name; nil if they name none, as in renewal information.
        package var bundleIdentifier: String? {
            switch self {
            case .transaction(let claims): claims.bundleIdentifier
            case .renewalInfo(let claims): claims.bundleIdentifier
            case .appTransaction(let claims): claims.bundleIdentifier
            case .notification(let claims): claims.bundleIdentifier
            case .realtimeRequest(let claims): claims.bundleIdentifier
            case .unrecognized(let members): members["bundleId"]?.string
            }
        }
    }
}
