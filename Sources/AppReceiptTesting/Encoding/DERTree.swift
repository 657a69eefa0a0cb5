/// A parsed DER element. Nested elements can be changed, and encoding the tree recomputes the lengths.
package struct DERTree: Sendable, Hashable {
    /// The element's tag.
    package var tag: UInt8
    /// The content bytes of a primitive element.
    package var octets: [UInt8]
    /// The elements in a constructed element.
    package var children: [DERTree]

    /// Parses a single element with definite lengths. Returns nil if `bytes` are anything else.
    package init?(_ bytes: some Collection<UInt8>) {
        let elements = Self.elements(Array(bytes)[...])
        guard let first = elements?.first, elements?.count == 1 else { return nil }
        self = first
    }

    private init(tag: UInt8, octets: [UInt8], children: [DERTree]) {
        self.tag = tag
        self.octets = octets
        self.children = children
    }

    /// Creates an element from its bytes, for insertion. Bytes that aren't DER become a null.
    package static func raw(_ bytes: [UInt8]) -> DERTree {
        DERTree(bytes) ?? DERTree(tag: 0x05, octets: [], children: [])
    }

    /// The bytes.
    package var encoded: [UInt8] {
        DERWriter.element(tag, tag & 0x20 == 0 ? octets : children.flatMap(\.encoded))
    }

    /// Appends an element to the element at a path of positions. Does nothing if the path doesn't exist.
    package mutating func append(_ element: DERTree, at path: ArraySlice<Int>) {
        guard let first = path.first else {
            children.append(element)
            return
        }
        guard children.indices.contains(first) else { return }
        children[first].append(element, at: path.dropFirst())
    }

    private static func elements(_ bytes: ArraySlice<UInt8>) -> [DERTree]? {
        var rest = bytes
        var elements: [DERTree] = []
        while let tag = rest.popFirst() {
            guard let first = rest.popFirst(), first <= 0x84, first != 0x80 else { return nil }
            var length = Int(first)
            if first > 0x80 {
                guard rest.count >= Int(first & 0x7F) else { return nil }
                length = rest.prefix(Int(first & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(Int(first & 0x7F))
            }
            guard rest.count >= length else { return nil }
            let content = rest.prefix(length)
            rest = rest.dropFirst(length)
            if tag & 0x20 == 0 {
                elements.append(DERTree(tag: tag, octets: Array(content), children: []))
            } else {
                guard let children = Self.elements(content) else { return nil }
                elements.append(DERTree(tag: tag, octets: [], children: children))
            }
        }
        return elements
    }
}
