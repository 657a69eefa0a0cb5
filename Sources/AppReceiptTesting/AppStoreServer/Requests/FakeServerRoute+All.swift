import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerRoute {
    /// The endpoints of the fake.
    static let all: [FakeServerRoute] = [
        .init(.transaction, "GET", "inApps/v1/transactions/*") { try $0.transactionInfo($1) },
        .init(.history, "GET", "inApps/v2/history/*") { try $0.history($1, version: 2) },
        .init(.historyV1, "GET", "inApps/v1/history/*") { try $0.history($1, version: 1) },
        .init(.statuses, "GET", "inApps/v1/subscriptions/*") { try $0.statuses($1) },
        .init(.refunds, "GET", "inApps/v2/refund/lookup/*") { try $0.refunds($1) },
        .init(.refundsV1, "GET", "inApps/v1/refund/lookup/*") { try $0.allRefunds($1) },
        .init(.order, "GET", "inApps/v1/lookup/*") { try $0.order($1) },
        .init(.appTransaction, "GET", "inApps/v1/transactions/appTransactions/*") { try $0.appTransaction($1) },
        .init(.finish, "POST", "inApps/v1/transactions/*/finish") { try $0.finish($1) },
        .init(.appAccountToken, "PUT", "inApps/v1/transactions/*/appAccountToken") { try $0.setAppAccountToken($1) },
        .init(.consumption, "PUT", "inApps/v2/transactions/consumption/*") { try $0.consumption($1, version: 2) },
        .init(.consumptionV1, "PUT", "inApps/v1/transactions/consumption/*") { try $0.consumption($1, version: 1) },
        .init(.massExtend, "POST", "inApps/v1/subscriptions/extend/mass") { try $0.extendAll($1) },
        .init(.massExtendStatus, "GET", "inApps/v1/subscriptions/extend/mass/*/*") { try $0.massExtension($1) },
        .init(.extend, "PUT", "inApps/v1/subscriptions/extend/*") { try $0.extend($1) },
        .init(.testNotification, "POST", "inApps/v1/notifications/test") { try $0.requestTestNotification($1) },
        .init(.testNotificationStatus, "GET", "inApps/v1/notifications/test/*") { try $0.testNotification($1) },
        .init(.groups, "GET", "groups/v1/currentGroups/*", onlyInSandbox: true) { try $0.groups($1) },
        .init(.groupMembers, "GET", "groups/v1/group/*", onlyInSandbox: true) { try $0.groupMembers($1) },
        .init(.seats, "GET", "groups/v1/transactions/*/seats", onlyInSandbox: true) { try $0.seats($1) },
        .init(.claimSeat, "POST", "groups/v1/transactions/*/seats", onlyInSandbox: true) { try $0.claimSeat($1) },
        .init(.unclaimSeat, "DELETE", "groups/v1/transactions/*/seats/*", onlyInSandbox: true) {
            try $0.unclaimSeat($1)
        },
        .init(.associateSeat, "POST", "groups/v1/transactions/*/seats/*/associate", onlyInSandbox: true) {
            try $0.associateSeat($1)
        },
        .init(.notificationHistory, "POST", "inApps/v1/notifications/history") { try $0.notificationHistory($1) },
    ]
}
