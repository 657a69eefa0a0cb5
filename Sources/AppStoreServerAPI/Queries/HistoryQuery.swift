public import AppReceiptFoundation
public import AppReceiptKit

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Which transactions of a customer to return. Without filters, all.
    public struct HistoryQuery: Sendable, Hashable {
        /// Only purchases at this date or later.
        public var startDate: Date?
        /// Only purchases before this date.
        public var endDate: Date?
        /// Only purchases of these products; empty for all.
        public var productIdentifiers: [String] = []
        /// Only products of these types; empty for all.
        public var productTypes: [ProductType] = []
        /// The order, by the date of the last change.
        public var order: Order?
        /// Only subscriptions of these groups; empty for all.
        public var subscriptionGroupIdentifiers: [String] = []
        /// Only purchases that were obtained like this.
        public var ownership: PurchaseOwnership?
        /// True for only revoked purchases, false for only others.
        public var isRevoked: Bool?
        /// The position after which to begin, from an earlier request with the same filters. Only its environment is asked.
        public var cursor: AppStoreServerCursor?

        /// Creates a query for all transactions.
        public init() {}

        /// Creates a query for what changed since an earlier request without filters.
        public init(cursor: AppStoreServerCursor?) { self.cursor = cursor }

        /// An order of transactions.
        public enum Order: String, Sendable, Hashable {
            /// The one that changed first begins.
            case ascending = "ASCENDING"
            /// The one that changed last begins.
            case descending = "DESCENDING"
        }

        /// A type of products.
        public struct ProductType: RawRepresentable, Sendable, Hashable {
            /// The text in the request.
            public let rawValue: String
            /// Creates a type.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Subscriptions that the App Store renews.
            public static let autoRenewable = Self(rawValue: "AUTO_RENEWABLE")
            /// Subscriptions without renewal.
            public static let nonRenewable = Self(rawValue: "NON_RENEWABLE")
            /// Consumables.
            public static let consumable = Self(rawValue: "CONSUMABLE")
            /// Non-consumables.
            public static let nonConsumable = Self(rawValue: "NON_CONSUMABLE")
        }

        /// The parameters of a request. They must be the same for every page.
        var parameters: [(name: String, value: String)] {
            var parameters: [(name: String, value: String)] = []
            func add(_ name: String, value: String?) {
                if let value { parameters.append((name, value)) }
            }
            add("startDate", value: startDate.map { String($0.millisecondsSince1970) })
            add("endDate", value: endDate.map { String($0.millisecondsSince1970) })
            for identifier in productIdentifiers { add("productId", value: identifier) }
            for type in productTypes { add("productType", value: type.rawValue) }
            add("sort", value: order?.rawValue)
            for identifier in subscriptionGroupIdentifiers { add("subscriptionGroupIdentifier", value: identifier) }
            add("inAppOwnershipType", value: ownership?.rawValue)
            add("revoked", value: isRevoked.map { $0 ? "true" : "false" })
            return parameters
        }
    }
}
