public import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Entitlements {
    /// Derives entitlements from receipts, signed transactions and renewal information together.
    ///
    /// Each list may be empty, in any order, and contain any number of copies. A transaction that several sources contain is one purchase.
    /// Renewal information doesn't name an app, so it has an effect only together with a transaction or receipt of its original transaction.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app. Receipts and transactions of other apps have no effect.
    ///   - environment: The environment. Evidence of other environments has no effect.
    ///   - receipts: Receipts of one customer.
    ///   - transactions: Signed transactions of the same customer.
    ///   - renewals: Renewal information of the same customer.
    ///   - date: The date for which the entitlements are derived. All evidence is used, regardless of when it was signed.
    public init(
        bundleIdentifier: String, environment: ReceiptEnvironment.Base, receipts: [VerifiedReceipt] = [],
        transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo] = [], at date: Date = Date()
    ) {
        self.init(
            PurchaseLedger(
                bundleIdentifier: bundleIdentifier, environment: environment, receipts: receipts,
                transactions: transactions, renewals: renewals),
            at: date)
    }
}
