public import AppReceiptFoundation
import AppReceiptSupport

/// The attributes of a receipt or purchase in their original order, known and unknown.
public struct AttributeList: Sendable, RandomAccessCollection {
    /// The positions of an attribute's value. A slice for each of hundreds of attributes would need reference counting.
    struct Entry: Sendable {
        let type: Int
        let version: Int
        let lower: Int32
        let upper: Int32

        var range: Range<Int> { Int(lower)..<Int(upper) }
    }

    private let bytes: ArraySlice<UInt8>
    private let entries: ArraySlice<Entry>

    init(_ entries: ArraySlice<Entry>, of bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.entries = entries
    }

    /// The position of the first attribute, 0.
    public var startIndex: Int { 0 }
    /// The number of attributes.
    public var endIndex: Int { entries.count }

    /// The attribute at a position.
    public subscript(position: Int) -> ReceiptAttribute {
        let entry = entries[entries.startIndex + position]
        return ReceiptAttribute(
            type: entry.type, version: entry.version, value: bytes.part(entry.range))
    }

    /// Returns the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The attribute; `nil` if it is missing.
    public func first(ofType type: Int) -> ReceiptAttribute? {
        guard let index = entries.firstIndex(where: { $0.type == type }) else { return nil }
        return self[index - entries.startIndex]
    }
}

extension AttributeList: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of attributes.
    public var description: String { "AttributeList(\(count) attributes)" }
    /// The number of attributes.
    public var debugDescription: String { description }
    /// The attributes, for a debugger.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection) }
}

extension AttributeList: Hashable {
    /// Two lists are equal if they contain the same attributes in the same order.
    public static func == (left: AttributeList, right: AttributeList) -> Bool { left.elementsEqual(right) }

    /// Hashes the attributes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for attribute in self { hasher.combine(attribute) }
    }
}

extension AttributeList {
    /// Returns the text of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The text; `nil` if it is missing or isn't text.
    public func text(ofType type: Int) -> String? {
        value(ofType: type) { value, bytes in try? value.text(bytes).optional }
    }

    /// Returns the date of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The date; `nil` if it is missing or isn't a date.
    public func date(ofType type: Int) -> Date? {
        value(ofType: type) { value, bytes in try? value.date(bytes).optional }
    }

    /// Returns the number of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The number; `nil` if it is missing or isn't a non-negative integer.
    public func number(ofType type: Int) -> UInt64? {
        value(ofType: type) { value, bytes in try? value.number(bytes).optional }
    }

    /// Returns the bytes of the first attribute of a type.
    ///
    /// - Parameter type: The attribute's number.
    /// - Returns: The bytes; `nil` if it is missing.
    public func bytes(ofType type: Int) -> [UInt8]? { first(ofType: type).map { Array($0.value) } }

    private func value<Value>(ofType type: Int, decode: (AttributeValue, Span<UInt8>) -> Value?) -> Value? {
        guard let bytes: ArraySlice<UInt8> = first(ofType: type)?.value else { return nil }
        return decode(AttributeValue(range: 0..<bytes.count), bytes.span)
    }
}

extension AttributeList: Codable {
    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode([ReceiptAttribute].self))
    }

    /// Encodes the attributes as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(self))
    }

    /// Creates a list of attributes. Attributes beyond a total of 2 GB are omitted.
    public init(_ attributes: some Sequence<ReceiptAttribute>) {
        var bytes: [UInt8] = []
        var entries: [Entry] = []
        for attribute in attributes {
            guard let lower = Int32(exactly: bytes.count),
                let upper = Int32(exactly: bytes.count + attribute.value.count)
            else { continue }
            bytes += attribute.value
            entries.append(Entry(type: attribute.type, version: attribute.version, lower: lower, upper: upper))
        }
        self.init(entries[...], of: bytes[...])
    }
}
