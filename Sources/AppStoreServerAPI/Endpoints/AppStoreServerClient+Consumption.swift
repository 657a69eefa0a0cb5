public import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Sends information about the use of a purchase (Send Consumption Information).
    ///
    /// - Parameters:
    ///   - information: The information.
    ///   - identifier: The transaction identifier of the notification `CONSUMPTION_REQUEST`.
    /// - Returns: The environment of the transaction.
    /// - Throws: ``AppStoreServerError``.
    @discardableResult
    public func sendConsumptionInformation(
        _ information: ConsumptionInformation, ofTransaction identifier: String
    ) async throws(AppStoreServerError) -> ReceiptEnvironment.Base {
        try await sendConsumption(.consumption, "v2", identifier, try information.body)
    }

    /// Sends information about the use of a purchase with the first version of the endpoint, for purchases of the Advanced Commerce API.
    ///
    /// - Parameters:
    ///   - information: The information.
    ///   - identifier: The transaction identifier of the notification `CONSUMPTION_REQUEST`.
    /// - Returns: The environment of the transaction.
    /// - Throws: ``AppStoreServerError``.
    @discardableResult
    public func sendConsumptionInformation(
        _ information: ConsumptionInformationVersion1, ofTransaction identifier: String
    ) async throws(AppStoreServerError) -> ReceiptEnvironment.Base {
        try await sendConsumption(.consumptionVersion1, "v1", identifier, try information.body)
    }

    private func sendConsumption(
        _ endpoint: AppStoreServerEndpoint, _ version: String, _ identifier: String, _ body: JSONObject
    ) async throws(AppStoreServerError) -> ReceiptEnvironment.Base {
        let identifier = try APIRequest.checked(identifier, "transaction identifier")
        return try await send(
            APIRequest(
                endpoint: endpoint, method: .put, path: ["inApps", version, "transactions", "consumption", identifier],
                body: body, expectsObject: false)
        ).environment
    }
}
