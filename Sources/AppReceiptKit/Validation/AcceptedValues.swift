public import AppReceiptParsing

/// The values that an expectation accepts: these, or any.
///
/// A literal is the usual form: `[.production, .sandbox]`, or `"com.example.app"` for a single text. To accept any
/// value, name what isn't compared: ``anyBundle``, ``anyEnvironment`` or ``anyDevice``. Two lists are equal if they
/// have the same values in the same order.
public struct AcceptedValues<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The accepted values; nil if any value is accepted. An empty list accepts none, so that a value that isn't
    /// available can't disable a check.
    public let values: [Value]?

    /// Any value.
    package static var any: Self { Self(values: nil) }

    /// Accepts only these values. An empty list accepts none.
    public static func only(_ values: some Sequence<Value>) -> Self { Self(values: Array(values)) }

    /// The value, if exactly one is accepted.
    package var single: Value? { values?.count == 1 ? values?.first : nil }

    /// Returns whether every value that `other` accepts is accepted.
    func includes(_ other: Self, by areEqual: (Value, Value) -> Bool) -> Bool {
        guard let values else { return true }
        return other.values?.allSatisfy { value in values.contains { areEqual($0, value) } } ?? false
    }

    private init(values: [Value]?) { self.values = values }
}

extension AcceptedValues: ExpressibleByArrayLiteral {
    /// Accepts only these values. An empty list accepts none.
    public init(arrayLiteral elements: Value...) { self = .only(elements) }
}

extension AcceptedValues: ExpressibleByStringLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
    ExpressibleByUnicodeScalarLiteral
where Value == String {
    /// Accepts only this text.
    public init(stringLiteral value: String) { self = .only([value]) }
}

extension AcceptedValues<String> {
    /// Any app. Data of every app of every developer is accepted.
    public static var anyBundle: Self { .any }
}

extension AcceptedValues<AppStoreEnvironment> {
    /// Any environment, including unknown ones.
    public static var anyEnvironment: Self { .any }
}

extension AcceptedValues<DeviceIdentifier> {
    /// Any device. A receipt that was copied from another device is accepted.
    public static var anyDevice: Self { .any }
}
