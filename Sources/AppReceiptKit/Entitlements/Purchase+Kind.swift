import AppReceiptParsing

extension Purchase {
    /// The kind of product.
    var kind: Entitlement.Kind {
        if isSubscriptionPeriod { return .subscription }
        return switch productType {
        case .nonConsumable: .nonConsumable
        case .consumable: .consumable
        case .nonRenewingSubscription: .nonRenewing
        default: .unknown
        }
    }
}
