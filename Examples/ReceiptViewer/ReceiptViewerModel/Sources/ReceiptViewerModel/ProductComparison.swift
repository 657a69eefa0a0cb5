/// What each kind of evidence shows about a product.
public struct ProductComparison: Sendable, Hashable, Identifiable {
    /// The product.
    public let id: String

    /// The entitlement according to the receipt alone.
    public let receipt: Entitlement?

    /// The entitlement according to StoreKit 2 alone.
    public let storeKit: Entitlement?

    /// The entitlement according to both.
    public let together: Entitlement?
}
