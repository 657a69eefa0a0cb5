/// An item of a list that isn't returned as verified.
@available(AppStoreServerAPI 1.0, *)
public struct RejectedItem: Sendable, Hashable {
    /// The position of the item in the App Store's list, counted from 0. Transactions and rejected items together are the whole list.
    public let index: Int
    /// Why it was rejected. ``AppStoreServerError/receiptError`` contains the failure of the verification.
    public let error: AppStoreServerError
}
