#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData

/// What happened to a customer's purchases, newest first: bought, renewed, refunded, notified.
@available(AppReceiptServer 1.0, *)
struct CustomerHistory: Sendable {
    /// What happened.
    let entries: [Entry]

    /// One thing that happened.
    struct Entry: Sendable {
        /// What it was.
        enum Kind: String, Sendable {
            case purchase, renewal, change, revocation, upgrade, notification
        }

        let date: Date
        /// The app and environment.
        let scope: AppScope
        let kind: Kind
        /// What happened, in one sentence without the product.
        let words: String
        var product: String?
        var transaction: String?
        /// The price with its currency, where it is signed.
        var price: String?
        /// The offer, in words.
        var offer: String?
        /// The country of the App Store, as three letters.
        var storefront: String?

        func write(to writer: inout JSONWriter) {
            writer.member("date", date)
            writer.member("bundleIdentifier", scope.app)
            writer.member("environment", scope.environment.rawValue)
            writer.member("kind", kind.rawValue)
            writer.member("words", words)
            writer.member("product", product)
            writer.member("transaction", transaction)
            writer.member("price", price)
            writer.member("offer", offer)
            writer.member("storefront", storefront)
        }
    }

    /// The number of entries. A customer has fewer.
    private static let maxEntries = 1_000

    /// - Parameters:
    ///   - customer: What the server knows.
    ///   - notifications: The notifications.
    init(_ customer: CustomerEntitlements, notifications: [ListedEvidence]) {
        var entries: [Entry] = []
        // The newest product of each purchase.
        var products: [ScopedOriginal: String] = [:]
        for (scope, ledger, evidence) in customer.ledgers {
            let tokens = evidence.newestTransactions
            let revocations = ledger.revocationSentences(at: customer.date)
            for transaction in ledger.transactions {
                let claims = transaction.transactionIdentifier.flatMap { tokens[$0]?.claims }
                let original = ScopedOriginal(
                    scope: scope, originalTransactionIdentifier: transaction.original ?? "")
                entries += Self.entries(
                    of: transaction, in: scope, claims: claims, after: products[original], revocations: revocations)
                products[original] = transaction.productIdentifier ?? ""
            }
        }
        for notification in notifications {
            let product = notification.identity.purchase.flatMap { products[$0] }
            if let entry = Self.entry(of: notification, about: product) { entries.append(entry) }
        }
        self.entries = Array(entries.sorted { $0.date > $1.date }.prefix(Self.maxEntries))
    }

    /// Returns the entries of a transaction: its purchase, and its revocation.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - scope: Its app and environment.
    ///   - claims: Its signed claims; nil if only receipts list it.
    ///   - product: The product of the transaction before it; nil for the first one of a purchase.
    ///   - revocations: What ended the revoked transactions.
    private static func entries(
        of transaction: AppStoreTransaction, in scope: AppScope, claims: TransactionClaims?, after product: String?,
        revocations: [String: String]
    ) -> [Entry] {
        var entries: [Entry] = []
        if let date = transaction.purchaseDate {
            let kind = kind(of: transaction, after: product)
            entries.append(
                Entry(
                    date: date, scope: scope, kind: kind, words: words(for: kind, transaction),
                    product: transaction.productIdentifier, transaction: transaction.transactionIdentifier,
                    price: SignedDataSummary.price(claims?.price, in: claims?.currency),
                    offer: offer(of: transaction, claims), storefront: claims?.storefront))
        }
        if let date = transaction.cancellationDate {
            let sentence = transaction.transactionIdentifier.flatMap { revocations[$0] }
            entries.append(
                Entry(
                    date: date, scope: scope, kind: sentence == nil ? .upgrade : .revocation,
                    words: sentence ?? "Replaced by an upgrade.", product: transaction.productIdentifier,
                    transaction: transaction.transactionIdentifier))
        }
        return entries
    }

    /// Returns the entry of a notification; nil if it has no type.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - product: The newest product of its purchase.
    private static func entry(of notification: ListedEvidence, about product: String?) -> Entry? {
        guard let type = notification.notificationType else { return nil }
        let subtype = notification.notificationSubtype.map { NotificationSubtype(rawValue: $0) }
        let sentence = NotificationEvent(type: NotificationType(rawValue: type), subtype: subtype).sentence
        return Entry(
            date: notification.identity.signedDate, scope: notification.identity.scope, kind: .notification,
            words: "Apple notified: \(sentence)", product: product)
    }

    private static func kind(of transaction: AppStoreTransaction, after product: String?) -> Entry.Kind {
        guard transaction.isSubscriptionPeriod, let product else { return .purchase }
        let isSame = ExactString(product) == ExactString(transaction.productIdentifier ?? "")
        return isSame ? .renewal : .change
    }

    private static func words(for kind: Entry.Kind, _ transaction: AppStoreTransaction) -> String {
        switch kind {
        case .renewal: "Renewed."
        case .change: "Changed to this product."
        default:
            switch transaction.ownership {
            case .familyShared: "Received through Family Sharing."
            case .assigned: "Assigned as a seat."
            default:
                transaction.isSubscriptionPeriod
                    ? "Subscribed."
                    : (transaction.quantity ?? 1) > 1 ? "Bought \(transaction.quantity ?? 1)." : "Bought."
            }
        }
    }

    private static func offer(of transaction: AppStoreTransaction, _ claims: TransactionClaims?) -> String? {
        if transaction.isTrialPeriod == true { return "free trial" }
        if let name = transaction.offerCodeReferenceName { return "offer code \(name)" }
        if let identifier = transaction.promotionalOfferIdentifier ?? claims?.offerIdentifier {
            return "offer \(identifier)"
        }
        return transaction.isInIntroductoryOfferPeriod == true ? "introductory price" : nil
    }
}
#endif
