/// A value of JSON (RFC 8259) as it was written: members in their order, numbers digit by digit.
///
/// For what is signed or asked by others, of which not every member is known. Numbers are never put through `Double`
/// unless somebody asks for one: identifiers have up to 18 digits.
public enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// A number of JSON, as it is written there.
public struct JSONNumber: Sendable, Hashable {
    /// Its characters, such as `-12`, `1697679936056.485` or `1e3`.
    public let text: String

    init(text: String) { self.text = text }

    /// A whole number.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// A number with a fraction; one that is not finite is 0, because JSON has no such numbers.
    public init(_ value: Double) { text = value.isFinite ? String(value) : "0" }

    /// The number, if it is written without point and exponent and fits.
    public var int64: Int64? { Int64(text) }

    /// The nearest number that a `Double` can be.
    public var double: Double { Double(text) ?? .nan }
}

/// An object of JSON: members, each with a name of its own, in the order in which they are written.
public struct JSONObject: Sendable {
    /// The members.
    public private(set) var members: [Member]

    /// A name and its value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The value.
        public var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// An object without members.
    public init() { members = [] }

    /// - Parameter members: no two of them with the same name.
    package init(distinct members: [Member]) { self.members = members }

    /// The value of the member with this name, nil if there is none. Setting it to nil takes the member away; a new one
    /// comes last.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { members[$0].value } }
        set {
            let position = position(of: name)
            switch (position, newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): members.remove(at: position)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The position of the member with exactly these bytes as its name. Lengths are compared first, because few are equal.
    private func position(of name: String) -> Int? {
        members.firstIndex { $0.name.utf8.count == name.utf8.count && $0.name.utf8.elementsEqual(name.utf8) }
    }
}

/// Objects are the same if they have the same members, in whatever order.
extension JSONObject: Hashable {
    /// Equal are objects with the same members, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        // Each value is compared once: twice at every level would be without end.
        let pairs = zip(left.members, right.members)
        if pairs.allSatisfy({ $0.name.utf8.elementsEqual($1.name.utf8) }) {
            return pairs.allSatisfy { $0.value == $1.value }
        }
        var values: [ArraySlice<UInt8>: JSONValue] = [:]
        for member in right.members { values[ArraySlice(member.name.utf8)] = member.value }
        return left.members.allSatisfy { values[ArraySlice($0.name.utf8)] == $0.value }
    }

    /// Of names, texts and numbers; not of what lies deeper.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(members.map(Outline.init)))
    }

    /// A member without what lies in it.
    private struct Outline: Hashable {
        let name: ArraySlice<UInt8>
        let text: String?

        init(_ member: Member) {
            name = ArraySlice(member.name.utf8)
            text = member.value.string ?? member.value.number?.text
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members in this order; of several with the same name the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
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
    /// The members in this order; of several with the same name the last counts.
    /// An object; of members of one name the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}

extension JSONValue {
    /// The text, if this is a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, if this is one.
    public var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }
    /// The truth, if this is true or false.
    public var boolean: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
    /// The elements, if this is an array.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The members, if this is an object.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
}

extension JSONValue: Encodable {
    /// The same value, in whatever order and spelling the encoder writes it.
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

extension JSONObject: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The members, in whatever order the encoder writes them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for member in members { try container.encode(member.value, forKey: Name(stringValue: member.name)) }
    }
}
