import AppReceiptParsing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Purchase {
    /// The values of a purchase. The properties of ``Purchase`` document them.
    struct Values: Sendable, Hashable {
        let productIdentifier: String?
        let transactionIdentifier: String?
        let originalTransactionIdentifier: String?
        let purchaseDate: Date?
        let originalPurchaseDate: Date?
        var expirationDate: Date?
        let productType: InAppPurchase.ProductType?
        let quantity: Int?
        let isTrialPeriod: Bool?
        let isInIntroductoryOfferPeriod: Bool?
        let promotionalOfferIdentifier: String?
        let webOrderLineItemIdentifier: UInt64?
        var isUpgraded: Bool?
        var upgradeSignedDate: Date?
        var ownership: PurchaseOwnership?
        var subscriptionGroupIdentifier: String?
        var appAccountToken: UUID?
        var offerCodeReferenceName: String?
        var sharesPeriod: Bool = false
        var revokedSeatQuantity: Int?
        var revocation: Revocation?
    }

    /// Shares values between copies of a purchase. Unchecked, because values change only while a single purchase refers to them.
    final class Storage: @unchecked Sendable {
        var values: Values

        init(_ values: Values) { self.values = values }
    }
}
