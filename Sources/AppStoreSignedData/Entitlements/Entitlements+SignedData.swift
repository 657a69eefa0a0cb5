public import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Entitlements {
    /// Derives entitlements from receipts of both kinds, signed transactions and renewal information together.
    ///
    /// Each list may be empty, in any order, and contain any number of copies. A transaction that several sources contain is one purchase.
    /// Renewal information doesn't name an app, so it has an effect only together with a transaction or receipt of its original transaction.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app. Receipts and transactions of other apps have no effect.
    ///   - environment: The environment. Evidence of other environments has no effect.
    ///   - receipts: Receipts of one customer.
    ///   - transactionReceipts: Transaction receipts of the same customer. Each is evidence of one purchase.
    ///   - transactions: Signed transactions of the same customer.
    ///   - renewals: Renewal information of the same customer.
    ///   - notifications: Notifications about the same customer, with the transaction, renewal information and status in them.
    ///   - date: The date for which the entitlements are derived. All evidence is used, regardless of when it was signed. Default: the current
    ///     time, but not before the newest evidence was signed, because an earlier clock is wrong.
    public init(
        bundleIdentifier: String, environment: ReceiptEnvironment.Base, receipts: [VerifiedReceipt] = [],
        transactionReceipts: [VerifiedTransactionReceipt] = [], transactions: [VerifiedTransaction],
        renewals: [VerifiedRenewalInfo] = [], notifications: [VerifiedNotification] = [], at date: Date? = nil
    ) {
        self.init(
            PurchaseLedger(
                bundleIdentifier: bundleIdentifier, environment: environment, receipts: receipts,
                transactionReceipts: transactionReceipts,
                transactions: transactions + notifications.compactMap(\.transaction),
                renewals: renewals + notifications.compactMap(\.renewalInfo), notifications: notifications),
            at: date)
    }
}
