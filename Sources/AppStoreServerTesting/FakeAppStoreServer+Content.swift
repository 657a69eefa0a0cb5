import AppReceiptSupport
public import AppReceiptTesting
public import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// Adds an app of the same developer, unless the fake has it.
    public func addApp(_ bundleIdentifier: String, appAppleIdentifier: UInt64) {
        state.withLock { $0.addApp(bundleIdentifier, appAppleIdentifier: appAppleIdentifier) }
    }

    /// Sets whether an app was ever approved for sale. Production answers 401 to the tokens of an app that wasn't.
    public func setApproved(_ isApproved: Bool, app bundleIdentifier: String) {
        state.withLock { $0.apps[bundleIdentifier]?.isApproved = isApproved }
    }

    /// Sets whether an address for notifications is registered for an app. Without one, no test notification can be
    /// requested.
    public func setNotificationURL(_ isRegistered: Bool, app bundleIdentifier: String) {
        state.withLock { $0.apps[bundleIdentifier]?.hasNotificationURL = isRegistered }
    }

    /// Adds purchases of one customer: transactions, renewal information, and an app transaction.
    ///
    /// Every identifier of the purchases leads to the customer. If the fake has a customer with one of them, in the
    /// same app and environment, the purchases are that customer's. A transaction, or renewal information, with a known
    /// identifier replaces the known one. It is then the last that was modified, and a history that is continued with
    /// its last revision returns it.
    ///
    /// Histories are sorted by modification. Transactions that are added together were modified in the order of their
    /// purchase dates or, if they have one, revocation dates.
    ///
    /// Each environment has its own customers. Purchases of another environment than production and the sandbox are
    /// ignored. `signedDate` is replaced by the time of the request.
    ///
    /// Renewal information doesn't name its app: it is of the app of the other purchases, or else of
    /// ``bundleIdentifier``. An app that the fake doesn't have is added.
    ///
    /// - Parameter purchases: Values of the types `TestTransaction`, `TestRenewalInfo` and `TestAppTransaction`.
    public func add(_ purchases: any TestClaims...) { add(purchases: purchases) }

    /// Adds purchases of one customer.
    package func add(purchases: [any TestClaims]) {
        var scopes: [Scope.Name: AddedPurchases] = [:]
        let bundle = purchases.lazy.compactMap { $0.members.string("bundleId") }.first
        for purchase in purchases {
            let members = purchase.members
            let text = members.string("environment") ?? members.string("receiptType") ?? ""
            guard let environment = Environment(rawValue: text) else { continue }
            let name = Scope.Name(
                bundleIdentifier: members.string("bundleId") ?? bundle ?? bundleIdentifier, environment: environment)
            switch purchase {
            case is TestTransaction: scopes[name, default: .init()].transactions.append(members)
            case is TestRenewalInfo: scopes[name, default: .init()].renewals.append(members)
            case is TestAppTransaction: scopes[name, default: .init()].appTransaction = members
            case let notification as TestNotification: addNotification(notification)
            default: break
            }
        }
        for (name, purchases) in scopes { add(purchases, to: name) }
    }

    /// Adds purchases of a customer, and the app if the fake doesn't have it.
    func add(_ purchases: AddedPurchases, to name: Scope.Name) {
        var purchases = purchases
        purchases.sort()
        state.withLock { [purchases] state in
            state.addApp(name.bundleIdentifier, appAppleIdentifier: 1_234_567_890)
            state.add(purchases, to: name)
        }
    }

    /// Adds a notification to the history of production or the sandbox. It is signed at its own
    /// `TestNotification.signedDate`, the date on which it was sent first.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - attempts: The attempts to deliver it; nil for a successful one at the notification's date.
    public func addNotification(_ notification: TestNotification, attempts: [SendAttempt]? = nil) {
        guard let environment = Environment(rawValue: notification.environment.rawValue) else { return }
        let name = Scope.Name(bundleIdentifier: notification.bundleIdentifier, environment: environment)
        let attempts = attempts ?? [SendAttempt(notification.signedDate)]
        state.withLock { _ = $0.add(notification: notification.members, attempts: attempts, to: name) }
    }

    /// Adds an order. Only production has orders.
    ///
    /// - Parameters:
    ///   - identifier: The order identifier in the customer's invoice.
    ///   - transactions: The identifiers of the order's transactions.
    ///   - bundleIdentifier: The app.
    public func addOrder(_ identifier: String, transactions: [String], app bundleIdentifier: String) {
        let name = Scope.Name(bundleIdentifier: bundleIdentifier, environment: .production)
        state.withLock { $0.scopes[name, default: Scope()].orders[identifier] = transactions }
    }

    /// Adds a group to the sandbox.
    ///
    /// A customer without a group of the type `CONSUMER` also has the placeholder group of Apple's sandbox.
    ///
    /// - Parameters:
    ///   - identifier: The identifier, a number.
    ///   - type: `ORGANIZATION` or `CONSUMER`.
    ///   - members: The app transaction identifiers of the members.
    ///   - roles: The members' roles, such as `ADMIN`, by product.
    public func addGroup(
        _ identifier: String, type: String = "CONSUMER", members: [String], roles: [String: String] = [:]
    ) {
        let group = Scope.Group(identifier: identifier, type: type, members: members, roles: roles)
        let name = Scope.Name(bundleIdentifier: bundleIdentifier, environment: .sandbox)
        state.withLock { $0.scopes[name, default: Scope()].groups.append(group) }
    }

    /// Sets the status of a subscription.
    ///
    /// By default, the status follows from the latest transaction and the renewal information at the time of the
    /// request.
    ///
    /// - Parameters:
    ///   - status: The status; nil to derive it.
    ///   - original: The original transaction identifier of a subscription that was added before.
    ///   - environment: The environment.
    public func setStatus(
        _ status: SubscriptionStatus?, original: String, in environment: Environment = .sandbox
    ) {
        for name in scopes(in: environment) {
            state.withLock { state in
                _ = state.withCustomer(original, in: name) { $0.statuses[original] = status?.rawValue }
            }
        }
    }

    /// Returns the consumption information that the fake accepted.
    public func consumption(in environment: Environment = .sandbox) -> [Consumption] {
        scopes(in: environment).flatMap { name in state.withLock { $0.scopes[name]?.consumption ?? [] } }
    }

    /// Returns the identifiers of the transactions that are finished.
    public func finishedTransactions(in environment: Environment = .sandbox) -> Set<String> {
        let customers = scopes(in: environment).flatMap { name in state.withLock { $0.scopes[name]?.customers ?? [] } }
        return Set(customers.flatMap(\.transactions).filter(\.isFinished).map(\.identifier))
    }

    /// Returns the apps' scopes in an environment.
    private func scopes(in environment: Environment) -> [Scope.Name] {
        state.withLock { $0.scopes.keys.filter { $0.environment == environment } }
            .sorted { $0.bundleIdentifier < $1.bundleIdentifier }
    }
}
