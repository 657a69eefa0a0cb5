import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension State {
    /// Send Consumption Information.
    mutating func consumption(_ call: Call) throws -> Answer {
        let transaction = try transaction(call.identifier(), in: call.scope).1
        guard transaction.ownership != PurchaseOwnership.familyShared.rawValue else {
            throw APIError.familyTransactionNotSupported
        }
        let body = try call.object()
        try Self.check(body, for: transaction)
        scopes[call.scope]?.consumption.append(
            FakeAppStoreServer.Consumption(transactionIdentifier: call.argument, body: body))
        return Answer(status: 202)
    }

    private static func check(_ body: AppStoreJSON.Object, for transaction: StoredTransaction) throws(APIError) {
        guard body["customerConsented"]?.boolean == true else { throw .invalidCustomerConsented }
        guard let delivery = body.string("deliveryStatus"), deliveryStatuses.contains(delivery) else {
            throw .invalidDeliveryStatus
        }
        guard body["sampleContentProvided"]?.boolean != nil else { throw .invalidSampleContentProvided }
        let preference = body.string("refundPreference")
        if let value = body["refundPreference"], value != .null {
            guard let preference, refundPreferences.contains(preference) else { throw .invalidRefundPreference }
        }
        guard transaction.members["advancedCommerceInfo"] == nil else {
            throw APIError(badRequest, message: "Advanced Commerce transactions aren't supported.")
        }
        try checkPercentage(
            body["consumptionPercentage"], isDelivered: delivery == "DELIVERED",
            isProrated: preference == "GRANT_PRORATED", for: transaction)
    }

    private static func checkPercentage(
        _ value: AppStoreJSON?, isDelivered: Bool, isProrated: Bool, for transaction: StoredTransaction
    ) throws(APIError) {
        guard let value, value != .null else {
            // Apple computes the proration of a subscription itself.
            if isProrated, !transaction.isSubscription {
                throw APIError(badRequest, message: "GRANT_PRORATED requires a consumption percentage.")
            }
            return
        }
        guard !transaction.isSubscription else { throw .consumptionPercentageAutoRenewableSubscription }
        guard let percentage = value.number?.int64, (0...100_000).contains(percentage) else {
            throw APIError(badRequest, message: "The consumption percentage is out of range.")
        }
        guard isDelivered || percentage == 0 else {
            throw APIError(badRequest, message: "The consumption percentage of an undelivered purchase isn't zero.")
        }
        guard !isProrated || (1..<100_000).contains(percentage) else {
            throw APIError(badRequest, message: "GRANT_PRORATED requires a percentage between 0 and 100,000.")
        }
    }

    /// The code of three errors that are documented without a number.
    private static let badRequest = APIError.generalBadRequest.code

    private static let deliveryStatuses = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
    private static let refundPreferences = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]
}
