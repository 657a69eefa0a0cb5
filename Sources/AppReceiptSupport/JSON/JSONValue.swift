/// A JSON value (RFC 8259) as it was written: members in their order, numbers digit by digit.
///
/// For documents of which not every member is known. A number is converted to `Double` only by ``JSONNumber/double``, because
/// identifiers have up to 18 digits.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number, with its digits as written.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, with its members as written.
    case object(JSONObject)
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A number.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object with these members in this order. Of several members with the same name, the last one is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}

extension JSONValue {
    /// The text of a string, otherwise nil.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, or nil if the value isn't a number.
    public var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }
    /// The value of a Boolean, otherwise nil.
    public var boolean: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
    /// The elements of an array, otherwise nil.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The object, or nil if the value isn't an object.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
}

extension JSONValue: Encodable {
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
                if let whole = number.int64 { try container.encode(whole) } else { try container.encode(number.double) }
            default: try container.encodeNil()
            }
        }
    }
}

extension JSONValue {
    /// A string, or null if there is none.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension JSONValue {
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
