#if Server
package import AppReceiptSupport

/// A purchase and the entitlements that its last events reported. Like events, they are stored without signatures.
package struct ReportedPurchase: Sendable, Hashable {
    /// The purchase.
    package let original: ScopedOriginal
    /// The account that owns it; nil for none.
    package let account: String?
    /// The entitlements, in the form of events.
    package let entitlements: [AppStoreJSON]

    package init(original: ScopedOriginal, account: String?, entitlements: [AppStoreJSON]) {
        self.original = original
        self.account = account
        self.entitlements = entitlements
    }
}

/// A page of purchases, and where the next page begins.
package struct ReportedPurchasePage: Sendable, Hashable {
    /// The purchases in order, without those that no event reported.
    package let purchases: [ReportedPurchase]
    /// The last purchase of the page; nil on the last page.
    package let last: ScopedOriginal?
    /// The last event when the page was read. A reader of all pages continues with the events that follow that of the
    /// first page, some of which the pages may already include.
    package let event: Int64

    package init(purchases: [ReportedPurchase], last: ScopedOriginal?, event: Int64) {
        self.purchases = purchases
        self.last = last
        self.event = event
    }
}
#endif
