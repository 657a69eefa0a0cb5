import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// A scenario of the fake can't be read.
    public struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The member, such as `customers[0].transactions[1].productId`, and what is wrong with it.
        public let description: String
    }

    /// Adds the content of a JSON document: apps, customers, orders and notifications, with Apple's member names.
    ///
    /// ```json
    /// {
    ///   "apps": [{ "bundleId": "com.example.app", "appAppleId": 1234567890, "isApproved": true }],
    ///   "customers": [{
    ///     "bundleId": "com.example.app", "environment": "Production",
    ///     "transactions": [{ "transactionId": "2", "originalTransactionId": "1", "productId": "com.example.plus",
    ///       "type": "Auto-Renewable Subscription", "purchaseDate": "2024-07-01T12:00:00Z",
    ///       "expiresDate": 1722513600000 }],
    ///     "renewalInfos": [{ "originalTransactionId": "1", "productId": "com.example.plus", "autoRenewStatus": 1 }],
    ///     "appTransaction": { "appTransactionId": "704000000000000001", "originalApplicationVersion": "1.0" },
    ///     "finished": ["2"], "statuses": { "1": 3 }, "orders": { "MQ4B3L1KD9": ["2"] }
    ///   }],
    ///   "notifications": [{ "environment": "Production", "notificationType": "DID_RENEW",
    ///     "signedDate": "2024-07-01T12:00:00Z", "transactionId": "2",
    ///     "sendAttempts": [{ "attemptDate": 1719835200000, "sendAttemptResult": "TIMED_OUT" }] }]
    /// }
    /// ```
    ///
    /// Every member is optional, except the identifiers and products of transactions and renewal information. Members
    /// whose name ends with `Date` are milliseconds since 1970 or RFC 3339. Other members are errors, except in what is
    /// signed. The app of a customer is ``bundleIdentifier`` and the environment `Sandbox` if the document names none.
    ///
    /// - Parameter json: The document.
    /// - Throws: ``ScenarioError`` if the document can't be read. The content before the error was added.
    public func addScenario(_ json: [UInt8]) throws(ScenarioError) {
        let root = try ScenarioObject(json)
        try root.requireMembers("apps", "customers", "notifications")
        for app in try root.objects("apps") {
            try app.requireMembers("bundleId", "appAppleId", "isApproved")
            let bundle = try app.text("bundleId")
            addApp(bundle, appAppleIdentifier: app.members["appAppleId"]?.number?.uint64 ?? 1_234_567_890)
            if let isApproved = app.members["isApproved"]?.boolean { setApproved(isApproved, app: bundle) }
        }
        for customer in try root.objects("customers") { try add(customer) }
        for notification in try root.objects("notifications") { try add(notification: notification) }
    }

    private func add(_ customer: ScenarioObject) throws(ScenarioError) {
        try customer.requireMembers(
            "bundleId", "environment", "transactions", "renewalInfos", "appTransaction", "finished", "statuses",
            "orders")
        let name = try scope(of: customer)
        var purchases = AddedPurchases()
        for transaction in try customer.objects("transactions") {
            let (product, identifier) = (try transaction.text("productId"), try transaction.text("transactionId"))
            var claims = TestTransaction(product, transaction: identifier)
            claims.bundleIdentifier = name.bundleIdentifier
            claims.environment = name.environment.claim
            if transaction.members["expiresDate"] != nil { claims.productType = .autoRenewableSubscription }
            if claims.productType == .autoRenewableSubscription { claims.subscriptionGroupIdentifier = "21000001" }
            var members = try transaction.overriding(claims.members)
            if transaction.members["originalPurchaseDate"] == nil {
                members["originalPurchaseDate"] = members["purchaseDate"]
            }
            purchases.transactions.append(members)
        }
        for renewal in try customer.objects("renewalInfos") {
            var claims = TestRenewalInfo(
                try renewal.text("productId"), original: try renewal.text("originalTransactionId"))
            claims.environment = name.environment.claim
            purchases.renewals.append(try renewal.overriding(claims.members))
        }
        if let transaction = try customer.object("appTransaction") {
            var claims = TestAppTransaction()
            claims.bundleIdentifier = name.bundleIdentifier
            claims.environment = name.environment.claim
            purchases.appTransaction = try transaction.overriding(claims.members)
        }
        add(purchases, to: name)
        for finished in customer.members["finished"]?.array ?? [] {
            state.withLock { $0.finish(finished.string ?? "", in: name) }
        }
        for status in try customer.object("statuses")?.members.members ?? [] {
            let value = status.value.number?.int64
            state.withLock { state in
                _ = state.withCustomer(status.name, in: name) { $0.statuses[status.name] = value }
            }
        }
        for order in try customer.object("orders")?.members.members ?? [] {
            addOrder(
                order.name, transactions: (order.value.array ?? []).compactMap(\.string), app: name.bundleIdentifier)
        }
    }

    private func add(notification object: ScenarioObject) throws(ScenarioError) {
        let name = try scope(of: object)
        var claims = TestNotification()
        claims.bundleIdentifier = name.bundleIdentifier
        claims.environment = name.environment.claim
        if name.environment == .production {
            claims.appAppleIdentifier = state.withLock { $0.apps[name.bundleIdentifier]?.appAppleIdentifier }
        }
        var own = object
        for member in ["bundleId", "environment", "transactionId", "sendAttempts"] { own.members[member] = nil }
        var members = try own.overriding(claims.members)
        if members["summary"] != nil || members["externalPurchaseToken"] != nil || members["appData"] != nil {
            members["data"] = nil
        }
        if let identifier = object.members["transactionId"]?.string {
            guard let data = nestedTokens(identifier, in: name, at: members.milliseconds("signedDate") ?? 0) else {
                throw object.error("No customer of the app and environment has this transaction.", at: "transactionId")
            }
            var all = members["data"]?.object ?? [:]
            for member in data.members { all[member.name] = member.value }
            members["data"] = .object(all)
        }
        var attempts: [SendAttempt] = []
        for attempt in try object.objects("sendAttempts") {
            let read = try attempt.overriding([:])
            guard let date = read.milliseconds("attemptDate") else {
                throw attempt.error("Expected a date.", at: "attemptDate")
            }
            attempts.append(
                SendAttempt(
                    Date(timeIntervalSince1970: Double(date) / 1000),
                    result: read.string("sendAttemptResult") ?? "SUCCESS"))
        }
        if object.members["sendAttempts"] == nil {
            let date = Date(timeIntervalSince1970: Double(members.milliseconds("signedDate") ?? 0) / 1000)
            attempts = [SendAttempt(date)]
        }
        state.withLock { [members, attempts] in _ = $0.add(notification: members, attempts: attempts, to: name) }
    }

    /// Returns the members of a notification's data about a transaction.
    private func nestedTokens(_ identifier: String, in name: Scope.Name, at time: Int64) -> AppStoreJSON.Object? {
        state.withLock { state in
            guard let app = state.apps[name.bundleIdentifier],
                let customer = state.scopes[name]?.customers.first(where: { $0.hasTransaction(identifier) }),
                let transaction = customer.transaction(identifier)
            else { return nil }
            let call = Call(
                scope: name, app: app, arguments: [], query: [], body: nil, time: time, paginationLifetime: 0,
                signer: TokenSigner(pki: pki, fault: nil))
            var data: AppStoreJSON.Object = [:]
            data["signedTransactionInfo"] = (try? call.token(transaction, of: customer)).map { .string($0) }
            guard transaction.isSubscription else { return data }
            data["signedRenewalInfo"] = (try? call.renewalToken(transaction, of: customer)).map { .string($0) }
            data["status"] = .number(AppStoreJSON.Number(customer.status(of: transaction, at: time).rawValue))
            return data
        }
    }

    private func scope(of object: ScenarioObject) throws(ScenarioError) -> Scope.Name {
        let text = object.members["environment"]?.string
        guard let environment = text.map({ Environment(rawValue: $0) }) ?? .sandbox else {
            throw object.error("Expected Production or Sandbox.", at: "environment")
        }
        return Scope.Name(
            bundleIdentifier: object.members["bundleId"]?.string ?? bundleIdentifier, environment: environment)
    }
}

/// An object of a scenario, with its position for error messages.
@available(AppStoreServerAPI 1.0, *)
struct ScenarioObject {
    var members: AppStoreJSON.Object
    private let path: String

    private init(_ members: AppStoreJSON.Object, path: String) {
        self.members = members
        self.path = path
    }

    /// Reads a document.
    init(_ json: [UInt8]) throws(FakeAppStoreServer.ScenarioError) {
        let value: AppStoreJSON
        do throws(AppStoreJSON.Fault) {
            value = try AppStoreJSON(parsing: json[...].withoutByteOrderMark)
        } catch {
            throw FakeAppStoreServer.ScenarioError(description: "The text isn't valid JSON, at byte \(error.position).")
        }
        guard let object = value.object else {
            throw FakeAppStoreServer.ScenarioError(description: "Expected a JSON object.")
        }
        self.init(object, path: "")
    }

    /// Returns an error about a member.
    func error(_ message: String, at name: String) -> FakeAppStoreServer.ScenarioError {
        FakeAppStoreServer.ScenarioError(description: "\(path)\(name): \(message)")
    }

    /// Requires that every member has one of these names, so that typos don't remain unnoticed.
    func requireMembers(_ names: String...) throws(FakeAppStoreServer.ScenarioError) {
        for member in members.members where !names.contains(member.name) {
            throw error("Unknown member. Expected one of \(names.joined(separator: ", ")).", at: member.name)
        }
    }

    /// Returns a text that must be there.
    func text(_ name: String) throws(FakeAppStoreServer.ScenarioError) -> String {
        guard let text = members[name]?.string, !text.isEmpty else { throw error("Expected a text.", at: name) }
        return text
    }

    /// Returns an object, if it is there.
    func object(_ name: String) throws(FakeAppStoreServer.ScenarioError) -> ScenarioObject? {
        guard let value = members[name] else { return nil }
        guard let object = value.object else { throw error("Expected an object.", at: name) }
        return ScenarioObject(object, path: "\(path)\(name).")
    }

    /// Returns a list of objects, empty if it isn't there.
    func objects(_ name: String) throws(FakeAppStoreServer.ScenarioError) -> [ScenarioObject] {
        guard let value = members[name] else { return [] }
        guard let list = value.array else { throw error("Expected a list of objects.", at: name) }
        var objects: [ScenarioObject] = []
        for (index, element) in list.enumerated() {
            guard let object = element.object else { throw error("Expected an object.", at: "\(name)[\(index)]") }
            objects.append(ScenarioObject(object, path: "\(path)\(name)[\(index)]."))
        }
        return objects
    }

    /// Returns claims with the members of this object. Null removes a member, and dates in RFC 3339 become
    /// milliseconds.
    func overriding(_ claims: AppStoreJSON.Object) throws(FakeAppStoreServer.ScenarioError) -> AppStoreJSON.Object {
        var claims = claims
        for member in members.members {
            guard member.name.hasSuffix("Date"), let text = member.value.string else {
                claims[member.name] = member.value == .null ? nil : member.value
                continue
            }
            guard let date = ReceiptDate.date(from: text) else {
                throw error("Expected milliseconds since 1970 or RFC 3339.", at: member.name)
            }
            claims[member.name] = .milliseconds(date.milliseconds)
        }
        return claims
    }
}
