public import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Extends a subscription (Extend a Subscription Renewal Date). This can't be undone.
    ///
    /// - Parameters:
    ///   - identifier: The original transaction identifier of the subscription.
    ///   - request: By how much, and why.
    /// - Returns: The result.
    /// - Throws: ``AppStoreServerError``.
    public func extendSubscription(
        _ identifier: String, _ request: RenewalExtensionRequest
    ) async throws(AppStoreServerError) -> UnsignedResponse<RenewalExtension> {
        let identifier = try APIRequest.checked(identifier, "original transaction identifier")
        let response = try await send(
            APIRequest(
                endpoint: .extend, method: .put, path: ["inApps", "v1", "subscriptions", "extend", identifier],
                body: try request.body))
        guard response.string("originalTransactionId") ?? identifier == identifier else {
            throw AppStoreServerError(.answerForAnotherTransaction, in: response.environment)
        }
        return UnsignedResponse(
            environment: response.environment,
            unverified: RenewalExtension(
                originalTransactionIdentifier: response.string("originalTransactionId"),
                webOrderLineItemIdentifier: response.string("webOrderLineItemId"),
                isSuccessful: response.boolean("success") ?? false, effectiveDate: response.date("effectiveDate")))
    }

    /// Extends all active subscriptions of a product (Extend Subscription Renewal Dates for All Active Subscribers). This can't be undone.
    ///
    /// The App Store extends them over hours. ``massExtensionStatus(ofProduct:requestIdentifier:in:)`` returns the progress.
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
        ofProduct product: String, _ request: RenewalExtensionRequest, storefronts: [String]? = nil,
        in environment: ReceiptEnvironment.Base
    ) async throws(AppStoreServerError) -> String {
        guard !product.isEmpty, storefronts?.isEmpty != true else {
            throw AppStoreServerError(
                .requestInvalid,
                "The product identifier or the list of storefronts is empty. For every storefront, pass nil.")
        }
        var body = try request.body
        body["productId"] = .string(product)
        body["storefrontCountryCodes"] = storefronts.map { .array($0.map { .string($0) }) }
        let response = try await send(
            APIRequest(
                endpoint: .massExtend, method: .post, path: ["inApps", "v1", "subscriptions", "extend", "mass"],
                body: body), only: environment)
        return try self.requestIdentifier(of: response, request.requestIdentifier)
    }

    /// Gets the progress of extending all subscriptions of a product (Get Status of Subscription Renewal Date Extensions).
    ///
    /// - Parameters:
    ///   - product: The product identifier.
    ///   - requestIdentifier: The identifier of the request.
    ///   - environment: The environment.
    /// - Returns: The progress.
    /// - Throws: ``AppStoreServerError``.
    public func massExtensionStatus(
        ofProduct product: String, requestIdentifier: String, in environment: ReceiptEnvironment.Base
    ) async throws(AppStoreServerError) -> UnsignedResponse<MassExtensionStatus> {
        let product = try APIRequest.checked(product, "product identifier")
        let identifier = try APIRequest.checked(requestIdentifier, "request identifier")
        let response = try await send(
            APIRequest(
                endpoint: .massExtendStatus,
                path: ["inApps", "v1", "subscriptions", "extend", "mass", product, identifier]), only: environment)
        _ = try self.requestIdentifier(of: response, identifier)
        return UnsignedResponse(
            environment: response.environment,
            unverified: MassExtensionStatus(
                requestIdentifier: response.string("requestIdentifier"),
                isComplete: response.boolean("complete") ?? false, completionDate: response.date("completeDate"),
                succeededCount: response.integer("succeededCount"), failedCount: response.integer("failedCount")))
    }

    /// The request identifier of a response, which must be the expected one.
    private func requestIdentifier(
        of response: APIResponse, _ expected: String
    ) throws(AppStoreServerError) -> String {
        guard let identifier = response.string("requestIdentifier") else { return expected }
        guard identifier.lowercased() == expected.lowercased() else {
            throw AppStoreServerError(.answerForAnotherRequest, in: response.environment)
        }
        return identifier
    }
}
