/// A JSON value (RFC 8259) as it was written: members in their order, numbers digit by digit.
///
/// For documents of which not every member is known. A number is converted to `Double` only by
/// ``AppStoreJSON/Number/double``, because identifiers have up to 18 digits.
public enum AppStoreJSON: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number, with its digits as written.
    case number(AppStoreJSON.Number)
    /// A string.
    case string(String)
    /// An array.
    case array([AppStoreJSON])
    /// An object, with its members as written.
    case object(AppStoreJSON.Object)
}

extension AppStoreJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A number.
    public init(integerLiteral value: Int64) { self = .number(AppStoreJSON.Number(value)) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// An array.
    public init(arrayLiteral elements: AppStoreJSON...) { self = .array(elements) }
    /// An object with these members in this order. Of several members with the same name, the last one is used.
    public init(dictionaryLiteral elements: (String, AppStoreJSON)...) {
        var object = AppStoreJSON.Object()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}

extension AppStoreJSON {
    /// The text of a string, otherwise nil.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, or nil if the value isn't a number.
    public var number: AppStoreJSON.Number? { if case .number(let number) = self { number } else { nil } }
    /// The value of a Boolean, otherwise nil.
    public var boolean: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
    /// The elements of an array, otherwise nil.
    public var array: [AppStoreJSON]? { if case .array(let elements) = self { elements } else { nil } }
    /// The object, or nil if the value isn't an object.
    public var object: AppStoreJSON.Object? { if case .object(let object) = self { object } else { nil } }
}

extension AppStoreJSON: Encodable {
    /// Encodes the value. The encoder decides the order of members and the spelling of numbers.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object): try object.encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .boolean(let truth): try container.encode(truth)
            case .string(let text): try container.encode(text)
            case .number(let number):
                if let whole = number.int64 {
                    try container.encode(whole)
                } else if let whole = number.uint64 {
                    try container.encode(whole)
                } else {
                    try container.encode(number.double)
                }
            default: try container.encodeNil()
            }
        }
    }
}

extension AppStoreJSON {
    /// Returns a string, or null if there is none.
    package static func text(_ text: String?) -> AppStoreJSON { text.map { .string($0) } ?? .null }
}

extension AppStoreJSON {
    /// Returns the value as JSON text in UTF-8, members in their order, slashes as they are.
    ///
    /// Control characters and characters that reorder text are escaped.
    ///
    /// - Parameter isPretty: Whether each member and element is on its own line.
    /// - Returns: The text.
    public func text(isPretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isPretty: isPretty)
        writer.element(self)
        return writer.bytes
    }
}

extension AppStoreJSON {
    /// A JSON number, as it was written.
    public struct Number: Sendable, Hashable {
        /// The number's characters, such as `-12`, `1697679936056.485` or `1e3`.
        public let text: String

        init(text: String) { self.text = text }

        /// An integer.
        public init(_ value: some BinaryInteger) { text = String(value) }

        /// A number with a fraction. Infinity and NaN become 0, because JSON cannot represent them.
        public init(_ value: Double) { text = value.isFinite ? String(value) : "0" }

        /// The number as an integer, or nil if it has a decimal point or exponent, or doesn't fit.
        public var int64: Int64? { Int64(text) }

        /// The number as an unsigned integer, or nil if it is negative, has a decimal point or exponent, or doesn't
        /// fit.
        public var uint64: UInt64? { UInt64(text) }

        /// The nearest `Double`.
        public var double: Double { Double(text) ?? .nan }
    }
}
