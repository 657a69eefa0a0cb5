public import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Sends information about the use of a purchase (Send Consumption Information).
    ///
    /// Apple refuses it for purchases of the Advanced Commerce API, which only the deprecated first version of the
    /// endpoint accepts.
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

    /// A customer's use of a purchase, for Apple's decision about a refund.
    ///
    /// Send it within 12 hours of a notification of the type `CONSUMPTION_REQUEST`, and only if the customer consented.
    /// Otherwise don't respond.
    public struct ConsumptionInformation: Sendable, Hashable {
        /// Whether the customer consented. Apple accepts only true.
        public var customerConsented: Bool
        /// Whether the purchase was delivered.
        public var deliveryStatus: DeliveryStatus
        /// Whether the customer could try the content before.
        public var sampleContentProvided: Bool
        /// The consumed part of the purchase, in thousandths of a percent: 0 to 100,000. Not for subscriptions that
        /// renew.
        public var consumptionPercentage: Int32?
        /// The decision that you prefer.
        public var refundPreference: RefundPreference?

        /// Creates the information.
        public init(
            customerConsented: Bool, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool,
            consumptionPercentage: Int32? = nil, refundPreference: RefundPreference? = nil
        ) {
            self.customerConsented = customerConsented
            self.deliveryStatus = deliveryStatus
            self.sampleContentProvided = sampleContentProvided
            self.consumptionPercentage = consumptionPercentage
            self.refundPreference = refundPreference
        }

        /// Whether a purchase was delivered.
        public struct DeliveryStatus: RawRepresentable, Sendable, Hashable {
            /// The text in the request.
            public let rawValue: String
            /// Creates a status.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The purchase was delivered and works.
            public static let delivered = Self(rawValue: "DELIVERED")
            /// Not delivered because of a quality issue.
            public static let undeliveredQualityIssue = Self(rawValue: "UNDELIVERED_QUALITY_ISSUE")
            /// Another item was delivered.
            public static let undeliveredWrongItem = Self(rawValue: "UNDELIVERED_WRONG_ITEM")
            /// Not delivered because a server failed.
            public static let undeliveredServerOutage = Self(rawValue: "UNDELIVERED_SERVER_OUTAGE")
            /// Not delivered for another reason.
            public static let undeliveredOther = Self(rawValue: "UNDELIVERED_OTHER")
        }

        /// A decision about a refund.
        public struct RefundPreference: RawRepresentable, Sendable, Hashable {
            /// The text in the request.
            public let rawValue: String
            /// Creates a preference.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Decline the refund.
            public static let decline = Self(rawValue: "DECLINE")
            /// Refund all.
            public static let grantFull = Self(rawValue: "GRANT_FULL")
            /// Refund the part that wasn't consumed.
            public static let grantProrated = Self(rawValue: "GRANT_PRORATED")
        }

        /// The body of the request.
        var body: AppStoreJSON.Object {
            get throws(AppStoreServerError) {
                guard customerConsented else {
                    throw AppStoreServerError(
                        .requestInvalid,
                        message: "The customer didn't consent. Don't respond to the consumption request.")
                }
                if let percentage = consumptionPercentage {
                    guard (0...100_000).contains(percentage) else {
                        throw AppStoreServerError(
                            .requestInvalid, message: "The consumption percentage must be 0 to 100,000.")
                    }
                    guard deliveryStatus == .delivered || percentage == 0 else {
                        throw AppStoreServerError(
                            .requestInvalid,
                            message: "The consumption percentage of a purchase that wasn't delivered must be 0.")
                    }
                    guard refundPreference != .grantProrated || (1..<100_000).contains(percentage) else {
                        throw AppStoreServerError(
                            .requestInvalid,
                            message: "A prorated refund requires a consumption percentage between 0 and 100,000.")
                    }
                }
                var body: AppStoreJSON.Object = [
                    "customerConsented": true, "deliveryStatus": .string(deliveryStatus.rawValue),
                    "sampleContentProvided": .boolean(sampleContentProvided),
                ]
                body["consumptionPercentage"] = consumptionPercentage.map { .number(AppStoreJSON.Number($0)) }
                body["refundPreference"] = refundPreference.map { .string($0.rawValue) }
                return body
            }
        }
    }
}
