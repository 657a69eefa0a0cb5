import AppReceiptSupport

/// An old-style property list that is one dictionary of quoted strings, `{ "key" = "value"; … }`, the only syntax in
/// transaction receipts. Other syntax of such lists is rejected: unquoted words, data, arrays, dictionaries, comments,
/// octal escapes.
///
/// Source: Apple, Property List Programming Guide, Old-Style ASCII Property Lists.
package struct StringPropertyList: Sendable, Hashable {
    /// A key and its value.
    package struct Entry: Sendable, Hashable {
        package let key: String
        package let value: String
    }

    /// Keys and values in the order of the text.
    package private(set) var entries: [Entry] = []

    /// Genuine receipts have five outer and about twenty inner entries.
    static let maxEntries = 64

    /// - Parameter text: The text. The caller limits its length.
    package init(parsing text: ArraySlice<UInt8>) throws(ReceiptError) {
        var reader = Reader(text: text, position: text.startIndex)
        try reader.expect("{")
        while !reader.consume("}") {
            let start = reader.position
            let key = try reader.string()
            try reader.expect("=")
            let value = try reader.string()
            try reader.expect(";")
            guard entries.count < Self.maxEntries else { throw reader.malformed(at: start) }
            guard self[key] == nil else {
                throw ReceiptError(.transactionReceiptKeyDuplicate, offset: start - text.startIndex)
            }
            entries.append(Entry(key: key, value: value))
        }
        try reader.finish()
    }

    package subscript(key: String) -> String? { entries.first { $0.key.utf8.elementsEqual(key.utf8) }?.value }
}

/// Reads from left to right, each character once.
private struct Reader {
    let text: ArraySlice<UInt8>
    var position: Int

    func malformed(at position: Int) -> ReceiptError {
        ReceiptError(.transactionReceiptMalformed, offset: position - text.startIndex)
    }

    private mutating func skipWhitespace() {
        while position < text.endIndex, Base64.isWhitespace(text[position]) { position += 1 }
    }

    /// Consumes the next character if it is this one.
    mutating func consume(_ character: Unicode.Scalar) -> Bool {
        skipWhitespace()
        guard position < text.endIndex, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func expect(_ character: Unicode.Scalar) throws(ReceiptError) {
        guard consume(character) else { throw malformed(at: position) }
    }

    mutating func finish() throws(ReceiptError) {
        skipWhitespace()
        guard position == text.endIndex else { throw malformed(at: position) }
    }

    mutating func string() throws(ReceiptError) -> String {
        try expect("\"")
        let start = position
        var bytes: [UInt8] = []
        while position < text.endIndex, text[position] != UInt8(ascii: "\"") {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let scalar = escape() else { throw malformed(at: position) }
            bytes.append(contentsOf: String(scalar).utf8)
        }
        try expect("\"")
        // Decoding replaces invalid UTF-8, so the text would differ from the bytes.
        let string = String(decoding: bytes, as: UTF8.self)
        guard string.utf8.elementsEqual(bytes) else { throw malformed(at: start) }
        return string
    }

    /// Reads the characters after a backslash: a backslash, a quotation mark, a letter, or `U` with four hexadecimal
    /// digits.
    private mutating func escape() -> Unicode.Scalar? {
        guard position < text.endIndex else { return nil }
        let kind = text[position]
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return Unicode.Scalar(kind)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "U"):
            guard text.endIndex - position >= 4 else { return nil }
            var value: UInt16 = 0
            for byte in text[position..<position + 4] {
                guard let digit = byte.hexadecimalDigitValue else { return nil }
                value = value << 4 | UInt16(digit)
            }
            position += 4
            return Unicode.Scalar(value)
        default: return nil
        }
    }
}
