import AppReceiptSupport
import AppStoreServerAPI

/// Everything that the fake knows.
@available(AppStoreServerAPI 1.0, *)
struct State {
    var apps: [String: App] = [:]
    var scopes: [Scope.Name: Scope] = [:]
    var faults: [QueuedFault] = []
    private(set) var requests: [FakeAppStoreServer.ReceivedRequest] = []
    /// The number of the last change: of a transaction, customer, notification or endless page.
    private(set) var lastNumber = 0

    /// An app of the developer.
    struct App {
        /// The app's App Store identifier. Only data of production contains it.
        let appAppleIdentifier: UInt64
        /// Whether the app was ever approved for sale.
        var isApproved = true
        /// Whether an address for notifications is registered.
        var hasNotificationURL = true
    }

    /// A fault that waits for its requests.
    struct QueuedFault {
        let fault: FakeAppStoreServer.Fault
        /// The endpoint; nil for all.
        let endpoint: FakeAppStoreServer.Endpoint?
        /// The environment; nil for both.
        let environment: FakeAppStoreServer.Environment?
        /// The number of requests that pass first.
        var skipping: Int
        /// For how many requests it remains; nil for all.
        var remaining: Int?
    }

    /// Returns the next number.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Appends a request to the log. A fake that runs for long forgets the oldest ones.
    mutating func log(_ request: FakeAppStoreServer.ReceivedRequest) {
        if requests.count >= Self.maxRequests { requests.removeFirst(Self.maxRequests / 2) }
        requests.append(request)
    }

    private static let maxRequests = 10_000

    /// Records that numbers up to this one were given to changes.
    mutating func advance(to number: Int) { lastNumber = max(lastNumber, number) }

    /// Removes the fault of a request from the queue, if there is one for it.
    ///
    /// The first fault that applies is used. Those that come before it count the request too if they skip requests.
    mutating func takeFault(
        for endpoint: FakeAppStoreServer.Endpoint?, in environment: FakeAppStoreServer.Environment, isAuthorized: Bool
    ) -> FakeAppStoreServer.Fault? {
        for (index, queued) in faults.enumerated() {
            guard queued.endpoint == nil || queued.endpoint == endpoint,
                queued.environment == nil || queued.environment == environment,
                isAuthorized || queued.fault.precedesAuthorization
            else { continue }
            guard queued.skipping == 0 else {
                faults[index].skipping -= 1
                continue
            }
            if let remaining = queued.remaining {
                faults[index].remaining = remaining - 1
                if remaining <= 1 { faults.remove(at: index) }
            }
            return queued.fault
        }
        return nil
    }

    // MARK: Content

    /// Adds an app unless the fake has it.
    mutating func addApp(_ bundleIdentifier: String, appAppleIdentifier: UInt64) {
        guard apps[bundleIdentifier] == nil else { return }
        apps[bundleIdentifier] = App(appAppleIdentifier: appAppleIdentifier)
    }

    /// Adds transactions, renewal information and an app transaction of one customer, and replaces those with the same
    /// identifiers.
    ///
    /// Customers that have one of the identifiers become this customer.
    mutating func add(_ purchases: AddedPurchases, to name: Scope.Name) {
        var scope = scopes[name, default: Scope()]
        let identifiers = purchases.identifiers
        let known = scope.customers.filter { customer in identifiers.contains { customer.has($0) } }
        var customer = known.first ?? Customer(number: nextNumber())
        for other in known.dropFirst() {
            customer.transactions += other.transactions
            customer.renewals.merge(other.renewals) { first, _ in first }
            customer.appTransaction = customer.appTransaction ?? other.appTransaction
            customer.statuses.merge(other.statuses) { first, _ in first }
            customer.accountTokens.merge(other.accountTokens) { first, _ in first }
            customer.extensions.merge(other.extensions) { first, _ in first }
            customer.seats.merge(other.seats) { first, _ in first }
        }
        for members in purchases.transactions {
            var transaction = StoredTransaction(members: members, modification: nextNumber())
            if let index = customer.transactions.firstIndex(where: { $0.identifier == transaction.identifier }) {
                transaction.isFinished = customer.transactions[index].isFinished
                customer.transactions[index] = transaction
            } else {
                customer.transactions.append(transaction)
            }
        }
        for renewal in purchases.renewals {
            customer.renewals[renewal.string("originalTransactionId") ?? ""] = renewal
        }
        customer.appTransaction = purchases.appTransaction ?? customer.appTransaction
        let numbers = known.map(\.number)
        scope.customers.removeAll { numbers.contains($0.number) }
        scope.customers.append(customer)
        scopes[name] = scope
    }

    /// Adds a notification and returns its number.
    @discardableResult
    mutating func add(
        notification members: AppStoreJSON.Object, attempts: [FakeAppStoreServer.SendAttempt], to name: Scope.Name
    ) -> Int {
        let number = nextNumber()
        scopes[name, default: Scope()].notifications.append(
            StoredNotification(number: number, members: members, attempts: attempts))
        return number
    }

    /// Changes the customer with an identifier.
    ///
    /// - Returns: The result; nil if there is no such customer.
    mutating func withCustomer<Result>(
        _ identifier: String, in name: Scope.Name, change body: (inout Customer) throws -> Result
    ) rethrows -> Result? {
        guard let index = scopes[name]?.customers.firstIndex(where: { $0.has(identifier) }),
            var customer = scopes[name]?.customers[index]
        else { return nil }
        let result = try body(&customer)
        scopes[name]?.customers[index] = customer
        return result
    }
}
