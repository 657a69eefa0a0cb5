public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets the transactions of a customer (Get Transaction History), finished consumables included.
    ///
    /// Apple signs each transaction and not the list: only the connection to the App Store proves that the list is
    /// complete and the customer's. Transactions of one customer may name different app transactions.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the
    ///     customer.
    ///   - query: The filters, and where to begin.
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins
    ///   them.
    public func history(
        ofCustomer identifier: String, query: HistoryQuery = HistoryQuery()
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(of: identifier, at: .history, query: query.parameters, after: query.cursor)
    }

    /// Gets the refunded transactions of a customer (Get Refund History).
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier or original transaction identifier of the customer.
    ///   - cursor: The position after which to begin, from an earlier request.
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins
    ///   them.
    public func refunds(
        ofCustomer identifier: String, after cursor: AppStoreServerCursor? = nil
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(of: identifier, at: .refunds, query: [], after: cursor)
    }

    private func historyPages(
        of identifier: String, at endpoint: APIRequest.Endpoint, query: [(name: String, value: String)],
        after cursor: AppStoreServerCursor?
    ) -> AppStoreServerPages<HistoryPage> {
        AppStoreServerPages(
            environment: cursor?.environment, token: cursor?.revision, maxPages: configuration.maxPages
        ) { environment, revision in
            var request = try APIRequest(endpoint, about: ["customer's identifier": identifier], query: query)
            if let revision { request.query.append(("revision", revision)) }
            let response = try await send(request, only: environment)
            let page = try historyPage(response)
            return FetchedPage(
                page: page, environment: response.environment, hasMore: page.hasMore,
                nextToken: page.cursor?.revision,
                items: Set(page.transactions.compactMap(\.claims.transactionIdentifier)))
        }
    }

    private func historyPage(_ response: APIResponse) throws(AppStoreServerError) -> HistoryPage {
        let (transactions, rejected) = try transactions(in: response)
        return HistoryPage(
            environment: response.environment, transactions: transactions, rejected: rejected,
            cursor: try response.string("revision").map {
                AppStoreServerCursor(environment: response.environment, revision: $0)
            },
            hasMore: try response.boolean("hasMore") ?? false, unverified: try AppMembers(response))
    }

    /// A filter of a customer's transactions. Without filters, all.
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
        /// The position after which to begin, from an earlier request with the same filters. Only its environment is
        /// asked.
        public var cursor: AppStoreServerCursor?

        /// Creates a query without filters: for all transactions, or for what changed since an earlier request.
        public init(cursor: AppStoreServerCursor? = nil) { self.cursor = cursor }

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

    /// A page of a customer's transactions or refunds.
    public struct HistoryPage: Sendable {
        /// The environment of the request, which every transaction names.
        public let environment: AppStoreEnvironment
        /// The verified transactions, in the App Store's order.
        public let transactions: [VerifiedTransaction]
        /// The items that were rejected.
        public let rejected: [RejectedItem]
        /// The position after this page; nil if the response doesn't name one.
        public let cursor: AppStoreServerCursor?
        /// Whether the response says that there is another page.
        public let hasMore: Bool
        /// Members that aren't signed.
        public let unverified: AppMembers
    }

    /// All pages of a customer's transactions or refunds.
    public struct PurchaseHistory: Sendable {
        /// The environment of the request, which every transaction names.
        public let environment: AppStoreEnvironment
        /// The verified transactions, in the App Store's order.
        public let transactions: [VerifiedTransaction]
        /// The items that were rejected, with their positions in the whole list.
        public let rejected: [RejectedItem]
        /// The position after the last page, from which a later request continues.
        public let cursor: AppStoreServerCursor?
        /// The number of pages.
        public let pageCount: Int

        init?(_ pages: [HistoryPage]) {
            guard let last = pages.last else { return nil }
            environment = last.environment
            transactions = pages.flatMap(\.transactions)
            rejected = .joined(pages.map { ($0.transactions.count, $0.rejected) })
            cursor = last.cursor
            pageCount = pages.count
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerPages where Page == AppStoreServerClient.HistoryPage {
    /// Reads all pages and joins them.
    ///
    /// - Parameter progress: Called with each page.
    /// - Returns: The transactions of all pages.
    /// - Throws: The first failure. Nothing is returned then: iterate to keep the pages that were read.
    public func collected(
        progress: @Sendable (AppStoreServerClient.HistoryPage) -> Void = { _ in }
    ) async throws(AppStoreServerError) -> AppStoreServerClient.PurchaseHistory {
        guard let history = AppStoreServerClient.PurchaseHistory(try await all(progress: progress)) else {
            throw AppStoreServerError(.responseUnreadable)
        }
        return history
    }
}
