package import AppReceiptKit

extension Purchase {
    /// What a signed transaction states.
    package init(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        let isSubscription = claims.productType == .autoRenewableSubscription
        let isIntroductory = claims.offerType == .introductory
        let isTrial = isIntroductory && claims.offerDiscountType == .freeTrial
        self.init(
            productIdentifier: claims.productIdentifier, transactionIdentifier: claims.transactionIdentifier,
            originalTransactionIdentifier: claims.originalTransactionIdentifier.flatMap { original in
                // Xcode numbers what it doesn't know 0.
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
        // The App Store leaves the member out unless it is true.
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
    /// The revocation that a transaction states, nil for none.
    fileprivate init?(_ claims: TransactionClaims) {
        guard let date = claims.revocationDate else { return nil }
        self.init(
            date, reason: claims.revocationReason?.rawValue,
            endsFamilySharing: claims.revocationType == .familyRevocation || claims.ownership == .familyShared)
    }
}

extension InAppPurchase.ProductType {
    /// The type as receipts number it; an unknown one has a number that no receipt has.
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
