/// Reads JSON text (RFC 8259) from left to right, without recursion and without copies.
///
/// Strict: what RFC 8259 does not allow is a fault, and so is nesting beyond a limit; text that is not UTF-8 or has half
/// a surrogate pair does not decode. The scanner holds positions only; each call is given the bytes. What is done with
/// duplicate members is up to who asks for them.
package struct JSONScanner {
    /// The position of the next character.
    package private(set) var position: Int
    /// The position after the last character.
    package let end: Int
    private let maximalDepth: Int

    /// Why a text is no JSON, and where.
    package enum Fault: Error, Hashable {
        case unexpected(Int)
        case tooDeep(Int)

        package var position: Int {
            switch self {
            case .unexpected(let position), .tooDeep(let position): position
            }
        }
    }

    /// What kind of value begins here.
    package enum Kind: Hashable {
        case object, array, string, number, boolean, null
    }

    /// A string as it stands in the text, without its quotation marks.
    package struct Text: Hashable {
        package let range: Range<Int>
        package let hasEscapes: Bool
    }

    /// - Parameter depth: how many objects and arrays may lie within each other.
    package init(_ range: Range<Int>, depth: Int = 32) {
        position = range.lowerBound
        end = range.upperBound
        maximalDepth = depth
    }

    // MARK: Values

    /// The kind of the value that comes next; blanks before it are passed over.
    package mutating func kind(_ bytes: Span<UInt8>) throws(Fault) -> Kind {
        skipBlanks(bytes)
        guard position < end else { throw .unexpected(position) }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        default: throw .unexpected(position)
        }
    }

    /// The next string.
    package mutating func string(_ bytes: Span<UInt8>) throws(Fault) -> Text {
        try take(bytes, UInt8(ascii: "\""))
        let start = position
        var hasEscapes = false
        guard var quote = bytes.firstIndex(of: UInt8(ascii: "\""), in: position..<end) else { throw .unexpected(end) }
        while let escape = bytes.firstIndex(of: UInt8(ascii: "\\"), in: position..<quote) {
            hasEscapes = true
            // What is escaped is looked at when the text is made; here only that a quotation mark is passed over.
            position = escape + 2
            guard position > quote else { continue }
            guard position <= end, let next = bytes.firstIndex(of: UInt8(ascii: "\""), in: position..<end) else {
                throw .unexpected(end)
            }
            quote = next
        }
        position = quote + 1
        guard !bytes.hasControlCharacters(in: start..<quote) else { throw .unexpected(start) }
        return Text(range: start..<quote, hasEscapes: hasEscapes)
    }

    /// The next number, as its characters.
    package mutating func number(_ bytes: Span<UInt8>) throws(Fault) -> Range<Int> {
        skipBlanks(bytes)
        let start = position
        if position < end, bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < end, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try takeDigits(bytes)
        }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try takeDigits(bytes)
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < end, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) { position += 1 }
            try takeDigits(bytes)
        }
        return start..<position
    }

    /// The next value, which is true or false.
    package mutating func boolean(_ bytes: Span<UInt8>) throws(Fault) -> Bool {
        skipBlanks(bytes)
        let isTrue = position < end && bytes[position] == UInt8(ascii: "t")
        try take(bytes, word: isTrue ? "true" : "false")
        return isTrue
    }

    /// The next value, which is null.
    package mutating func null(_ bytes: Span<UInt8>) throws(Fault) {
        skipBlanks(bytes)
        try take(bytes, word: "null")
    }

    /// Passes over the next value, of any kind, and gives where it stands.
    package mutating func skip(_ bytes: Span<UInt8>) throws(Fault) -> Range<Int> {
        skipBlanks(bytes)
        let start = position
        // True for each object that is open, false for each array.
        var open: [Bool] = []
        repeat {
            var hasValue = true
            switch try kind(bytes) {
            case .string: _ = try string(bytes)
            case .number: _ = try number(bytes)
            case .boolean: _ = try boolean(bytes)
            case .null: try null(bytes)
            case .object, .array:
                let isObject = bytes[position] == UInt8(ascii: "{")
                guard open.count < maximalDepth else { throw .tooDeep(position) }
                position += 1
                open.append(isObject)
                hasValue = try takeIf(bytes, isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                if hasValue { open.removeLast() } else if isObject { _ = try name(bytes) }
            }
            // What was read may end what it stands in, and that in turn.
            while hasValue, let isObject = open.last {
                if try takeIf(bytes, UInt8(ascii: ",")) {
                    if isObject { _ = try name(bytes) }
                    hasValue = false
                } else {
                    try take(bytes, isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                    open.removeLast()
                }
            }
        } while !open.isEmpty
        return start..<position
    }

    // MARK: Structure

    /// Enters an object or array: `{` or `[`.
    package mutating func open(_ bytes: Span<UInt8>, _ kind: Kind) throws(Fault) {
        try take(bytes, kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
    }

    /// Whether there is another member or element; otherwise the object or array is left.
    package mutating func hasNext(_ bytes: Span<UInt8>, in kind: Kind, isFirst: Bool) throws(Fault) -> Bool {
        if try takeIf(bytes, kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return false }
        if !isFirst { try take(bytes, UInt8(ascii: ",")) }
        return true
    }

    /// The name of the next member, and its colon.
    package mutating func name(_ bytes: Span<UInt8>) throws(Fault) -> Text {
        let name = try string(bytes)
        try take(bytes, UInt8(ascii: ":"))
        return name
    }

    /// Nothing but blanks may be left over.
    package mutating func finish(_ bytes: Span<UInt8>) throws(Fault) {
        skipBlanks(bytes)
        guard position == end else { throw .unexpected(position) }
    }

    // MARK: Characters

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func takeIf(_ bytes: Span<UInt8>, _ character: UInt8) throws(Fault) -> Bool {
        skipBlanks(bytes)
        guard position < end else { throw .unexpected(position) }
        guard bytes[position] == character else { return false }
        position += 1
        return true
    }

    private mutating func take(_ bytes: Span<UInt8>, _ character: UInt8) throws(Fault) {
        guard try takeIf(bytes, character) else { throw .unexpected(position) }
    }

    private mutating func take(_ bytes: Span<UInt8>, word: StaticString) throws(Fault) {
        for character in word.description.utf8 {
            guard position < end, bytes[position] == character else { throw .unexpected(position) }
            position += 1
        }
    }

    private mutating func takeDigits(_ bytes: Span<UInt8>) throws(Fault) {
        let start = position
        while position < end, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > start else { throw .unexpected(position) }
    }
}

extension JSONScanner.Text {
    /// The text that the string stands for; nil if it is not UTF-8, or has an escape that JSON does not know or that is
    /// half of a pair.
    package func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        let raw = bytes.part(range)
        guard hasEscapes else { return Self.text(raw) }
        var octets: [UInt8] = []
        octets.reserveCapacity(raw.count)
        var position = raw.startIndex
        while position < raw.endIndex {
            let octet = raw[position]
            position += 1
            guard octet == UInt8(ascii: "\\") else {
                octets.append(octet)
                continue
            }
            guard position < raw.endIndex, let scalar = Self.escape(raw, &position) else { return nil }
            octets.append(contentsOf: Character(scalar).utf8)
        }
        return Self.text(octets[...])
    }

    /// Text of octets that are UTF-8. Decoding would repair others, and then it is not what was written.
    private static func text(_ octets: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: octets, as: UTF8.self)
        return octets.allSatisfy { $0 < 0x80 } || text.utf8.elementsEqual(octets) ? text : nil
    }

    /// What follows a reverse solidus.
    private static func escape(_ raw: ArraySlice<UInt8>, _ position: inout Int) -> Unicode.Scalar? {
        let kind = raw[position]
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let first = unit(raw, &position) else { return nil }
            guard (0xD800..<0xE000).contains(first) else { return Unicode.Scalar(first) }
            guard first < 0xDC00, raw.endIndex - position >= 6, raw[position] == UInt8(ascii: "\\"),
                raw[position + 1] == UInt8(ascii: "u")
            else { return nil }
            position += 2
            guard let second = unit(raw, &position), (0xDC00..<0xE000).contains(second) else { return nil }
            return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
        default: return nil
        }
    }

    /// Four hexadecimal digits.
    private static func unit(_ raw: ArraySlice<UInt8>, _ position: inout Int) -> UInt16? {
        guard raw.endIndex - position >= 4 else { return nil }
        var value: UInt16 = 0
        for octet in raw[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(octet)).hexDigitValue else { return nil }
            value = value << 4 | UInt16(digit)
        }
        position += 4
        return value
    }
}
