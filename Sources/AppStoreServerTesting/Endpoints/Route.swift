import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI

/// An endpoint's method, path and function.
@available(AppStoreServerAPI 1.0, *)
struct Route {
    typealias Handler = @Sendable (inout State, Call) throws -> Answer

    let endpoint: FakeAppStoreServer.Endpoint
    let method: String
    /// The segments of the path; nil for a placeholder.
    let pattern: [String?]
    let handler: Handler

    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - address: The method, and the path with `*` for a placeholder.
    ///   - onlyInSandbox: Whether production doesn't have the endpoint.
    ///   - handler: Answers a request.
    init(
        _ endpoint: FakeAppStoreServer.Endpoint, at address: String, onlyInSandbox: Bool = false,
        handler: @escaping Handler
    ) {
        let words = address.split(separator: " ")
        self.endpoint = endpoint
        method = words.first.map { String($0) } ?? ""
        pattern = (words.last ?? "").split(separator: "/").map { $0 == "*" ? nil : String($0) }
        self.handler = { state, call in
            guard !onlyInSandbox || call.scope.environment == .sandbox else { return Answer(status: 404) }
            return try handler(&state, call)
        }
    }

    /// Returns the values of the placeholders, or nil if the path doesn't match.
    func arguments(in segments: [String]) -> [String]? {
        guard segments.count == pattern.count else { return nil }
        var arguments: [String] = []
        for (segment, part) in zip(segments, pattern) {
            if let part {
                guard segment == part else { return nil }
            } else {
                arguments.append(segment)
            }
        }
        return arguments
    }

    /// The endpoints of the fake.
    static let all: [Route] = [
        Route(.transaction, at: "GET inApps/v1/transactions/*") { try $0.transactionInfo($1) },
        Route(.history, at: "GET inApps/v2/history/*") { try $0.history($1) },
        Route(.statuses, at: "GET inApps/v1/subscriptions/*") { try $0.statuses($1) },
        Route(.refunds, at: "GET inApps/v2/refund/lookup/*") { try $0.refunds($1) },
        Route(.order, at: "GET inApps/v1/lookup/*") { try $0.order($1) },
        Route(.appTransaction, at: "GET inApps/v1/transactions/appTransactions/*") { try $0.appTransaction($1) },
        Route(.finish, at: "POST inApps/v1/transactions/*/finish") { try $0.finish($1) },
        Route(.appAccountToken, at: "PUT inApps/v1/transactions/*/appAccountToken") { try $0.setAppAccountToken($1) },
        Route(.consumption, at: "PUT inApps/v2/transactions/consumption/*") { try $0.consumption($1) },
        Route(.massExtend, at: "POST inApps/v1/subscriptions/extend/mass") { try $0.extendAll($1) },
        Route(.massExtendStatus, at: "GET inApps/v1/subscriptions/extend/mass/*/*") { try $0.massExtension($1) },
        Route(.extend, at: "PUT inApps/v1/subscriptions/extend/*") { try $0.extend($1) },
        Route(.testNotification, at: "POST inApps/v1/notifications/test") { try $0.requestTestNotification($1) },
        Route(.testNotificationStatus, at: "GET inApps/v1/notifications/test/*") { try $0.testNotification($1) },
        Route(.groups, at: "GET groups/v1/currentGroups/*", onlyInSandbox: true) { try $0.groups($1) },
        Route(.groupMembers, at: "GET groups/v1/group/*", onlyInSandbox: true) { try $0.groupMembers($1) },
        Route(.seats, at: "GET groups/v1/transactions/*/seats", onlyInSandbox: true) { try $0.seats($1) },
        Route(.claimSeat, at: "POST groups/v1/transactions/*/seats", onlyInSandbox: true) { try $0.claimSeat($1) },
        Route(.unclaimSeat, at: "DELETE groups/v1/transactions/*/seats/*", onlyInSandbox: true) {
            try $0.unclaimSeat($1)
        },
        Route(.associateSeat, at: "POST groups/v1/transactions/*/seats/*/associate", onlyInSandbox: true) {
            try $0.associateSeat($1)
        },
        Route(.notificationHistory, at: "POST inApps/v1/notifications/history") { try $0.notificationHistory($1) },
    ]
}
