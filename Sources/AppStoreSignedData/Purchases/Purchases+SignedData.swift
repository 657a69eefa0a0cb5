public import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Purchases {
    /// What a customer owns, as far as a receipt, signed transactions and renewal information say, in one view: a purchase
    /// that several of them know is there once, as the copy that was signed last has it.
    ///
    /// - Parameters:
    ///   - receipt: the app's receipt, where there is one.
    ///   - transactions: signed transactions, several copies of the same among them if need be.
    ///   - renewals: renewal information, for the grace periods. Give it with the transactions of its lines: it names no
    ///     app of its own.
    ///
    /// All must be of one customer and one app: the first nothing here can know, the second their verification has
    /// compared.
    public init(
        receipt: VerifiedReceipt? = nil, transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo] = []
    ) {
        var merged = MergedPurchases()
        if let receipt {
            for purchase in receipt.receipt.purchases {
                merged.add(Purchase(purchase), from: receipt.environment, signed: receipt.creationDate)
            }
        }
        for transaction in transactions {
            merged.add(Purchase(transaction), from: transaction.environment, signed: transaction.signedDate)
        }
        merged.extend(by: renewals)
        self.init(verified: merged.purchases)
    }
}

extension VerifiedTransaction {
    /// The transaction as a receipt's purchases are, to be asked the same.
    public var purchase: Purchase { Purchase(self) }
}

extension Purchase {
    fileprivate init(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        let isSubscription = claims.productType == .autoRenewableSubscription
        let isIntroductory = claims.offerType == .introductory
        let isTrial = isIntroductory && claims.offerDiscountType == .freeTrial
        // Xcode numbers what it does not know 0.
        let isNumbered = { (identifier: String) in transaction.environment != .xcode || identifier != "0" }
        self.init(
            productIdentifier: claims.productIdentifier, transactionIdentifier: claims.transactionIdentifier,
            originalTransactionIdentifier: claims.originalTransactionIdentifier.flatMap { isNumbered($0) ? $0 : nil },
            purchaseDate: claims.purchaseDate, originalPurchaseDate: claims.originalPurchaseDate,
            expirationDate: claims.expirationDate, cancellationDate: claims.revocationDate,
            productType: Self.productType(transaction),
            quantity: claims.quantity.flatMap { Int(exactly: $0) },
            isTrialPeriod: isSubscription ? isTrial : nil,
            isInIntroductoryOfferPeriod: isSubscription ? isIntroductory && !isTrial : nil,
            promotionalOfferIdentifier: claims.offerType == .promotional ? claims.offerIdentifier : nil,
            webOrderLineItemIdentifier: claims.webOrderLineItemIdentifier.flatMap { UInt64($0) })
        isUpgraded = claims.isUpgraded
        ownership = claims.ownership
        subscriptionGroupIdentifier = claims.subscriptionGroupIdentifier
        appAccountToken = claims.appAccountToken
    }
}

extension Purchase {
    /// Only Xcode leaves the type out. Elsewhere what does not say that it is kept is not.
    private static func productType(_ transaction: VerifiedTransaction) -> InAppPurchase.ProductType? {
        if let type = transaction.claims.productType { return InAppPurchase.ProductType(type) }
        return transaction.environment == .xcode ? nil : InAppPurchase.ProductType(rawValue: -1)
    }
}

extension InAppPurchase.ProductType {
    fileprivate init?(_ type: SignedProductType) {
        switch type {
        case .autoRenewableSubscription: self = .autoRenewableSubscription
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        // Kept once bought is only what is known to be: an unknown type is no type that is not said.
        default: self = InAppPurchase.ProductType(rawValue: -1)
        }
    }
}

/// Purchases of several sources, each once.
private struct MergedPurchases {
    private var known: [Key: (purchase: Purchase, signed: Date)] = [:]
    private var unnamed: [Purchase] = []

    /// What copies of a transaction have in common. Xcode gives several the same number, and the sandbox may give one that
    /// production has given as well.
    private struct Key: Hashable {
        let environment: ReceiptEnvironment.Base?
        let transaction: String
        let product: String?
        let date: Double?

        init?(_ purchase: Purchase, _ environment: ReceiptEnvironment.Base?) {
            self.environment = environment
            guard let identifier = purchase.transactionIdentifier else { return nil }
            transaction = identifier
            let isNumbered = identifier != "0"
            product = isNumbered ? nil : purchase.productIdentifier
            date = isNumbered ? nil : purchase.purchaseDate?.inSeconds
        }
    }

    private struct Line: Hashable {
        let environment: ReceiptEnvironment.Base?
        let original: String
    }

    var purchases: [Purchase] { unnamed + known.values.map(\.purchase) }

    /// Of copies of the same transaction the one that was signed last says whether it was refunded; a signed transaction
    /// says more of everything else than a receipt.
    mutating func add(_ purchase: Purchase, from environment: ReceiptEnvironment.Base?, signed: Date) {
        guard let key = Key(purchase, environment) else { return unnamed.append(purchase) }
        guard let other = known[key] else { return known[key] = (purchase, signed) }
        let (newer, older) = signed >= other.signed ? (purchase, other.purchase) : (other.purchase, purchase)
        // A receipt may list the same transaction twice, once as refunded.
        let refunds =
            signed == other.signed ? [newer, older].compactMap(\.cancellationDate).min() : newer.cancellationDate
        known[key] = (newer.completed(by: older, refunded: refunds), max(signed, other.signed))
    }

    /// Gives the last period of each line the grace period that its renewal information names.
    mutating func extend(by renewals: [VerifiedRenewalInfo]) {
        var latest: [Line: VerifiedRenewalInfo] = [:]
        for renewal in renewals {
            guard let original = renewal.claims.originalTransactionIdentifier else { continue }
            let line = Line(environment: renewal.environment, original: original)
            if let other = latest[line], other.signedDate > renewal.signedDate { continue }
            latest[line] = renewal
        }
        for (line, renewal) in latest {
            guard let end = renewal.claims.gracePeriodExpirationDate else { continue }
            let periods = known.filter { key, value in
                key.environment == line.environment && value.purchase.lineIdentifier == line.original
                    && value.purchase.isSubscriptionPeriod && value.purchase.isUpgraded != true
                    && value.purchase.cancellationDate == nil
            }
            // That of the product that renews, if its transaction is known; then the one bought last.
            let ofProduct = periods.filter { $0.value.purchase.productIdentifier == renewal.claims.productIdentifier }
            let last = (ofProduct.isEmpty ? periods : ofProduct).max { left, right in
                (left.value.purchase.purchaseDate ?? .distantPast, left.key.transaction)
                    < (right.value.purchase.purchaseDate ?? .distantPast, right.key.transaction)
            }
            if let last { known[last.key]?.purchase.gracePeriodExpirationDate = end }
        }
    }
}

extension Purchase {
    /// The same with what only an older copy says; but a refund never from the older one, because it can be reversed.
    fileprivate func completed(by older: Purchase, refunded: Date?) -> Purchase {
        var completed = Purchase(
            productIdentifier: productIdentifier ?? older.productIdentifier,
            transactionIdentifier: transactionIdentifier,
            originalTransactionIdentifier: originalTransactionIdentifier ?? older.originalTransactionIdentifier,
            purchaseDate: purchaseDate ?? older.purchaseDate,
            originalPurchaseDate: originalPurchaseDate ?? older.originalPurchaseDate,
            expirationDate: expirationDate ?? older.expirationDate,
            cancellationDate: refunded, productType: productType ?? older.productType,
            quantity: quantity ?? older.quantity, isTrialPeriod: isTrialPeriod ?? older.isTrialPeriod,
            isInIntroductoryOfferPeriod: isInIntroductoryOfferPeriod ?? older.isInIntroductoryOfferPeriod,
            promotionalOfferIdentifier: promotionalOfferIdentifier ?? older.promotionalOfferIdentifier,
            webOrderLineItemIdentifier: webOrderLineItemIdentifier ?? older.webOrderLineItemIdentifier)
        completed.isUpgraded = isUpgraded ?? older.isUpgraded
        completed.ownership = ownership ?? older.ownership
        completed.subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? older.subscriptionGroupIdentifier
        completed.appAccountToken = appAccountToken ?? older.appAccountToken
        return completed
    }
}
