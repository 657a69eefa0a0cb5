public import AppReceiptFoundation
public import AppReceiptKit

extension Entitlements {
    /// Derives entitlements from all evidence about a customer together.
    ///
    /// - Parameters:
    ///   - evidence: The evidence. That of other apps and environments has no effect.
    ///   - bundleIdentifier: The app.
    ///   - environment: The environment.
    ///   - date: The date for which the entitlements are derived. All evidence is used, regardless of when it was
    ///     signed. Default: the current time, but not before the newest evidence was signed, because an earlier clock
    ///     is wrong.
    public init(
        of evidence: CustomerEvidence, bundleIdentifier: String, environment: AppStoreEnvironment,
        at date: Date? = nil
    ) {
        self.init(PurchaseLedger(evidence, app: bundleIdentifier, environment: environment), at: date)
    }

    /// Derives entitlements from lists of evidence about a customer.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app. Receipts and transactions of other apps have no effect.
    ///   - environment: The environment. Evidence of other environments has no effect.
    ///   - receipts: Receipts of one customer.
    ///   - transactionReceipts: Transaction receipts of the same customer.
    ///   - transactions: Signed transactions of the same customer.
    ///   - renewals: Renewal information of the same customer.
    ///   - notifications: Notifications about the same customer, with the transaction, renewal information and status
    ///     in them.
    ///   - date: The date for which the entitlements are derived, as for ``init(of:bundleIdentifier:environment:at:)``.
    public init(
        bundleIdentifier: String, environment: AppStoreEnvironment, receipts: [VerifiedReceipt] = [],
        transactionReceipts: [VerifiedTransactionReceipt] = [], transactions: [VerifiedTransaction],
        renewals: [VerifiedRenewalInfo] = [], notifications: [VerifiedNotification] = [], at date: Date? = nil
    ) {
        var evidence = CustomerEvidence(
            receipts: receipts, transactionReceipts: transactionReceipts, transactions: transactions,
            renewals: renewals)
        for notification in notifications { evidence.add(.notification(notification)) }
        self.init(of: evidence, bundleIdentifier: bundleIdentifier, environment: environment, at: date)
    }
}
