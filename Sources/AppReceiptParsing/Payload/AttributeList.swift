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
