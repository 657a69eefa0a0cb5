import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
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
}
