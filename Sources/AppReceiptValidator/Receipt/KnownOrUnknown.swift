/// A value of an enumeration that may grow: a known case, or the raw value of an unknown one.
public enum KnownOrUnknown<Known: RawRepresentable> where Known.RawValue: Hashable {
    /// The raw value of an unknown case.
    public typealias Unknown = Known.RawValue

    /// A known case.
    case known(value: Known)
    /// The raw value of an unknown case.
    case unknown(rawValue: Unknown)
}

extension KnownOrUnknown: RawRepresentable {
    /// Creates the known case with this raw value, or an unknown one.
    ///
    /// Never returns nil. The initializer is failable because that of the original library is, and callers unwrap it.
    public init?(rawValue: Unknown) {
        if let known = Known(rawValue: rawValue) {
            self = .known(value: known)
        } else {
            self = .unknown(rawValue: rawValue)
        }
    }

    /// The raw value, known or not.
    public var rawValue: Unknown {
        switch self {
        case .known(let value): value.rawValue
        case .unknown(let rawValue): rawValue
        }
    }
}

extension KnownOrUnknown: Hashable {
    /// Two values are equal if their raw values are equal.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
    /// Hashes the raw value.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension KnownOrUnknown: CustomStringConvertible {
    /// The name of a known case, or the raw value of an unknown one in quotation marks.
    public var description: String {
        switch self {
        case .known(let value): "\(value)"
        case .unknown(let rawValue): "\"\(rawValue)\""
        }
    }
}

extension KnownOrUnknown: Sendable where Known: Sendable, Known.RawValue: Sendable {}

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
