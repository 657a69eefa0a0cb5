public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Extends a subscription (Extend a Subscription Renewal Date). This can't be undone.
    ///
    /// Apple doesn't sign the answer: only the connection to the App Store protects it. The history then has a
    /// transaction with the new expiration date, which is signed. An answer without `success` is an error, after which
    /// the extension may have been made: repeat the request with the same request identifier.
    ///
    /// - Parameters:
    ///   - identifier: The original transaction identifier of the subscription.
    ///   - request: By how much, and why.
    /// - Returns: The result.
    /// - Throws: ``AppStoreServerError``.
    public func extendSubscription(
        _ identifier: String, by request: RenewalExtensionRequest
    ) async throws(AppStoreServerError) -> UnsignedResponse<RenewalExtension> {
        let response = try await send(
            APIRequest(.extend, about: ["original transaction identifier": identifier], body: request.body))
        let original = try response.string("originalTransactionId")
        guard original ?? identifier == identifier else {
            throw AppStoreServerError(
                .answerForAnotherTransaction,
                message: "The response names another subscription than the one requested.",
                in: response.environment
            ) { $0.isOutcomeUnknown = true }
        }
        guard let isSuccessful = response.object["success"]?.boolean else {
            let error = response.unreadable("The member 'success' is missing, or isn't true or false.")
            throw error.with { $0.remedy = "Repeat the request with the same request identifier, which extends once." }
        }
        return UnsignedResponse(
            environment: response.environment,
            unverified: RenewalExtension(
                originalTransactionIdentifier: original,
                webOrderLineItemIdentifier: try response.string("webOrderLineItemId"),
                isSuccessful: isSuccessful, effectiveDate: try response.date("effectiveDate")))
    }

    /// Extends all active subscriptions of a product (Extend Subscription Renewal Dates for All Active Subscribers).
    /// This can't be undone.
    ///
    /// The App Store extends them over hours. ``extensionStatus(ofProduct:requestIdentifier:in:)`` returns the
    /// progress.
    ///
    /// - Parameters:
    ///   - product: The product identifier.
    ///   - request: By how much, and why.
    ///   - storefronts: The country codes of three letters whose subscriptions are extended; nil for all.
    ///   - environment: The environment.
    /// - Returns: The identifier of the request.
    /// - Throws: ``AppStoreServerError``.
    @discardableResult
    public func extendAllSubscriptions(
        ofProduct product: String, by request: RenewalExtensionRequest, storefronts: [String]? = nil,
        in environment: AppStoreEnvironment
    ) async throws(AppStoreServerError) -> String {
        guard !product.isEmpty, storefronts?.isEmpty != true else {
            throw AppStoreServerError(
                .requestInvalid,
                message: "The product identifier or the list of storefronts is empty. For every storefront, pass nil.")
        }
        var body = try request.body
        body["productId"] = .string(product)
        body["storefrontCountryCodes"] = storefronts.map { .array($0.map { .string($0) }) }
        let response = try await send(APIRequest(.massExtend, body: body), only: environment)
        return try self.requestIdentifier(of: response, expecting: request.requestIdentifier)
    }

    /// Gets the progress of extending all subscriptions of a product (Get Status of Subscription Renewal Date
    /// Extensions).
    ///
    /// - Parameters:
    ///   - product: The product identifier.
    ///   - requestIdentifier: The identifier of the request.
    ///   - environment: The environment.
    /// - Returns: The progress.
    /// - Throws: ``AppStoreServerError``.
    public func extensionStatus(
        ofProduct product: String, requestIdentifier: String, in environment: AppStoreEnvironment
    ) async throws(AppStoreServerError) -> UnsignedResponse<ExtensionStatus> {
        let response = try await send(
            APIRequest(
                .massExtendStatus, about: ["product identifier": product, "request identifier": requestIdentifier]),
            only: environment)
        _ = try self.requestIdentifier(of: response, expecting: requestIdentifier)
        return UnsignedResponse(
            environment: response.environment,
            unverified: ExtensionStatus(
                requestIdentifier: try response.string("requestIdentifier"),
                isComplete: try response.boolean("complete") ?? false,
                completionDate: try response.date("completeDate"),
                succeededCount: try response.integer("succeededCount"),
                failedCount: try response.integer("failedCount")))
    }

    /// Returns the request identifier of a response, which must be the expected one.
    private func requestIdentifier(
        of response: APIResponse, expecting expected: String
    ) throws(AppStoreServerError) -> String {
        guard let identifier = try response.string("requestIdentifier") else { return expected }
        guard identifier.lowercased() == expected.lowercased() else {
            throw AppStoreServerError(.answerForAnotherRequest, in: response.environment) {
                $0.isOutcomeUnknown = response.changesSomething
            }
        }
        return identifier
    }

    /// By how much to extend a subscription, and why. An extension can't be undone.
    public struct RenewalExtensionRequest: Sendable, Hashable {
        /// The number of days, 1 to 90.
        public var days: Int
        /// The reason.
        public var reason: Reason
        /// An identifier for this extension, such as a UUID. A repeated request with the same identifier extends once.
        public var requestIdentifier: String

        /// Creates a request.
        public init(days: Int, reason: Reason, requestIdentifier: String) {
            self.days = days
            self.reason = reason
            self.requestIdentifier = requestIdentifier
        }

        /// The reason for an extension.
        public enum Reason: Int, Sendable, Hashable, CaseIterable {
            /// No reason.
            case undeclared = 0
            /// For the customer's satisfaction.
            case customerSatisfaction = 1
            /// Another reason.
            case other = 2
            /// A service failed.
            case serviceOutage = 3
        }

        /// The body of the request.
        var body: AppStoreJSON.Object {
            get throws(AppStoreServerError) {
                guard (1...90).contains(days) else {
                    throw AppStoreServerError(
                        .requestInvalid, message: "A subscription can be extended by 1 to 90 days.")
                }
                guard (1...128).contains(requestIdentifier.utf8.count) else {
                    throw AppStoreServerError(
                        .requestInvalid, message: "The request identifier must have 1 to 128 characters.")
                }
                return [
                    "extendByDays": .number(AppStoreJSON.Number(days)),
                    "extendReasonCode": .number(AppStoreJSON.Number(reason.rawValue)),
                    "requestIdentifier": .string(requestIdentifier),
                ]
            }
        }
    }

    /// The result of extending a subscription.
    public struct RenewalExtension: Sendable, Hashable {
        /// The subscription.
        public let originalTransactionIdentifier: String?
        /// The identifier of the period that was extended.
        public let webOrderLineItemIdentifier: String?
        /// Whether the subscription was extended.
        public let isSuccessful: Bool
        /// The new date of the renewal.
        public let effectiveDate: Date?
    }

    /// The progress of extending all subscriptions of a product.
    public struct ExtensionStatus: Sendable, Hashable {
        /// The identifier of the request.
        public let requestIdentifier: String?
        /// Whether the App Store has finished.
        public let isComplete: Bool
        /// The date at which it finished.
        public let completionDate: Date?
        /// The number of subscriptions that were extended.
        public let succeededCount: Int64?
        /// The number of subscriptions that weren't extended.
        public let failedCount: Int64?
    }
}
