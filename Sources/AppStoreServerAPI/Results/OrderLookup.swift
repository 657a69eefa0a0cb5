public import AppReceiptKit
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// The transactions of an order.
    public struct OrderLookup: Sendable {
        /// The environment that was asked.
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
