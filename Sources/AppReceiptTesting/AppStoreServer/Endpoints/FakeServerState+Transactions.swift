import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    /// The customer whom any identifier leads to.
    func customer(
        _ identifier: String, _ call: FakeServerCall, or error: FakeServerError = .transactionIdNotFound
    ) throws(FakeServerError) -> FakeServerCustomer {
        guard let customer = scopes[call.scope]?.customers.first(where: { $0.has(identifier) }) else { throw error }
        return customer
    }

    /// The customer and the transaction with an identifier, which isn't that of an app transaction.
    func transaction(
        _ identifier: String, _ call: FakeServerCall
    ) throws(FakeServerError) -> (FakeServerCustomer, FakeServerTransaction) {
        let customer = try customer(identifier, call)
        guard let transaction = customer.transaction(identifier) else {
            throw customer.hasTransaction(identifier) ? .transactionIdNotFound : .appTransactionIdNotSupported
        }
        return (customer, transaction)
    }

    /// Get Transaction Info.
    func transactionInfo(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let (customer, transaction) = try transaction(call.identifier(), call)
        return FakeServerAnswer(body: ["signedTransactionInfo": .string(try call.token(transaction, of: customer))])
    }

    /// Get App Transaction Info.
    func appTransaction(_ call: FakeServerCall) throws -> FakeServerAnswer {
        guard var members = try customer(call.identifier(), call).appTransaction else {
            throw FakeServerError.appTransactionDoesNotExist
        }
        members["receiptCreationDate"] = .milliseconds(call.time)
        if call.scope.environment == .production, members["appAppleId"] == nil {
            members["appAppleId"] = .number(JSONNumber(call.app.appAppleIdentifier))
        }
        return FakeServerAnswer(body: ["signedAppTransactionInfo": .string(try call.signer.token(members))])
    }

    /// Look Up Order ID. The sandbox has no orders, and an order without known transactions is invalid.
    func order(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let scope = scopes[call.scope]
        var tokens: [JSONValue] = []
        for identifier in scope?.orders[call.argument] ?? [] {
            guard let customer = scope?.customers.first(where: { $0.hasTransaction(identifier) }),
                let transaction = customer.transaction(identifier)
            else { continue }
            tokens.append(.string(try call.token(transaction, of: customer)))
        }
        return FakeServerAnswer(body: ["status": tokens.isEmpty ? 1 : 0, "signedTransactions": .array(tokens)])
    }

    /// Finish Transaction.
    mutating func finish(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let identifier = try transaction(call.identifier(), call).1.identifier
        finish(identifier, in: call.scope)
        return FakeServerAnswer()
    }

    /// Marks a transaction as finished.
    mutating func finish(_ identifier: String, in scope: FakeServerScope.Name) {
        withCustomer(identifier, in: scope) { customer in
            for index in customer.transactions.indices where customer.transactions[index].identifier == identifier {
                customer.transactions[index].isFinished = true
            }
        }
    }

    /// Set App Account Token: in all transactions of an original, later ones included, and in its renewal information.
    mutating func setAppAccountToken(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let identifier = try call.identifier()
        let (_, transaction) = try transaction(identifier, call)
        guard transaction.original == identifier else { throw FakeServerError.transactionIdIsNotOriginalTransactionId }
        guard transaction.ownership != PurchaseOwnership.familyShared.rawValue else {
            throw FakeServerError.familyTransactionNotSupported
        }
        guard let token = try call.object().string("appAccountToken"), UUIDText.isValid(token) else {
            throw FakeServerError.invalidAppAccountTokenUUID
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
        return FakeServerAnswer()
    }
}
