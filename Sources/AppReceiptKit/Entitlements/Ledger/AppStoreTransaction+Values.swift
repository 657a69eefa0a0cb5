import AppReceiptFoundation
import AppReceiptParsing

extension AppStoreTransaction {
    /// The values of a transaction. The properties of ``AppStoreTransaction`` document them.
    struct Values: Sendable, Hashable {
        var productIdentifier: String?
        var transactionIdentifier: String?
        var originalTransactionIdentifier: String?
        var purchaseDate: Date?
        var originalPurchaseDate: Date?
        var expirationDate: Date?
        var productType: InAppPurchase.ProductType?
        var quantity: Int?
        var isTrialPeriod: Bool?
        var isInIntroductoryOfferPeriod: Bool?
        var promotionalOfferIdentifier: String?
        var webOrderLineItemIdentifier: UInt64?
        var isUpgraded: Bool?
        var upgradeSignedDate: Date?
        var ownership: PurchaseOwnership?
        var subscriptionGroupIdentifier: String?
        var appAccountToken: UUID?
        var offerCodeReferenceName: String?
        var isRenewal: Bool?
        var earlySignedDate: Date?
        var hasNoOffer: Bool = false
        var buysSeats: Bool = false
        var revokedSeatQuantity: Int?
        var commitment: PurchaseCommitment?
        var items: [Item]?
        var previousOriginalTransactionIdentifier: String?
        var revocation: Revocation?
    }

    /// Shares values between copies of a purchase. Unchecked, because values change only while a single purchase refers
    /// to them.
    final class Storage: @unchecked Sendable {
        var values: Values

        init(_ values: Values) { self.values = values }
    }
}
