import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    /// Adds an app unless the fake has it.
    mutating func addApp(_ bundleIdentifier: String, appAppleIdentifier: UInt64) {
        guard apps[bundleIdentifier] == nil else { return }
        apps[bundleIdentifier] = FakeServerApp(appAppleIdentifier: appAppleIdentifier)
    }

    /// Adds transactions, renewal information and an app transaction of one customer, and replaces those with the same identifiers.
    ///
    /// Customers that have one of the identifiers become this customer.
    mutating func add(_ purchases: FakeServerPurchases, to name: FakeServerScope.Name) {
        var scope = scopes[name, default: FakeServerScope()]
        let identifiers = purchases.identifiers
        let known = scope.customers.filter { customer in identifiers.contains { customer.has($0) } }
        var customer = known.first ?? FakeServerCustomer(number: nextNumber())
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
            var transaction = FakeServerTransaction(members: members, modification: nextNumber())
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
        notification members: JSONObject, attempts: [FakeAppStoreServer.SendAttempt], to name: FakeServerScope.Name
    ) -> Int {
        let number = nextNumber()
        scopes[name, default: FakeServerScope()].notifications.append(
            FakeServerNotification(number: number, members: members, attempts: attempts))
        return number
    }

    /// A transaction of the first customer that doesn't have an identifier; nil if there is none.
    func otherCustomer(than identifier: String, in name: FakeServerScope.Name) -> String? {
        scopes[name]?.customers.first { !$0.has(identifier) && !$0.transactions.isEmpty }?.transactions[0].original
    }

    /// Changes the customer with an identifier.
    ///
    /// - Returns: The result; nil if there is no such customer.
    mutating func withCustomer<Result>(
        _ identifier: String, in name: FakeServerScope.Name, _ body: (inout FakeServerCustomer) throws -> Result
    ) rethrows -> Result? {
        guard let index = scopes[name]?.customers.firstIndex(where: { $0.has(identifier) }),
            var customer = scopes[name]?.customers[index]
        else { return nil }
        let result = try body(&customer)
        scopes[name]?.customers[index] = customer
        return result
    }
}
