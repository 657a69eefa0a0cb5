import AppReceiptKit
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransactionFields {
    /// What a signed transaction says.
    init(_ transaction: VerifiedTransaction) {
        self.init()
        let (claims, purchase) = (transaction.claims, transaction.purchase)
        quantity = purchase.quantity
        productIdentifier = purchase.productIdentifier
        transactionIdentifier = purchase.transactionIdentifier
        originalTransactionIdentifier = purchase.originalTransactionIdentifier
        purchaseDate = purchase.purchaseDate
        originalPurchaseDate = purchase.originalPurchaseDate
        expirationDate = purchase.expirationDate
        webOrderLineItemIdentifier = purchase.webOrderLineItemIdentifier
        // Apple's answers have it for everything, consumables too.
        isTrialPeriod = purchase.isTrialPeriod ?? false
        isInIntroductoryOfferPeriod = purchase.isInIntroductoryOfferPeriod
        promotionalOfferIdentifier = purchase.promotionalOfferIdentifier
        cancellationDate = claims.revocationDate
        cancellationReason = claims.revocationReason.flatMap { Int(exactly: $0.rawValue) }
        inAppOwnershipType = claims.ownership?.rawValue
        subscriptionGroupIdentifier = claims.subscriptionGroupIdentifier
        isUpgraded = claims.isUpgraded
        appAccountToken = claims.appAccountToken?.uuidString.lowercased()
        offerCodeReferenceName = claims.offerType == .code ? claims.offerIdentifier : nil
    }

    /// The same with a refund as a source knows it that was signed later.
    func refunded(_ date: Date?) -> TransactionFields {
        var fields = self
        if date == nil { fields.cancellationReason = nil }
        fields.cancellationDate = date
        return fields
    }
}

extension RenewalFields {
    /// What signed renewal information says.
    init(_ renewal: VerifiedRenewalInfo) {
        self.init()
        let claims = renewal.claims
        autoRenewProductIdentifier = claims.autoRenewProductIdentifier
        originalTransactionIdentifier = claims.originalTransactionIdentifier
        productIdentifier = claims.productIdentifier
        autoRenewStatus = claims.autoRenewStatus.flatMap { Self.truth($0.rawValue) }
        expirationIntent = claims.expirationIntent.flatMap { Int(exactly: $0.rawValue) }
        isInBillingRetryPeriod = claims.isInBillingRetryPeriod
        gracePeriodExpirationDate = claims.gracePeriodExpirationDate
        priceConsentStatus = claims.priceIncreaseStatus.flatMap { Self.truth($0.rawValue) }
        priceIncreaseStatus = priceConsentStatus
        offerCodeReferenceName = claims.offerType == .code ? claims.offerIdentifier : nil
        promotionalOfferIdentifier = claims.offerType == .promotional ? claims.offerIdentifier : nil
    }

    /// 0 and 1; what else there may be some day is not known.
    private static func truth(_ number: Int64) -> Bool? { number == 1 ? true : number == 0 ? false : nil }
}
