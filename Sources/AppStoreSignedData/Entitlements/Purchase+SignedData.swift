package import AppReceiptKit

extension Purchase {
    /// Creates a purchase from a signed transaction.
    package init(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        let isSubscription = claims.productType == .autoRenewableSubscription
        let isIntroductory = claims.offerType == .introductory
        let isTrial = isIntroductory && claims.offerDiscountType == .freeTrial
        self.init(
            productIdentifier: claims.productIdentifier, transactionIdentifier: claims.transactionIdentifier,
            originalTransactionIdentifier: claims.originalTransactionIdentifier.flatMap { original in
                // Xcode writes 0 for an unknown original transaction.
                transaction.environment == .xcode && original == "0" ? nil : original
            },
            purchaseDate: claims.purchaseDate, originalPurchaseDate: claims.originalPurchaseDate,
            expirationDate: claims.expirationDate, revocation: Revocation(claims),
            productType: claims.productType.map { InAppPurchase.ProductType($0) },
            quantity: claims.quantity.flatMap { Int32(exactly: $0) }.map { Int($0) },
            isTrialPeriod: isSubscription && isTrial,
            isInIntroductoryOfferPeriod: isSubscription ? isIntroductory && !isTrial : nil,
            promotionalOfferIdentifier: claims.offerType == .promotional ? claims.offerIdentifier : nil,
            webOrderLineItemIdentifier: claims.webOrderLineItemIdentifier)
        // The App Store omits the member unless it is true.
        isUpgraded = claims.isUpgraded ?? false
        ownership = claims.ownership
        subscriptionGroupIdentifier = claims.subscriptionGroupIdentifier
        appAccountToken = claims.appAccountToken
        offerCodeReferenceName = claims.offerType == .code ? claims.offerIdentifier : nil
        let seats = claims.members["multiSeatInfo"]?.object
        sharesPeriod = seats != nil || claims.members["additionalTransactionReason"]?.string == "SEAT_ADDITION"
        revokedSeatQuantity = seats?["revokedSeatQuantity"]?.number?.int64.flatMap { Int32(exactly: $0) }.map {
            Int($0)
        }
    }
}

extension Purchase.Revocation {
    /// Creates the revocation of a transaction; nil if it wasn't revoked.
    fileprivate init?(_ claims: TransactionClaims) {
        guard let date = claims.revocationDate else { return nil }
        self.init(
            date, reason: claims.revocationReason?.rawValue,
            endsFamilySharing: claims.revocationType == .familyRevocation || claims.ownership == .familyShared)
    }
}

extension InAppPurchase.ProductType {
    /// Creates the type of receipts. Unknown types become -1, which receipts never contain.
    fileprivate init(_ type: SignedProductType) {
        switch type {
        case .autoRenewableSubscription: self = .autoRenewableSubscription
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        default: self = InAppPurchase.ProductType(rawValue: -1)
        }
    }
}
