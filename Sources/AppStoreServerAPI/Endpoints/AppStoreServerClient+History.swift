import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets the transactions of a customer (Get Transaction History), finished consumables included.
    ///
    /// A whole history without filters contains the requested identifier, or it is another customer's, which is an error with the code
    /// `answer-for-another-transaction`. With filters or a cursor, a history without the identifier is compared with the requested
    /// transaction, which costs another request. It is accepted if the App Store knows that transaction, because Apple doesn't sign
    /// lists. An empty list, and transactions that are missing or added, can't be recognized. Transactions of one customer may name
    /// different app transactions.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the customer.
    ///   - query: The filters, and where to begin.
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins them.
    public func history(
        ofCustomer identifier: String, query: HistoryQuery = HistoryQuery()
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(
            .history, ["inApps", "v2", "history"], identifier, query: query.parameters, from: query.cursor,
            content: query.isComplete ? .everything : .part)
    }

    /// Gets the transactions of a customer with the first version of the endpoint, which Apple deprecated.
    ///
    /// It doesn't list finished consumables, so that a history without the requested identifier is compared as one with filters.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier or original transaction identifier of the customer.
    ///   - query: The filters, and where to begin.
    /// - Returns: The pages, which are requested while you iterate.
    public func historyVersion1(
        ofCustomer identifier: String, query: HistoryQuery = HistoryQuery()
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(
            .historyVersion1, ["inApps", "v1", "history"], identifier, query: query.parameters, from: query.cursor,
            content: .part)
    }

    /// Gets the refunded transactions of a customer (Get Refund History).
    ///
    /// Refunds without the requested identifier are compared with the requested transaction, which costs another request. Refunds for a
    /// transaction that the App Store doesn't know are an error. Others are accepted, because nothing proves that they are another
    /// customer's.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier or original transaction identifier of the customer.
    ///   - cursor: The position after which to begin, from an earlier request.
    /// - Returns: The pages, which are requested while you iterate. ``AppStoreServerPages/collected(progress:)`` joins them.
    public func refunds(
        ofCustomer identifier: String, after cursor: AppStoreServerCursor? = nil
    ) -> AppStoreServerPages<HistoryPage> {
        historyPages(
            .refunds, ["inApps", "v2", "refund", "lookup"], identifier, query: [], from: cursor, content: .part)
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
        let page = try historyPage(response)
        var evidence = CustomerEvidence(identifier)
        evidence.add(page.transactions, rejected: page.rejected)
        try await confirm(evidence, of: identifier, content: .part, in: response.environment)
        return page
    }

    private func historyPages(
        _ endpoint: AppStoreServerEndpoint, _ path: [String], _ identifier: String,
        query: [(name: String, value: String)], from cursor: AppStoreServerCursor?, content: AnswerContent
    ) -> AppStoreServerPages<HistoryPage> {
        let customer = AppStoreServerPages<HistoryPage>.Customer(identifier: identifier) { evidence, environment in
            try await confirm(evidence, of: identifier, content: content, in: environment)
        }
        return AppStoreServerPages(
            environment: cursor?.environment, token: cursor?.revision, maxPages: configuration.maxPages,
            customer: customer
        ) { environment, revision in
            let identifier = try APIRequest.checked(identifier, "customer's identifier")
            var request = APIRequest(endpoint: endpoint, path: path + [identifier], query: query)
            if let revision { request.query.append(("revision", revision)) }
            let response = try await send(request, only: environment)
            let page = try historyPage(response)
            return FetchedPage(
                page: page, environment: response.environment, hasMore: page.hasMore,
                nextToken: page.cursor?.revision,
                items: Set(page.transactions.compactMap(\.claims.transactionIdentifier)),
                addEvidence: { $0.add(page.transactions, rejected: page.rejected) })
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
