extension Entitlement.Kind {
    /// Whether all purchases of a product result in one entitlement.
    var hasOneEntitlement: Bool { self != .consumable && self != .nonRenewing }
}
