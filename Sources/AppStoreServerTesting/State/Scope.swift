public import AppReceiptSupport
import AppStoreServerAPI

/// The content of one app in one environment.
@available(AppStoreServerAPI 1.0, *)
struct Scope {
    /// The app and the environment.
    struct Name: Hashable {
        let bundleIdentifier: String
        let environment: FakeAppStoreServer.Environment
    }

    var customers: [Customer] = []
    var notifications: [StoredNotification] = []
    /// The transactions of each order.
    var orders: [String: [String]] = [:]
    /// The numbers of test notifications, by their tokens.
    var testNotifications: [String: Int] = [:]
    var massExtensions: [MassExtension] = []
    var consumption: [FakeAppStoreServer.Consumption] = []
    var groups: [Group] = []

    /// A finished extension of the renewal dates of all subscribers of a product.
    struct MassExtension {
        let requestIdentifier: String
        let product: String
        /// The date of completion, in milliseconds.
        let completion: Int64
        let succeeded: Int
        let failed: Int
    }

    /// A group of customers in the sandbox.
    struct Group {
        let identifier: String
        /// `ORGANIZATION` or `CONSUMER`.
        let type: String
        /// The app transaction identifiers of the members.
        let members: [String]
        /// The members' roles, by product.
        let roles: [String: String]

        /// The group that the sandbox has for customers without a consumer group.
        static let placeholder = Group(
            identifier: "900000000000000000", type: "ORGANIZATION", members: ["700000000000000000"], roles: [:])
    }
}

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// Consumption information that the fake accepted.
    public struct Consumption: Sendable, Hashable {
        /// The transaction in the path.
        public let transactionIdentifier: String
        /// The request's body.
        public let body: AppStoreJSON.Object
    }
}
