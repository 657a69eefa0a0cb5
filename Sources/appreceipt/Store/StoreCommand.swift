import AppReceiptKit
import AppStoreServerAPI
import ArgumentParser

/// A command that sends requests to the App Store, and writes the result or the failure.
@available(AppStoreServerAPI 1.0, *)
protocol StoreCommand: AsyncParsableCommand {
    var options: StoreOptions { get }
    /// The request's change at the App Store; nil if it changes nothing.
    var change: StoreChange? { get }

    /// Sends the requests.
    ///
    /// - Parameters:
    ///   - client: The client that the options describe.
    ///   - progress: Shows that the command waits.
    func result(
        from client: AppStoreServerClient, progress: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult
}

@available(AppStoreServerAPI 1.0, *)
extension StoreCommand {
    var change: StoreChange? { nil }

    func run() async throws {
        try await options.run(changing: change) { (client, progress) async throws(AppStoreServerError) in
            try await result(from: client, progress: progress)
        }
    }
}

/// A command about one customer, whose receipt may name the environment.
@available(AppStoreServerAPI 1.0, *)
protocol StoreCustomerCommand: AsyncParsableCommand {
    var customer: StoreCustomerOptions { get }
    var options: StoreOptions { get }

    /// Sends the requests about the customer with this identifier. Otherwise like that of ``StoreCommand``.
    func result(
        forCustomer identifier: String, from client: AppStoreServerClient, progress: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult
}

@available(AppStoreServerAPI 1.0, *)
extension StoreCustomerCommand {
    func run() async throws {
        let customer = try customer.customer(options)
        try await options.run(environments: customer.environments) {
            (client, progress) async throws(AppStoreServerError) in
            try await result(forCustomer: customer.identifier, from: client, progress: progress)
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Returns a customer's purchases now, or at the date the newest data was signed: a slow clock must not hide
    /// purchases.
    func entitlements(
        from transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo] = [],
        in environment: AppStoreEnvironment
    ) -> [Entitlement] {
        let signedDates = transactions.map(\.signedDate) + renewals.map(\.signedDate)
        return Entitlements(
            bundleIdentifier: bundleIdentifier, environment: environment, transactions: transactions,
            renewals: renewals, at: signedDates.reduce(configuration.clock.now()) { max($0, $1) }
        ).all
    }
}
