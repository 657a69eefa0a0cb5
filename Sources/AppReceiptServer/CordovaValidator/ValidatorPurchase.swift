#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// An element of an answer's `collection`: a product with its newest purchase.
///
/// The plugin's rule is that a product is owned unless `isExpired` is true or `expiryDate` is in the past. So
/// `isExpired` is the opposite of ``Entitlement/isActive``, for every kind of product and state.
struct ValidatorPurchase: Sendable {
    private let entitlement: Entitlement
    /// The transaction that determines the state.
    private let transaction: AppStoreTransaction?
    /// The date of the first known purchase.
    private let firstDate: Date?
    /// The newest renewal information; nil for other products than subscriptions.
    private let renewal: RenewalInfoClaims?

    /// Returns the purchases, in the order of their products. Of several purchases of a consumable or a non-renewing
    /// subscription, the newest one.
    static func all(of entitlements: Entitlements, renewals: [VerifiedRenewalInfo]) -> [ValidatorPurchase] {
        var transactions: [Key: AppStoreTransaction] = [:]
        var firstDates: [String: Date] = [:]
        for transaction in entitlements.transactions {
            transactions[Key(transaction)] = transaction
            guard let original = transaction.original else { continue }
            let dates = [firstDates[original], transaction.originalPurchaseDate, transaction.purchaseDate]
            firstDates[original] = dates.compactMap(\.self).min()
        }
        let renewalsByOriginal = Dictionary(renewals.map { ($0.original, $0) }) { first, _ in first }
        var products: [Entitlement] = []
        var indices: [ExactString: Int] = [:]
        for entitlement in entitlements.all {
            let product = ExactString(entitlement.productIdentifier)
            if let index = indices[product] {
                if entitlement.isActive || !products[index].isActive { products[index] = entitlement }
            } else {
                indices[product] = products.count
                products.append(entitlement)
            }
        }
        return products.map { entitlement in
            let renewal = entitlement.originalTransactionIdentifier.flatMap { renewalsByOriginal[$0] }
            let transaction = transactions[Key(entitlement)]
            return ValidatorPurchase(
                entitlement: entitlement, transaction: transaction,
                firstDate: transaction?.original.flatMap { firstDates[$0] },
                renewal: entitlement.kind == .subscription ? renewal?.claims : nil)
        }
    }

    /// A transaction's identifier, which Xcode gives to several products.
    private struct Key: Hashable {
        private let product: ExactString?
        private let transaction: String?

        init(_ transaction: AppStoreTransaction) {
            product = transaction.productIdentifier.map { ExactString($0) }
            self.transaction = transaction.transactionIdentifier
        }

        init(_ entitlement: Entitlement) {
            product = ExactString(entitlement.productIdentifier)
            transaction = entitlement.transactionIdentifier
        }
    }

    /// Returns whether this is a purchase of a product, compared byte by byte.
    func isOf(_ product: String) -> Bool { ExactString(entitlement.productIdentifier) == ExactString(product) }

    /// Whether the customer doesn't have the product any more, or not yet. Consumables and non-renewing subscriptions
    /// aren't over unless they were refunded: the app decides.
    var isOver: Bool { !entitlement.isActive && entitlement.state != .owned }

    /// The reason for the state, in one sentence.
    var reason: String { entitlement.reason }

    /// The dates of a subscription, and whether it renews.
    var dates: AppStoreJSON.Object {
        var members: AppStoreJSON.Object = [:]
        guard entitlement.kind == .subscription else { return members }
        members["lastRenewalDate"] = Self.number(transaction?.purchaseDate)
        members["expiryDate"] = Self.number(entitlement.latestEnd)
        members["renewalIntent"] = entitlement.willRenew.map { $0 ? "Renew" : "Lapse" }
        return members
    }

    /// The element. Members whose values aren't known are left out.
    var json: AppStoreJSON {
        var members: AppStoreJSON.Object = ["id": .string(entitlement.productIdentifier)]
        members["transactionId"] = entitlement.transactionIdentifier.map { .string($0) }
        members["purchaseId"] = entitlement.originalTransactionIdentifier.map { .string($0) }
        members["platform"] = "ios-appstore"
        members["purchaseDate"] = Self.number(firstDate)
        members["isExpired"] = .boolean(!entitlement.isActive)
        for member in dates.members { members[member.name] = member.value }
        if entitlement.kind == .subscription {
            members["isBillingRetryPeriod"] = .boolean(
                entitlement.state == .billingRetry || entitlement.state == .gracePeriod)
            members["isTrialPeriod"] = transaction?.isTrialPeriod.map { .boolean($0) }
            members["isIntroPeriod"] = transaction?.isInIntroductoryOfferPeriod.map { .boolean($0) }
            members["discountId"] = transaction?.promotionalOfferIdentifier.map { .string($0) }
            members["priceConsentStatus"] = priceConsentStatus.map { .string($0) }
        }
        members["quantity"] = .number(AppStoreJSON.Number(Int64(entitlement.quantity)))
        members["cancelationReason"] = cancelationReason.map { .string($0) }
        return .object(members)
    }

    private var priceConsentStatus: String? {
        switch renewal?.priceIncreaseStatus?.rawValue {
        case 0: "Notified"
        case 1: "Agreed"
        default: nil
        }
    }

    /// Why it ended; empty if it isn't canceled, and nil if the evidence doesn't show whether it is.
    private var cancelationReason: String? {
        switch entitlement.state {
        case .owned, .active, .gracePeriod, .billingRetry, .notStarted: ""
        case .renewalUnknown: nil
        case .upgraded: "System.Replaced"
        case .revoked: "System"
        case .refunded:
            switch transaction?.revocation?.reason {
            case 1: "Customer.TechnicalIssues"
            case 0: "Customer.OtherReason"
            default: "Unknown"
            }
        case .expired:
            switch renewal?.expirationIntent?.rawValue {
            case 1: "Customer"
            case 2: "System.BillingError"
            case 3: "Customer.PriceIncrease"
            case 4: "System.ProductUnavailable"
            default: "Unknown"
            }
        }
    }

    private static func number(_ date: Date?) -> AppStoreJSON? {
        date.flatMap(\.milliseconds).map { .number(AppStoreJSON.Number($0)) }
    }
}
#endif
