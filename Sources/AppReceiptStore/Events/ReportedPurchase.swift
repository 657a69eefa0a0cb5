#if Server
package import AppReceiptSupport

/// A purchase, with its entitlements as the events told them last. Like events, they are stored unsigned.
package struct ReportedPurchase: Sendable, Hashable {
    /// The purchase.
    package let original: ScopedOriginal
    /// The account that owns it; nil for none.
    package let account: String?
    /// The entitlements.
    package let entitlements: [AppStoreJSON]

    package init(original: ScopedOriginal, account: String?, entitlements: [AppStoreJSON]) {
        self.original = original
        self.account = account
        self.entitlements = entitlements
    }
}

/// Some purchases, and where to continue.
package struct ReportedPurchasePage: Sendable, Hashable {
    /// The purchases in their order, without those of which nothing is told.
    package let purchases: [ReportedPurchase]
    /// The last purchase; nil if there are no others.
    package let last: ScopedOriginal?
    /// The event after which to continue. Some that follow may be included already.
    package let event: Int64

    package init(purchases: [ReportedPurchase], last: ScopedOriginal?, event: Int64) {
        self.purchases = purchases
        self.last = last
        self.event = event
    }
}
#endif
