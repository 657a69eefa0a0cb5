/// A value of a set that may grow: one that is known, or the raw value of one that is not.
public enum KnownOrUnknown<Known: RawRepresentable> where Known.RawValue: Hashable {
    /// One of the known ones.
    case known(value: Known)
    /// Another one.
    case unknown(rawValue: Known.RawValue)
}

extension KnownOrUnknown: RawRepresentable {
    /// The known value with this raw value, or the raw value itself.
    public init(rawValue: Known.RawValue) {
        self = Known(rawValue: rawValue).map { .known(value: $0) } ?? .unknown(rawValue: rawValue)
    }

    /// The raw value, known or not.
    public var rawValue: Known.RawValue {
        switch self {
        case .known(let value): value.rawValue
        case .unknown(let rawValue): rawValue
        }
    }
}

extension KnownOrUnknown: Hashable {
    /// Equal are values of the same raw value, known or not.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension KnownOrUnknown: CustomStringConvertible {
    /// The known value's name, or the raw value, said to be unknown.
    public var description: String {
        switch self {
        case .known(let value): "\(value)"
        case .unknown(let rawValue): "unknown (\(rawValue))"
        }
    }
}

extension KnownOrUnknown: Sendable where Known: Sendable, Known.RawValue: Sendable {}
