/// How a customer came to have a purchase. Unknown values are kept.
public struct PurchaseOwnership: RawRepresentable, Sendable, Hashable {
    /// The text in the data.
    public let rawValue: String
    /// Creates the value with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought it.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// A family member bought it and shares it.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
}
