import AppReceiptFoundation
import AppReceiptSupport
import AppStoreServerAPI

/// An authorized request of an endpoint.
@available(AppStoreServerAPI 1.0, *)
struct Call {
    /// The app and the environment.
    let scope: Scope.Name
    /// The app.
    let app: State.App
    /// The values of the placeholders in the path, in their order.
    let arguments: [String]
    /// The query parameters.
    let query: [(name: String, value: String)]
    /// The body.
    let body: [UInt8]?
    /// The fake's clock, in milliseconds.
    let time: Int64
    /// The lifetime of pagination tokens, in milliseconds.
    let paginationLifetime: Int64
    /// Signs the response's tokens.
    let signer: TokenSigner

    /// The first placeholder's value.
    var argument: String { arguments.first ?? "" }

    /// Returns the values of a query parameter.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// Returns the value of a query parameter that isn't repeated.
    func value(_ name: String) -> String? { values(name).first }

    /// Returns the body as an object.
    func object() throws(APIError) -> AppStoreJSON.Object {
        guard let body, let object = try? AppStoreJSON(parsing: body[...]).object else { throw .generalBadRequest }
        return object
    }

    /// Returns the first placeholder's value as an identifier of up to 20 digits.
    func identifier(or error: APIError = .invalidTransactionId) throws(APIError) -> String {
        guard (1...20).contains(argument.utf8.count), argument.utf8.allSatisfy(\.isASCIIDigit) else { throw error }
        return argument
    }

    /// The members of responses that name app and environment.
    var appMembers: AppStoreJSON.Object {
        var members: AppStoreJSON.Object = [
            "environment": .string(scope.environment.rawValue), "bundleId": .string(scope.bundleIdentifier),
        ]
        if scope.environment == .production {
            members["appAppleId"] = .number(AppStoreJSON.Number(app.appAppleIdentifier))
        }
        return members
    }

    /// Signs a transaction as of now.
    func token(_ transaction: StoredTransaction, of customer: Customer) throws -> String {
        try token(transaction.members, about: transaction.original, of: customer)
    }

    /// Signs a subscription's renewal information as of now.
    func renewalToken(_ subscription: StoredTransaction, of customer: Customer) throws -> String {
        try token(customer.renewal(of: subscription, at: time), about: subscription.original, of: customer)
    }

    private func token(
        _ claims: AppStoreJSON.Object, about original: String, of customer: Customer
    ) throws -> String {
        var members = claims
        members["signedDate"] = .milliseconds(time)
        if members["appTransactionId"] == nil {
            members["appTransactionId"] = customer.appTransactionIdentifier.map { .string($0) }
        }
        if let token = customer.accountTokens[original] { members["appAccountToken"] = .string(token) }
        return try signer.token(members)
    }
}

/// An endpoint's answer: a status, and an object unless the body is empty.
struct Answer {
    var status = 200
    var body: AppStoreJSON.Object?
}
