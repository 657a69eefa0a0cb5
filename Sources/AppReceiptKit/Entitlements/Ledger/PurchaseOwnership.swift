/// How a customer obtained a purchase. Unknown values are kept.
public struct PurchaseOwnership: RawRepresentable, Sendable, Hashable {
    /// The value in the signed transaction.
    public let rawValue: String
    /// Creates a known or unknown value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought it.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// A family member bought it and shares it.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// An organization or group bought it and assigned a seat to the customer.
    public static let assigned = Self(rawValue: "ASSIGNED")
}
