package import AppReceiptFoundation
package import AppReceiptParsing

extension AppStoreTransaction {
    /// The values of a transaction. The properties of ``AppStoreTransaction`` document them.
    package struct Values: Sendable, Hashable {
        package var productIdentifier: String?
        package var transactionIdentifier: String?
        package var originalTransactionIdentifier: String?
        package var purchaseDate: Date?
        package var originalPurchaseDate: Date?
        package var expirationDate: Date?
        package var productType: InAppPurchase.ProductType?
        package var quantity: Int?
        package var isTrialPeriod: Bool?
        package var isInIntroductoryOfferPeriod: Bool?
        package var promotionalOfferIdentifier: String?
        package var webOrderLineItemIdentifier: UInt64?
        package var isUpgraded: Bool?
        package var upgradeSignedDate: Date?
        package var ownership: PurchaseOwnership?
        package var subscriptionGroupIdentifier: String?
        package var appAccountToken: UUID?
        package var offerCodeReferenceName: String?
        package var isRenewal: Bool?
        package var earlySignedDate: Date?
        package var hasNoOffer: Bool = false
        package var buysSeats: Bool = false
        package var revokedSeatQuantity: Int?
        package var commitment: PurchaseCommitment?
        package var items: [Item]?
        package var previousOriginalTransactionIdentifier: String?
        package var revocation: Revocation?
    }

    /// Shares values between copies of a transaction.
    final class Storage: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }
}

extension AppStoreTransaction.Values {
    /// Whether these are the values of a subscription's period.
    var isSubscriptionPeriod: Bool {
        switch productType {
        case .autoRenewableSubscription: true
        case .nonConsumable, .consumable, .nonRenewingSubscription: false
        default: expirationDate != nil
        }
    }
}
