public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets a transaction (Get Transaction Info).
    ///
    /// Also finds consumables that were finished.
    ///
    /// - Parameter identifier: The transaction identifier, or the original transaction identifier.
    /// - Returns: The verified transaction, which has this identifier.
    /// - Throws: ``AppStoreServerError``.
    public func transaction(_ identifier: String) async throws(AppStoreServerError) -> VerifiedTransaction {
        let identifier = try APIRequest.checked(identifier, as: "transaction identifier")
        let response = try await send(
            APIRequest(endpoint: .transaction, path: ["inApps", "v1", "transactions", identifier]))
        let transaction = try verifiedTransaction(
            try response.required("signedTransactionInfo"), in: response.environment)
        let claims = transaction.claims
        guard [claims.transactionIdentifier, claims.originalTransactionIdentifier].contains(identifier) else {
            throw AppStoreServerError(.answerForAnotherTransaction, in: response.environment)
        }
        return transaction
    }

    /// Gets the app transaction of a customer (Get App Transaction Info).
    ///
    /// - Parameter identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the customer.
    /// - Returns: The verified app transaction.
    /// - Throws: ``AppStoreServerError``.
    public func appTransaction(
        ofCustomer identifier: String
    ) async throws(AppStoreServerError) -> VerifiedAppTransaction {
        let identifier = try APIRequest.checked(identifier, as: "customer's identifier")
        let response = try await send(
            APIRequest(
                endpoint: .appTransaction, path: ["inApps", "v1", "transactions", "appTransactions", identifier]))
        return try verifiedAppTransaction(try response.required("signedAppTransactionInfo"), in: response.environment)
    }

    /// Looks up an order identifier of an email from Apple (Look Up Order ID).
    ///
    /// Signed transactions don't contain the order identifier, so nothing proves that they are of this order: only the connection to the App
    /// Store protects the answer. Compare an identifier in them with what you know about the customer.
    ///
    /// - Parameters:
    ///   - identifier: The order identifier.
    ///   - environment: The environment. Apple sends emails for production only.
    /// - Returns: The transactions of the order.
    /// - Throws: ``AppStoreServerError``.
    public func order(
        _ identifier: String, in environment: AppStoreEnvironment = .production
    ) async throws(AppStoreServerError) -> OrderLookup {
        let identifier = try APIRequest.checked(identifier, as: "order identifier")
        let response = try await send(
            APIRequest(endpoint: .order, path: ["inApps", "v1", "lookup", identifier]), only: environment)
        let (transactions, rejected) = try transactions(in: response)
        return OrderLookup(
            environment: response.environment, transactions: transactions, rejected: rejected,
            unverified: OrderLookup.Unverified(
                status: try response.integer("status").map { OrderLookup.Status(rawValue: $0) }))
    }

    /// Finishes a transaction, as the app does after it delivered the purchase (Finish Transaction).
    ///
    /// - Parameter identifier: The transaction identifier.
    /// - Returns: The environment of the transaction.
    /// - Throws: ``AppStoreServerError``.
    @discardableResult
    public func finishTransaction(
        _ identifier: String
    ) async throws(AppStoreServerError) -> AppStoreEnvironment {
        let identifier = try APIRequest.checked(identifier, as: "transaction identifier")
        return try await send(
            APIRequest(
                endpoint: .finish, method: .post, path: ["inApps", "v1", "transactions", identifier, "finish"],
                expectsObject: false)
        ).environment
    }

    /// Binds a purchase that was made outside of the app to an account of your system (Set App Account Token).
    ///
    /// - Parameters:
    ///   - token: The account.
    ///   - identifier: The original transaction identifier.
    /// - Returns: The environment of the transaction.
    /// - Throws: ``AppStoreServerError``.
    @discardableResult
    public func setAppAccountToken(
        _ token: UUID, ofOriginalTransaction identifier: String
    ) async throws(AppStoreServerError) -> AppStoreEnvironment {
        let identifier = try APIRequest.checked(identifier, as: "original transaction identifier")
        return try await send(
            APIRequest(
                endpoint: .appAccountToken, method: .put,
                path: ["inApps", "v1", "transactions", identifier, "appAccountToken"],
                body: ["appAccountToken": .string(token.uuidString.lowercased())], expectsObject: false)
        ).environment
    }
}
