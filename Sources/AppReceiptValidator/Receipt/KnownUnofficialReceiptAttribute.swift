/// The undocumented attributes whose meaning is approximately known.
public enum KnownUnofficialReceiptAttribute: UInt64, Sendable, CaseIterable {
    /// The environment: production, sandbox or another.
    case provisioningType = 0
    /// A date at or shortly before the creation date.
    case date1 = 8
    /// The app's age rating.
    case ageRating = 10
    /// The date of the first purchase of the app.
    case date2 = 18
    /// A date in receipts of volume purchases.
    case date3 = 22
    /// A name in receipts of volume purchases.
    case clientName = 23
}
