import AppReceiptFoundation
public import AppReceiptKit

extension AppStoreTransaction {
    /// Creates a purchase from a signed transaction.
    package init(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        let offer = Offer(claims)
        self.init {
            $0.productIdentifier = claims.productIdentifier
            $0.transactionIdentifier = claims.transactionIdentifier
            $0.originalTransactionIdentifier = claims.originalTransactionIdentifier
            $0.purchaseDate = claims.purchaseDate
            $0.originalPurchaseDate = claims.originalPurchaseDate
            $0.expirationDate = claims.expirationDate
            $0.revocation = Revocation(claims)
            $0.productType = claims.productType.map { InAppPurchase.ProductType($0) }
            $0.quantity = claims.quantity.flatMap { Int32(exactly: $0) }.map { Int($0) }
            $0.isTrialPeriod = offer.isTrial
            $0.isInIntroductoryOfferPeriod = offer.isIntroductoryPrice
            $0.promotionalOfferIdentifier = claims.offerType == .promotional ? claims.offerIdentifier : nil
            $0.webOrderLineItemIdentifier = claims.webOrderLineItemIdentifier
            // The App Store omits the member unless it is true.
            $0.isUpgraded = claims.isUpgraded ?? false
            $0.ownership = claims.ownership
            $0.subscriptionGroupIdentifier = claims.subscriptionGroupIdentifier
            $0.appAccountToken = claims.appAccountToken
            $0.offerCodeReferenceName = claims.offerType == .code ? claims.offerIdentifier : nil
            $0.hasNoOffer = claims.offerType == nil
            $0.isRenewal = claims.reason.map { $0 == .renewal }
            $0.earlySignedDate = claims.purchaseDate.flatMap {
                transaction.signedDate < $0 ? transaction.signedDate : nil
            }
            $0.buysSeats = claims.multiSeatInfo != nil || claims.additionalReason == .seatAddition
            $0.revokedSeatQuantity = claims.multiSeatInfo?.revokedSeatQuantity.flatMap { Int32(exactly: $0) }.map {
                Int($0)
            }
            $0.commitment = claims.commitmentInfo.map { PurchaseCommitment($0) }
            $0.items = claims.advancedCommerceInfo.map {
                $0.items.compactMap { Item($0, signed: transaction.signedDate) }
            }
            $0.previousOriginalTransactionIdentifier = claims.previousOriginalTransactionIdentifier
        }
    }

    /// The flags that receipts state and signed transactions imply. Nil if the members that imply them are absent.
    private struct Offer {
        let isTrial: Bool?
        let isIntroductoryPrice: Bool?

        init(_ claims: TransactionClaims) {
            let isSubscription = claims.productType == .autoRenewableSubscription
            switch (claims.offerType, claims.offerDiscountType) {
            case (nil, _): (isTrial, isIntroductoryPrice) = (nil, nil)
            // Older tokens lack the payment mode.
            case (.introductory, nil): (isTrial, isIntroductoryPrice) = (nil, isSubscription ? true : nil)
            case (let type, let mode):
                let isTrial = isSubscription && type == .introductory && mode == .freeTrial
                self.isTrial = isTrial
                isIntroductoryPrice = isSubscription ? type == .introductory && !isTrial : nil
            }
        }
    }
}

extension AppStoreTransaction.Revocation {
    /// Creates the revocation of a transaction; nil if it wasn't revoked.
    fileprivate init?(_ claims: TransactionClaims) {
        guard let date = claims.revocationDate else { return nil }
        self.init(
            date, reason: claims.revocationReason?.rawValue, type: claims.revocationType?.rawValue,
            percentage: claims.revocationPercentage)
    }
}

extension AppStoreTransaction.Item {
    /// Creates an item; nil without an identifier. An unreadable date of revocation counts as that of the token.
    fileprivate init?(_ item: AdvancedCommerceInfo.Item, signed signedDate: Date) {
        guard let sku = item.sku else { return nil }
        self.init(sku: sku, revocationDate: item.revocationDate ?? (item.isRevoked ? signedDate : nil))
    }
}

extension PurchaseCommitment {
    fileprivate init(_ commitment: CommitmentInfo) {
        self.init(
            period: commitment.billingPeriodNumber.flatMap { Int(exactly: $0) },
            periods: commitment.totalBillingPeriods.flatMap { Int(exactly: $0) }, until: commitment.expirationDate)
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

extension VerifiedData where Claims == AppTransactionClaims {
    /// The first purchase or download of the app itself.
    public var originalAppPurchase: OriginalAppPurchase {
        let versionKey: OriginalAppPurchase.VersionKey? =
            switch claims.originalPlatform {
            case .macOS?: .marketing
            case .iOS?, .tvOS?, .visionOS?: .build
            // A wrong guess about an unknown platform could grant access to paid features.
            default: nil
            }
        return OriginalAppPurchase(
            version: claims.originalAppVersion, versionKey: versionKey, date: claims.originalPurchaseDate,
            preorderDate: claims.preorderDate, revocationDate: claims.revocationDate)
    }
}
