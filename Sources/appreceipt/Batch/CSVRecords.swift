import AppReceiptParsing
import AppReceiptSupport

/// The records of a CSV text (RFC 4180).
///
/// A field that begins with a quotation mark ends with the next one that isn't doubled, and may contain line breaks. In
/// other fields, quotation marks have no meaning.
struct CSVRecords {
    struct Field {
        /// The bytes in the text, without the enclosing quotation marks.
        let bytes: ArraySlice<UInt8>
        let hasDoubledQuotes: Bool

        var text: String { String(decoding: unquoted, as: UTF8.self) }

        /// The bytes of the value, with doubled quotation marks replaced by single ones.
        var unquoted: ArraySlice<UInt8> {
            guard hasDoubledQuotes else { return bytes }
            var result: [UInt8] = []
            var wasQuote = false
            for byte in bytes {
                wasQuote = byte == CSVRecords.quote && !wasQuote
                if byte != CSVRecords.quote || wasQuote { result.append(byte) }
            }
            return result[...]
        }
    }

    struct Record {
        /// The line on which it begins.
        let line: Int
        /// The fields, up to the requested number.
        fileprivate(set) var fields: [Field] = []
        /// The number of fields in the text.
        fileprivate(set) var count = 0
        /// Whether a quotation mark isn't closed, or text follows a closing one.
        fileprivate(set) var isMalformed = false
        /// Whether a quotation mark isn't closed, so that the rest of the text belongs to this record.
        fileprivate(set) var isUnclosed = false
        /// Whether it ends with a line break rather than with the text.
        fileprivate(set) var isEnded = false
    }

    private let bytes: ArraySlice<UInt8>
    /// The line on which the next record begins.
    private(set) var line: Int
    /// The beginning of the next record.
    private(set) var position = 0

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    init(_ bytes: ArraySlice<UInt8>, firstLine: Int) {
        self.bytes = bytes
        line = firstLine
    }

    /// Returns the next record. Empty lines are skipped.
    ///
    /// - Parameter maxFields: The number of fields to return. A line may have millions.
    mutating func next(maxFields: Int) -> Record? {
        let bytes = bytes
        let span = bytes.span
        while position < span.count, span[position] == Self.newline || span[position] == Self.carriageReturn {
            if span[position] == Self.newline { line += 1 }
            position += 1
        }
        guard position < span.count else { return nil }
        var record = Record(line: line)
        while true {
            var field: Range<Int>?
            var hasDoubledQuotes = false
            if position < span.count, span[position] == Self.quote {
                let quoted = quotedText(span)
                (field, hasDoubledQuotes) = (quoted.range, quoted.hasDoubledQuotes)
                record.isUnclosed = !quoted.isClosed
                line += span.count(of: Self.newline, in: quoted.range)
            }
            let plain = plainText(span)
            if record.isUnclosed || field != nil && !plain.range.isEmpty { record.isMalformed = true }
            record.count += 1
            if record.count <= maxFields {
                record.fields.append(
                    Field(bytes: bytes.part(field ?? plain.range), hasDoubledQuotes: hasDoubledQuotes))
            }
            if plain.end == Self.comma { continue }
            record.isEnded = plain.end == Self.newline
            return record
        }
    }

    /// Reads up to the closing quotation mark, or to the end of the text if there is none.
    private mutating func quotedText(
        _ span: Span<UInt8>
    ) -> (range: Range<Int>, hasDoubledQuotes: Bool, isClosed: Bool) {
        let start = position + 1
        position = start
        var hasDoubledQuotes = false
        while let quote = span.firstIndex(of: Self.quote, in: position..<span.count) {
            position = quote + 1
            guard position < span.count, span[position] == Self.quote else {
                return (start..<quote, hasDoubledQuotes, true)
            }
            hasDoubledQuotes = true
            position += 1
        }
        position = span.count
        return (start..<position, hasDoubledQuotes, false)
    }

    /// Reads up to the next comma or line break.
    ///
    /// - Returns: The text without the carriage return of a line ending, and the byte that ended it; nil at the end of
    ///   the text.
    private mutating func plainText(_ span: Span<UInt8>) -> (range: Range<Int>, end: UInt8?) {
        let start = position
        while position < span.count, span[position] != Self.comma, span[position] != Self.newline { position += 1 }
        let end = position < span.count ? span[position] : nil
        let hasReturn = end != Self.comma && position > start && span[position - 1] == Self.carriageReturn
        let range = start..<(hasReturn ? position - 1 : position)
        if end != nil { position += 1 }
        if end == Self.newline { line += 1 }
        return (range, end)
    }
}

extension Span<UInt8> {
    /// Returns the number of occurrences of a byte in a range.
    func count(of byte: UInt8, in range: Range<Int>) -> Int {
        var found = 0
        var position = range.lowerBound
        while let next = firstIndex(of: byte, in: position..<range.upperBound) {
            found += 1
            position = next + 1
        }
        return found
    }
}

/// Writes CSV (RFC 4180).
///
/// Values are written as they are, even if a spreadsheet would treat them as formulas: identifiers must stay
/// comparable.
enum CSVText {
    /// Returns a record with its line break.
    static func record(_ values: [AppStoreJSON]) -> [UInt8] {
        var text: [UInt8] = []
        for (index, value) in values.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(self.text(of: value), to: &text)
        }
        // A reader would skip an empty line.
        if text.isEmpty { text.append(contentsOf: "\"\"".utf8) }
        text.append(contentsOf: "\r\n".utf8)
        return text
    }

    /// Returns the characters of a value, without quotation marks. Null is empty.
    static func text(of value: AppStoreJSON) -> [UInt8] {
        switch value {
        case .null: []
        case .string(let string): Array(string.utf8)
        default: value.text()
        }
    }

    private static func append(_ value: [UInt8], to text: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        guard value.contains(where: { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D }) else {
            text.append(contentsOf: value)
            return
        }
        text.append(quote)
        for byte in value {
            if byte == quote { text.append(quote) }
            text.append(byte)
        }
        text.append(quote)
    }
}
