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
        let response = try await send(APIRequest(.transaction, about: ["transaction identifier": identifier]))
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
    /// - Parameter identifier: Any transaction identifier, original transaction identifier or app transaction
    ///   identifier of the customer.
    /// - Returns: The verified app transaction.
    /// - Throws: ``AppStoreServerError``.
    public func appTransaction(
        ofCustomer identifier: String
    ) async throws(AppStoreServerError) -> VerifiedAppTransaction {
        let response = try await send(APIRequest(.appTransaction, about: ["customer's identifier": identifier]))
        return try verified(
            response.required("signedAppTransactionInfo"), in: response.environment,
            by: verifier.verifyAppTransaction(_:expecting:now:))
    }

    /// Looks up an order identifier of an email from Apple (Look Up Order ID).
    ///
    /// Signed transactions don't contain the order identifier, so nothing proves that they are of this order: only the
    /// connection to the App Store protects the answer. Compare an identifier in them with what you know about the
    /// customer.
    ///
    /// - Parameters:
    ///   - identifier: The order identifier.
    ///   - environment: The environment. Apple sends emails for production only.
    /// - Returns: The transactions of the order.
    /// - Throws: ``AppStoreServerError``.
    public func order(
        _ identifier: String, in environment: AppStoreEnvironment = .production
    ) async throws(AppStoreServerError) -> OrderLookup {
        let response = try await send(APIRequest(.order, about: ["order identifier": identifier]), only: environment)
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
        try await send(APIRequest(.finish, about: ["transaction identifier": identifier])).environment
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
        try await send(
            APIRequest(
                .appAccountToken, about: ["original transaction identifier": identifier],
                body: ["appAccountToken": .string(token.uuidString.lowercased())])
        ).environment
    }

    /// The transactions of an order.
    public struct OrderLookup: Sendable {
        /// The environment of the request.
        public let environment: AppStoreEnvironment
        /// The verified transactions, in the App Store's order. Empty if the App Store doesn't know the order.
        public let transactions: [VerifiedTransaction]
        /// The items that were rejected.
        public let rejected: [RejectedItem]
        /// Members that aren't signed.
        public let unverified: Unverified

        /// Members that aren't signed.
        public struct Unverified: Sendable, Hashable {
            /// Whether the order is known.
            public let status: Status?
        }

        /// Whether an order is known.
        public struct Status: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
            /// The number in the response.
            public let rawValue: Int64
            /// Creates a status with any number, known or unknown.
            public init(rawValue: Int64) { self.rawValue = rawValue }
            /// The number in the response.
            public var description: String { String(rawValue) }

            /// The order identifier is valid.
            public static let valid = Self(rawValue: 0)
            /// The order identifier isn't valid.
            public static let invalid = Self(rawValue: 1)
        }
    }
}
