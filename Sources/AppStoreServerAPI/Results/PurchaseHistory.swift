public import AppReceiptKit
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// A page of a customer's transactions or refunds.
    public struct HistoryPage: Sendable {
        /// The environment that was asked, which every transaction names.
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
        public let unverified: UnverifiedAppMembers
    }

    /// All pages of a customer's transactions or refunds.
    public struct PurchaseHistory: Sendable {
        /// The environment that was asked, which every transaction names.
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
