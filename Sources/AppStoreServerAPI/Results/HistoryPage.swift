public import AppReceiptKit
public import AppStoreSignedData

/// A page of a customer's transactions or refunds.
@available(AppStoreServerAPI 1.0, *)
public struct HistoryPage: Sendable {
    /// The environment that was asked, which every transaction names.
    public let environment: ReceiptEnvironment.Base
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
