import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets the transactions of a customer (Get Transaction History), finished consumables included.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the customer.
    ///   - query: The filters, and where to begin.
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins them.
    public func history(
        ofCustomer identifier: String, query: HistoryQuery = HistoryQuery()
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(
            .history, ["inApps", "v2", "history"], identifier, query: query.parameters, from: query.cursor)
    }

    /// Gets the transactions of a customer with the first version of the endpoint, which Apple deprecated.
    ///
    /// It doesn't list finished consumables.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier or original transaction identifier of the customer.
    ///   - query: The filters, and where to begin.
    /// - Returns: The pages, which are requested while you iterate.
    public func historyVersion1(
        ofCustomer identifier: String, query: HistoryQuery = HistoryQuery()
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(
            .historyVersion1, ["inApps", "v1", "history"], identifier, query: query.parameters, from: query.cursor)
    }

    /// Gets the refunded transactions of a customer (Get Refund History).
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier or original transaction identifier of the customer.
    ///   - cursor: The position after which to begin, from an earlier request.
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins them.
    public func refunds(
        ofCustomer identifier: String, after cursor: AppStoreServerCursor? = nil
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(.refunds, ["inApps", "v2", "refund", "lookup"], identifier, query: [], from: cursor)
    }

    /// Gets the refunded transactions of a customer with the first version of the endpoint, which Apple deprecated. It has one page.
    ///
    /// - Parameter identifier: The original transaction identifier.
    /// - Returns: The page.
    /// - Throws: ``AppStoreServerError``.
    public func refundsVersion1(
        ofOriginalTransaction identifier: String
    ) async throws(AppStoreServerError) -> HistoryPage {
        let identifier = try APIRequest.checked(identifier, "original transaction identifier")
        let response = try await send(
            APIRequest(endpoint: .refundsVersion1, path: ["inApps", "v1", "refund", "lookup", identifier]))
        return try historyPage(response)
    }

    private func historyPages(
        _ endpoint: AppStoreServerEndpoint, _ path: [String], _ identifier: String,
        query: [(name: String, value: String)], from cursor: AppStoreServerCursor?
    ) -> AppStoreServerPages<HistoryPage> {
        AppStoreServerPages(
            environment: cursor?.environment, token: cursor?.revision, maxPages: configuration.maxPages
        ) { environment, revision in
            let identifier = try APIRequest.checked(identifier, "customer's identifier")
            var request = APIRequest(endpoint: endpoint, path: path + [identifier], query: query)
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
            cursor: response.string("revision").map {
                AppStoreServerCursor(environment: response.environment, revision: $0)
            },
            hasMore: response.boolean("hasMore") ?? false, unverified: UnverifiedAppMembers(response))
    }
}
