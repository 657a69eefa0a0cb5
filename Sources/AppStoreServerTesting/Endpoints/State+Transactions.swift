import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension State {
    /// Returns the customer with this transaction, original or app transaction identifier.
    func customer(
        _ identifier: String, in scope: Scope.Name, or error: APIError = .transactionIdNotFound
    ) throws(APIError) -> Customer {
        guard let customer = scopes[scope]?.customers.first(where: { $0.has(identifier) }) else { throw error }
        return customer
    }

    /// Returns the customer and the transaction with an identifier, which isn't that of an app transaction.
    func transaction(
        _ identifier: String, in scope: Scope.Name
    ) throws(APIError) -> (Customer, StoredTransaction) {
        let customer = try customer(identifier, in: scope)
        guard let transaction = customer.transaction(identifier) else {
            throw customer.hasTransaction(identifier) ? .transactionIdNotFound : .appTransactionIdNotSupported
        }
        return (customer, transaction)
    }

    /// Get Transaction Info.
    func transactionInfo(_ call: Call) throws -> Answer {
        let (customer, transaction) = try transaction(call.identifier(), in: call.scope)
        return Answer(body: ["signedTransactionInfo": .string(try call.token(transaction, of: customer))])
    }

    /// Get App Transaction Info.
    func appTransaction(_ call: Call) throws -> Answer {
        guard var members = try customer(call.identifier(), in: call.scope).appTransaction else {
            throw APIError.appTransactionDoesNotExist
        }
        members["receiptCreationDate"] = .milliseconds(call.time)
        if call.scope.environment == .production, members["appAppleId"] == nil {
            members["appAppleId"] = .number(AppStoreJSON.Number(call.app.appAppleIdentifier))
        }
        return Answer(body: ["signedAppTransactionInfo": .string(try call.signer.token(members))])
    }

    /// Look Up Order ID. The sandbox has no orders, and an order without known transactions is invalid.
    func order(_ call: Call) throws -> Answer {
        let scope = scopes[call.scope]
        var tokens: [AppStoreJSON] = []
        for identifier in scope?.orders[call.argument] ?? [] {
            guard let customer = scope?.customers.first(where: { $0.hasTransaction(identifier) }),
                let transaction = customer.transaction(identifier)
            else { continue }
            tokens.append(.string(try call.token(transaction, of: customer)))
        }
        return Answer(body: ["status": tokens.isEmpty ? 1 : 0, "signedTransactions": .array(tokens)])
    }

    /// Finish Transaction.
    mutating func finish(_ call: Call) throws -> Answer {
        let identifier = try transaction(call.identifier(), in: call.scope).1.identifier
        finish(identifier, in: call.scope)
        return Answer()
    }

    /// Marks a transaction as finished.
    mutating func finish(_ identifier: String, in scope: Scope.Name) {
        withCustomer(identifier, in: scope) { customer in
            for index in customer.transactions.indices where customer.transactions[index].identifier == identifier {
                customer.transactions[index].isFinished = true
            }
        }
    }

    /// Set App Account Token: in all transactions of an original, later ones included, and in its renewal information.
    mutating func setAppAccountToken(_ call: Call) throws -> Answer {
        let identifier = try call.identifier()
        let (_, transaction) = try transaction(identifier, in: call.scope)
        guard transaction.original == identifier else { throw APIError.transactionIdIsNotOriginalTransactionId }
        guard transaction.ownership != PurchaseOwnership.familyShared.rawValue else {
            throw APIError.familyTransactionNotSupported
        }
        guard let token = try call.object().string("appAccountToken"), UUIDText.isValid(token) else {
            throw APIError.invalidAppAccountTokenUUID
        }
        var number = lastNumber
        withCustomer(identifier, in: call.scope) { customer in
            customer.accountTokens[identifier] = token.lowercased()
            for index in customer.transactions.indices where customer.transactions[index].original == identifier {
                number += 1
                customer.transactions[index].modification = number
            }
        }
        advance(to: number)
        return Answer()
    }

    /// Get All Subscription Statuses.
    func statuses(_ call: Call) throws -> Answer {
        let customer = try customer(call.identifier(), in: call.scope)
        var wanted: Set<Int64> = []
        for text in call.values("status") {
            guard let status = Int64(text), (1...5).contains(status) else { throw APIError.invalidStatus }
            wanted.insert(status)
        }
        var groups: [(name: String, subscriptions: [AppStoreJSON])] = []
        for subscription in customer.subscriptions {
            let status = customer.status(of: subscription, at: call.time).rawValue
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            let item: AppStoreJSON = [
                "originalTransactionId": .string(subscription.original),
                "status": .number(AppStoreJSON.Number(status)),
                "signedTransactionInfo": .string(try call.token(subscription, of: customer)),
                "signedRenewalInfo": .string(try call.renewalToken(subscription, of: customer)),
            ]
            let name = subscription.members.string("subscriptionGroupIdentifier") ?? ""
            if let index = groups.firstIndex(where: { $0.name == name }) {
                groups[index].subscriptions.append(item)
            } else {
                groups.append((name, [item]))
            }
        }
        var body = call.appMembers
        body["data"] = .array(
            groups.map { group in
                [
                    "subscriptionGroupIdentifier": .string(group.name), "lastTransactions": .array(group.subscriptions),
                ]
            })
        return Answer(body: body)
    }
}
