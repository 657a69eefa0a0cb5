import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets the transactions of a customer (Get Transaction History), finished consumables included.
    ///
    /// Apple signs each transaction and not the list: only the connection to the App Store proves that the list is complete and the
    /// customer's. Transactions of one customer may name different app transactions.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the customer.
    ///   - query: The filters, and where to begin.
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins them.
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
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins them.
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
            hasMore: try response.boolean("hasMore") ?? false, unverified: try UnverifiedAppMembers(response))
    }
}
