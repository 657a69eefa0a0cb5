import AppReceiptFoundation
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

/// `appreceipt make notification`
struct MakeNotification: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification", abstract: "Makes an App Store server notification, version 2.",
        discussion: """
            With --product, the notification contains a transaction; with --expires as
            well, a subscription and its renewal information, which shows the billing
            retry or the reason for the expiration that follows from the subscription's
            state and the notification's subtype.

            """ + SignedDataOptions.discussion)

    @OptionGroup
    var app: TestAppOptions

    @Option(help: "The notification type, such as TEST, SUBSCRIBED or DID_RENEW.")
    var type = NotificationType.test.rawValue

    @Option(help: "The subtype, such as INITIAL_BUY.")
    var subtype: String?

    @Option(help: .uuid("The notification's identifier. (default: random)"))
    var uuid: String?

    @Option(help: "The product of the transaction.", transform: ArgumentConversion.nonEmpty)
    var product: String?

    @Option(
        help: .number(
            "The subscription's state: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked. (default: "
                + "derived from the dates and the type)"))
    var status: Int64?

    @OptionGroup(title: "The transaction")
    var transaction: TransactionOptions

    @OptionGroup(title: "The renewal")
    var renewal: RenewalOptions

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func validate() throws {
        guard product != nil || transaction.expires == nil && transaction.revoked == nil else {
            throw ValidationError("--expires and --revoked describe a transaction and require --product.")
        }
        guard transaction.expires != nil || renewal.grace == nil && renewal.renewsAs == nil && !renewal.autoRenewOff
        else { throw ValidationError("Renewal options describe a subscription and require --expires.") }
        guard transaction.expires != nil || status == nil else {
            throw ValidationError("--status describes a subscription and requires --product and --expires.")
        }
        guard status != 4 || renewal.grace != nil else {
            throw ValidationError("The state 4 is a grace period, and requires --grace-until.")
        }
        guard signed.environment != .xcode else {
            throw ValidationError("Xcode doesn't send notifications.")
        }
    }

    func run() throws {
        try signed.write(to: "notification.jws") { environment, date in
            var made = TestNotification(
                type: NotificationType(rawValue: type), subtype: subtype.map { NotificationSubtype(rawValue: $0) })
            made.notificationUUID = uuid ?? UUID().uuidString.lowercased()
            made.bundleIdentifier = app.bundleID
            made.appAppleIdentifier = app.appAppleID
            made.environment = environment
            made.signedDate = date
            guard let product else { return made }
            var bought = transaction.makeTransaction(
                of: product, bundle: app.bundleID, environment: environment, signed: date)
            // Apple's REFUND and REVOKE notifications contain a revocation date.
            if ["REFUND", "REVOKE"].contains(type) { bought.revocationDate = bought.revocationDate ?? date }
            made.signedTransactionInfo = try bought.signed()
            if bought.expirationDate != nil {
                let original = bought.originalTransactionIdentifier ?? bought.transactionIdentifier
                let status = SubscriptionStatus(rawValue: status ?? state(of: bought, at: date))
                made.status = status
                made.signedRenewalInfo =
                    try renewal
                    .makeRenewalInfo(of: product, original: original, environment: environment, signed: date)
                    .with {
                        if [.billingRetry, .billingGracePeriod].contains(status) { $0.isInBillingRetryPeriod = true }
                        guard status == .expired else { return }
                        $0.expirationIntent = expirationIntent
                        $0.autoRenewStatus = .off
                        $0.isInBillingRetryPeriod = false
                    }
                    .signed()
            }
            return made
        }
    }
}

extension MakeNotification {
    /// Returns the state that follows from the dates when the notification is signed, and from its type.
    private func state(of bought: TestTransaction, at date: Date) -> Int64 {
        if bought.revocationDate != nil { return 5 }
        guard let end = bought.expirationDate, end <= date else { return 1 }
        if type == NotificationType.expired.rawValue { return 2 }
        if let grace = renewal.grace { return grace > date ? 4 : 3 }
        return type == NotificationType.didFailToRenew.rawValue ? 3 : 2
    }

    /// The reason for the expiration, from the subtype or `--auto-renew-off`.
    private var expirationIntent: ExpirationIntent {
        switch subtype.map({ NotificationSubtype(rawValue: $0) }) {
        case .voluntary?: .canceled
        case .billingRetry?: .billingError
        case .priceIncrease?: .priceIncreaseNotAccepted
        case .productNotForSale?: .productNotAvailable
        default: renewal.autoRenewOff ? .canceled : .other
        }
    }
}
