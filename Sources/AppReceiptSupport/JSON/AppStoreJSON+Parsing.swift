extension AppStoreJSON {
    /// The reason that text is rejected, and the position.
    public enum Fault: Error, Hashable {
        /// The text isn't JSON or isn't UTF-8, at this byte.
        case malformed(Int)
        /// An object has two members of the same name, the second one at this byte. JSON parsers differ in which one
        /// they use.
        case duplicateMember(Int)
        /// Objects and arrays are nested deeper than the limit.
        case tooDeep(Int)

        /// The byte position, counted from the start of the text.
        public var position: Int {
            switch self {
            case .malformed(let position), .duplicateMember(let position), .tooDeep(let position): position
            }
        }
    }

    /// Parses text that contains one value.
    ///
    /// - Parameters:
    ///   - text: JSON in UTF-8.
    ///   - depth: How deep objects and arrays may be nested.
    /// - Throws: ``Fault`` if the text isn't valid according to RFC 8259, and for duplicate members.
    public init(parsing text: ArraySlice<UInt8>, depth: Int = 32) throws(Fault) {
        let span = text.span
        var reader = JSONReader(text: text, scanner: JSONScanner(0..<span.count, depth: depth), depth: depth)
        do throws(JSONScanner.Fault) {
            self = try reader.value(span)
            try reader.scanner.finish(span)
        } catch {
            switch error {
            case .unexpected(let position):
                if let duplicate = reader.duplicate { throw .duplicateMember(duplicate) }
                throw .malformed(position)
            case .tooDeep(let position): throw .tooDeep(position)
            }
        }
    }
}

/// Creates values from the scanner's positions. The depth limit bounds its recursion.
private struct JSONReader {
    let text: ArraySlice<UInt8>
    var scanner: JSONScanner
    /// The number of levels that may still be entered.
    var depth: Int
    /// The position of a duplicate member.
    var duplicate: Int?

    mutating func value(_ bytes: Span<UInt8>) throws(JSONScanner.Fault) -> AppStoreJSON {
        switch try scanner.kind(bytes) {
        case .null:
            try scanner.null(bytes)
            return .null
        case .boolean:
            return .boolean(try scanner.boolean(bytes))
        case .number:
            return .number(
                AppStoreJSON.Number(text: String(decoding: text.part(try scanner.number(bytes)), as: UTF8.self)))
        case .string:
            return .string(try decoded(try scanner.string(bytes)))
        case .array:
            return .array(try array(bytes))
        case .object:
            return .object(try object(bytes))
        }
    }

    private mutating func array(_ bytes: Span<UInt8>) throws(JSONScanner.Fault) -> [AppStoreJSON] {
        try enter()
        try scanner.open(.array, in: bytes)
        var elements: [AppStoreJSON] = []
        while try scanner.hasNext(bytes, in: .array, isFirst: elements.isEmpty) { elements.append(try value(bytes)) }
        depth += 1
        return elements
    }

    private mutating func object(_ bytes: Span<UInt8>) throws(JSONScanner.Fault) -> AppStoreJSON.Object {
        try enter()
        try scanner.open(.object, in: bytes)
        var members: [AppStoreJSON.Object.Member] = []
        // Used for long objects only: comparing a few names is faster than hashing. As bytes, because names are
        // compared without Unicode normalization.
        var names: Set<ArraySlice<UInt8>> = []
        while try scanner.hasNext(bytes, in: .object, isFirst: members.isEmpty) {
            let written = try scanner.name(bytes)
            let name = try decoded(written)
            let isNew: Bool
            if members.count < Self.few {
                isNew = !members.contains { $0.name.utf8.elementsEqual(name.utf8) }
            } else {
                if members.count == Self.few { names = Set(members.map { ArraySlice($0.name.utf8) }) }
                isNew = names.insert(ArraySlice(name.utf8)).inserted
            }
            guard isNew else {
                duplicate = written.range.lowerBound - 1
                throw .unexpected(written.range.lowerBound)
            }
            members.append(AppStoreJSON.Object.Member(name: name, value: try value(bytes)))
        }
        depth += 1
        return AppStoreJSON.Object(distinct: members)
    }

    private static let few = 48

    private mutating func enter() throws(JSONScanner.Fault) {
        guard depth > 0 else { throw .tooDeep(scanner.position) }
        depth -= 1
    }

    private func decoded(_ string: JSONScanner.Text) throws(JSONScanner.Fault) -> String {
        guard let decoded = string.decoded(text) else { throw .unexpected(string.range.lowerBound) }
        return decoded
    }
}
