#if Server
/// What was deleted about an account.
package struct ForgottenPurchases: Sendable, Hashable {
    /// The number of purchases; 0 for an account that only events named.
    package let count: Int
    /// The newest event at that time. Later ones of these purchases are of customers who have submitted them again.
    package let event: Int64

    package init(count: Int, event: Int64) {
        self.count = count
        self.event = event
    }
}
#endif
