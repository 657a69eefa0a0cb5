import AppReceiptSupport
import AppStoreServerAPI

/// The content of one app in one environment.
@available(AppStoreServerAPI 1.0, *)
struct FakeServerScope {
    /// The app and the environment.
    struct Name: Hashable {
        let bundleIdentifier: String
        let environment: SignedDataEnvironment
    }

    var customers: [FakeServerCustomer] = []
    var notifications: [FakeServerNotification] = []
    /// The transactions of each order.
    var orders: [String: [String]] = [:]
    /// The numbers of test notifications, by their tokens.
    var testNotifications: [String: Int] = [:]
    var massExtensions: [FakeServerMassExtension] = []
    var consumption: [FakeAppStoreServer.Consumption] = []
    var groups: [FakeServerGroup] = []
}
