import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a customer used a purchase, in the first version of the API. Apple requires it for purchases of the Advanced Commerce API.
///
/// Every number is one of Apple's values; 0 means that you don't say, except for ``deliveryStatus``.
@available(AppStoreServerAPI 1.0, *)
public struct ConsumptionInformationVersion1: Sendable, Hashable {
    /// Whether the customer consented. Apple accepts only true.
    public var customerConsented: Bool
    /// Whether the customer could try the content before.
    public var sampleContentProvided: Bool
    /// The account of the customer in your system.
    public var appAccountToken: UUID?
    /// The age of the customer's account, 0 to 7: up to 3, 10, 30, 90, 180, 365 days, or more.
    public var accountTenure: Int64 = 0
    /// How much was consumed, 0 to 3: nothing, a part, everything.
    public var consumptionStatus: Int64 = 0
    /// Whether the purchase was delivered, 0 to 5: yes, quality issue, wrong item, server outage, changed currency, other reason.
    public var deliveryStatus: Int64
    /// The customer's purchases in the app, 0 to 7: 0, up to 50, 100, 500, 1000, 2000 dollars, or more.
    public var lifetimeDollarsPurchased: Int64 = 0
    /// The customer's refunds in the app, 0 to 7, with the values of ``lifetimeDollarsPurchased``.
    public var lifetimeDollarsRefunded: Int64 = 0
    /// Where the purchase was consumed, 0 to 2: on an Apple platform, elsewhere.
    public var platform: Int64 = 0
    /// How long the customer used the app, 0 to 7: up to 5 minutes, 1, 6, 24 hours, 4, 16 days, or more.
    public var playTime: Int64 = 0
    /// The decision that you prefer, 0 to 3: refund, decline, no preference.
    public var refundPreference: Int64 = 0
    /// The state of the customer's account, 0 to 4: active, suspended, terminated, limited.
    public var userStatus: Int64 = 0

    /// Creates the information.
    public init(customerConsented: Bool, sampleContentProvided: Bool, deliveryStatus: Int64) {
        self.customerConsented = customerConsented
        self.sampleContentProvided = sampleContentProvided
        self.deliveryStatus = deliveryStatus
    }

    /// The body of the request.
    var body: JSONObject {
        get throws(AppStoreServerError) {
            guard customerConsented else { throw ConsumptionInformation.withoutConsent }
            let numbers: [(name: String, value: Int64, max: Int64)] = [
                ("accountTenure", accountTenure, 7), ("consumptionStatus", consumptionStatus, 3),
                ("deliveryStatus", deliveryStatus, 5), ("lifetimeDollarsPurchased", lifetimeDollarsPurchased, 7),
                ("lifetimeDollarsRefunded", lifetimeDollarsRefunded, 7), ("platform", platform, 2),
                ("playTime", playTime, 7), ("refundPreference", refundPreference, 3), ("userStatus", userStatus, 4),
            ]
            var body: JSONObject = [
                "customerConsented": true, "sampleContentProvided": .boolean(sampleContentProvided),
                "appAccountToken": .string(appAccountToken?.uuidString.lowercased() ?? ""),
            ]
            for number in numbers {
                guard (0...number.max).contains(number.value) else {
                    throw AppStoreServerError(
                        .requestInvalid, "The value of \(number.name) must be 0 to \(number.max).")
                }
                body[number.name] = .number(JSONNumber(number.value))
            }
            return body
        }
    }
}
