/// Scans JSON text (RFC 8259) from left to right, without recursion and without copies.
///
/// Strict: anything that RFC 8259 does not allow is an error, and so is nesting beyond the limit. Text that isn't UTF-8
/// or has an unpaired surrogate doesn't decode. The scanner stores positions only; the bytes are passed to each call.
/// The caller handles duplicate members.
package struct JSONScanner {
    /// The position of the next character.
    package private(set) var position: Int
    /// The position after the last character.
    package let end: Int
    private let maxDepth: Int

    /// The reason that text isn't JSON, and the position.
    package enum Fault: Error, Hashable {
        case unexpected(Int)
        case tooDeep(Int)

        package var position: Int {
            switch self {
            case .unexpected(let position), .tooDeep(let position): position
            }
        }
    }

    /// The kind of a value.
    package enum Kind: Hashable {
        case object, array, string, number, boolean, null
    }

    /// The position of a string in the text, without its quotation marks.
    package struct Text: Hashable {
        package let range: Range<Int>
        package let hasEscapes: Bool
    }

    /// - Parameter depth: How deep objects and arrays may be nested.
    package init(_ range: Range<Int>, depth: Int = 32) {
        position = range.lowerBound
        end = range.upperBound
        maxDepth = depth
    }

    // MARK: Values

    /// Returns the kind of the next value. Skips whitespace before it.
    package mutating func kind(_ bytes: Span<UInt8>) throws(Fault) -> Kind {
        skipWhitespace(bytes)
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

    /// Reads a value that must be a string.
    package mutating func string(_ bytes: Span<UInt8>) throws(Fault) -> Text {
        try take(UInt8(ascii: "\""), in: bytes)
        let start = position
        var hasEscapes = false
        guard var quote = bytes.firstIndex(of: UInt8(ascii: "\""), in: position..<end) else { throw .unexpected(end) }
        while let escape = bytes.firstIndex(of: UInt8(ascii: "\\"), in: position..<quote) {
            hasEscapes = true
            // Escapes are decoded later. Here an escaped quotation mark must not end the string.
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

    /// Reads a value that must be a number.
    ///
    /// - Returns: The range of its characters.
    package mutating func number(_ bytes: Span<UInt8>) throws(Fault) -> Range<Int> {
        skipWhitespace(bytes)
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

    /// Reads a value that must be true or false.
    package mutating func boolean(_ bytes: Span<UInt8>) throws(Fault) -> Bool {
        skipWhitespace(bytes)
        let isTrue = position < end && bytes[position] == UInt8(ascii: "t")
        try take(word: isTrue ? "true" : "false", in: bytes)
        return isTrue
    }

    /// Reads a value that must be null.
    package mutating func null(_ bytes: Span<UInt8>) throws(Fault) {
        skipWhitespace(bytes)
        try take(word: "null", in: bytes)
    }

    /// Skips the next value, of any kind, and returns its range.
    package mutating func skip(_ bytes: Span<UInt8>) throws(Fault) -> Range<Int> {
        skipWhitespace(bytes)
        let start = position
        // True for each open object, false for each open array.
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
                guard open.count < maxDepth else { throw .tooDeep(position) }
                position += 1
                open.append(isObject)
                hasValue = try takeIf(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), in: bytes)
                if hasValue { open.removeLast() } else if isObject { _ = try name(bytes) }
            }
            // The value may end its parent, which may end its own parent.
            while hasValue, let isObject = open.last {
                if try takeIf(UInt8(ascii: ","), in: bytes) {
                    if isObject { _ = try name(bytes) }
                    hasValue = false
                } else {
                    try take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), in: bytes)
                    open.removeLast()
                }
            }
        } while !open.isEmpty
        return start..<position
    }

    // MARK: Structure

    /// Enters an object or array.
    package mutating func open(_ kind: Kind, in bytes: Span<UInt8>) throws(Fault) {
        try take(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["), in: bytes)
    }

    /// Whether there is another member or element. If not, leaves the object or array.
    package mutating func hasNext(_ bytes: Span<UInt8>, in kind: Kind, isFirst: Bool) throws(Fault) -> Bool {
        if try takeIf(kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]"), in: bytes) { return false }
        if !isFirst { try take(UInt8(ascii: ","), in: bytes) }
        return true
    }

    /// Reads the name of the next member and the colon after it.
    package mutating func name(_ bytes: Span<UInt8>) throws(Fault) -> Text {
        let name = try string(bytes)
        try take(UInt8(ascii: ":"), in: bytes)
        return name
    }

    /// Checks that only whitespace remains.
    package mutating func finish(_ bytes: Span<UInt8>) throws(Fault) {
        skipWhitespace(bytes)
        guard position == end else { throw .unexpected(position) }
    }

    // MARK: Characters

    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func takeIf(_ character: UInt8, in bytes: Span<UInt8>) throws(Fault) -> Bool {
        skipWhitespace(bytes)
        guard position < end else { throw .unexpected(position) }
        guard bytes[position] == character else { return false }
        position += 1
        return true
    }

    private mutating func take(_ character: UInt8, in bytes: Span<UInt8>) throws(Fault) {
        guard try takeIf(character, in: bytes) else { throw .unexpected(position) }
    }

    private mutating func take(word: StaticString, in bytes: Span<UInt8>) throws(Fault) {
        for character in word.description.utf8 {
            guard position < end, bytes[position] == character else { throw .unexpected(position) }
            position += 1
        }
    }

    private mutating func takeDigits(_ bytes: Span<UInt8>) throws(Fault) {
        let start = position
        while position < end, bytes[position].isASCIIDigit { position += 1 }
        guard position > start else { throw .unexpected(position) }
    }
}

extension JSONScanner.Text {
    /// Returns the decoded string, or nil if it isn't UTF-8, or has an unknown escape or an unpaired surrogate.
    package func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        decodedBytes(bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the decoded string in UTF-8, or nil like ``decoded(_:)``. Without escapes it is a part of the text.
    package func decodedBytes(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let raw: ArraySlice<UInt8> = bytes.part(range)
        guard hasEscapes else { return Self.isUTF8(raw) ? raw : nil }
        let span = raw.span
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        var position = 0
        while let escape = span.firstIndex(of: UInt8(ascii: "\\"), in: position..<span.count) {
            decoded.append(contentsOf: raw.part(position..<escape))
            position = escape + 1
            guard position < span.count, let scalar = Self.escape(in: span, at: &position) else { return nil }
            if scalar.isASCII {
                decoded.append(UInt8(scalar.value))
            } else {
                decoded.append(contentsOf: Character(scalar).utf8)
            }
        }
        decoded.append(contentsOf: raw.part(position..<span.count))
        return Self.isUTF8(decoded[...]) ? decoded[...] : nil
    }

    /// Whether the bytes are UTF-8. `String(decoding:as:)` repairs invalid bytes, so the result is compared.
    private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.span.isASCII || String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }

    /// Decodes an escape after the backslash.
    private static func escape(in raw: Span<UInt8>, at position: inout Int) -> Unicode.Scalar? {
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
            guard let first = unit(in: raw, at: &position) else { return nil }
            guard (0xD800..<0xE000).contains(first) else { return Unicode.Scalar(first) }
            guard first < 0xDC00, raw.count - position >= 6, raw[position] == UInt8(ascii: "\\"),
                raw[position + 1] == UInt8(ascii: "u")
            else { return nil }
            position += 2
            guard let second = unit(in: raw, at: &position), (0xDC00..<0xE000).contains(second) else { return nil }
            return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
        default: return nil
        }
    }

    /// Decodes four hexadecimal digits.
    private static func unit(in raw: Span<UInt8>, at position: inout Int) -> UInt16? {
        guard raw.count - position >= 4 else { return nil }
        var value: UInt16 = 0
        for index in position..<position + 4 {
            guard let digit = raw[index].hexadecimalDigitValue else { return nil }
            value = value << 4 | UInt16(digit)
        }
        position += 4
        return value
    }
}
