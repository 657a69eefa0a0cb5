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
        get { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
        set {
            let position = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            switch (position, newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): members.remove(at: position)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

/// Objects are the same if they have the same members, in whatever order.
extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count && Set(left.members) == Set(right.members)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(Set(members)) }
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
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// The members in this order; of several with the same name the last counts.
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
