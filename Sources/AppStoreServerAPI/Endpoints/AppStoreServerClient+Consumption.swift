public import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Sends information about the use of a purchase (Send Consumption Information).
    ///
    /// Apple refuses it for purchases of the Advanced Commerce API, which only the deprecated first version of the endpoint accepts.
    ///
    /// - Parameters:
    ///   - information: The information.
    ///   - identifier: The transaction identifier of the notification `CONSUMPTION_REQUEST`.
    /// - Returns: The environment of the transaction.
    /// - Throws: ``AppStoreServerError``.
    @discardableResult
    public func sendConsumptionInformation(
        _ information: ConsumptionInformation, ofTransaction identifier: String
    ) async throws(AppStoreServerError) -> AppStoreEnvironment {
        try await send(
            APIRequest(.consumption, about: ["transaction identifier": identifier], body: information.body)
        ).environment
    }
}
