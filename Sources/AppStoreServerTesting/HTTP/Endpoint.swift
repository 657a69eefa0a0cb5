import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// An endpoint of the App Store Server API.
    public enum Endpoint: String, Sendable, Hashable, CaseIterable {
        /// Get Transaction Info.
        case transaction
        /// Get Transaction History.
        case history
        /// Get All Subscription Statuses.
        case statuses
        /// Get Refund History.
        case refunds
        /// Look Up Order ID.
        case order
        /// Get App Transaction Info.
        case appTransaction = "app-transaction"
        /// Finish Transaction.
        case finish
        /// Set App Account Token.
        case appAccountToken = "app-account-token"
        /// Send Consumption Information.
        case consumption
        /// Extend a Subscription Renewal Date.
        case extend
        /// Extend Subscription Renewal Dates for All Active Subscribers.
        case massExtend = "mass-extend"
        /// Get Status of Subscription Renewal Date Extensions.
        case massExtendStatus = "mass-extend-status"
        /// Request a Test Notification.
        case testNotification = "test-notification"
        /// Get Test Notification Status.
        case testNotificationStatus = "test-notification-status"
        /// Get Notification History.
        case notificationHistory = "notification-history"
        /// Get Customer Groups, in the sandbox only.
        case groups
        /// Get Group Members, in the sandbox only.
        case groupMembers = "group-members"
        /// Get Seat Info, in the sandbox only.
        case seats
        /// Claim Seat, in the sandbox only.
        case claimSeat = "claim-seat"
        /// Unclaim Seat, in the sandbox only.
        case unclaimSeat = "unclaim-seat"
        /// Associate Seat, in the sandbox only.
        case associateSeat = "associate-seat"
    }

    /// An environment with a server.
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        /// The App Store.
        case production = "Production"
        /// The sandbox.
        case sandbox = "Sandbox"

        /// The claim of signed data.
        var claim: SignedDataEnvironment { SignedDataEnvironment(rawValue: rawValue) }
    }

    /// A request that the fake received, and how it was answered.
    public struct ReceivedRequest: Sendable, Hashable {
        /// The endpoint; nil if there is none at the path.
        public let endpoint: Endpoint?
        /// The environment.
        public let environment: Environment
        /// The HTTP method.
        public let method: String
        /// The path as written, without host and `/sandbox`.
        public let path: String
        /// The values of each query parameter.
        public let query: [String: [String]]
        /// The body; nil for none.
        public let body: [UInt8]?
        /// The reason for 401; nil if the token is valid.
        public let authorizationFailure: AuthorizationFailure?
        /// The fault that was injected.
        public let fault: Fault?
        /// The HTTP status; nil if the connection was cut.
        public let status: Int?
    }
}
