/// An endpoint of the App Store Server API, for which Apple limits the number of requests.
@available(AppStoreServerAPI 1.0, *)
enum AppStoreServerEndpoint: Sendable, Hashable, CaseIterable {
    case transaction, history, subscriptionStatuses, refunds, order, appTransaction
    case finish, appAccountToken, consumption
    case extend, massExtend, massExtendStatus
    case testNotification, testNotificationStatus, notificationHistory
    case customerGroups, groupMembers, seats, claimSeat, unclaimSeat, associateSeat

    /// The number of requests that Apple documents for each second and app in production. Where Apple documents none, a cautious one.
    var requestsPerSecond: Double {
        switch self {
        case .transaction, .history, .subscriptionStatuses, .appTransaction, .finish, .consumption,
            .notificationHistory:
            50
        case .appAccountToken, .extend: 20
        case .refunds, .order: 10
        case .massExtend, .testNotification, .testNotificationStatus: 1
        case .massExtendStatus, .customerGroups, .groupMembers, .seats, .claimSeat, .unclaimSeat,
            .associateSeat:
            10
        }
    }

    /// Whether a request changes something at the App Store.
    var changesSomething: Bool {
        switch self {
        case .finish, .appAccountToken, .consumption, .extend, .massExtend, .testNotification,
            .claimSeat, .unclaimSeat, .associateSeat:
            true
        default: false
        }
    }

    /// The members that Apple documents for the response. All of them are optional, but a response that has none isn't one of this endpoint.
    ///
    /// Empty for endpoints without a response, and for those that require a member.
    var documentedMembers: [String] {
        switch self {
        case .history:
            ["signedTransactions", "revision", "hasMore", "environment", "bundleId", "appAppleId"]
        case .subscriptionStatuses: ["data", "environment", "bundleId", "appAppleId"]
        case .refunds: ["signedTransactions", "revision", "hasMore"]
        case .order: ["signedTransactions", "status"]
        case .notificationHistory: ["notificationHistory", "hasMore", "paginationToken"]
        case .massExtend: ["requestIdentifier"]
        case .massExtendStatus: ["requestIdentifier", "complete", "completeDate", "succeededCount", "failedCount"]
        case .customerGroups: ["groups"]
        case .groupMembers: ["members", "hasMore", "paginationToken"]
        case .seats: ["totalSeatCount", "availableSeatCount", "assignedSeatClaimIds"]
        case .transaction, .appTransaction, .finish, .appAccountToken, .consumption, .extend,
            .testNotification, .testNotificationStatus, .claimSeat, .unclaimSeat, .associateSeat:
            []
        }
    }

    /// Whether sending the same request twice has the same result as sending it once. Apple doesn't document that for extensions of all
    /// subscriptions.
    var isSafeToRepeat: Bool { self != .testNotification && self != .massExtend }
}
