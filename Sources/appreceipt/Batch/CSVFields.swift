import AppReceiptParsing
import AppReceiptSupport

/// The fields of a CSV text (RFC 4180), from left to right.
///
/// Both dividing the input into blocks and reading records use it, so that they agree on where a record ends. A field that
/// begins with a quotation mark ends with the next one that isn't doubled, and may contain line breaks. In other fields,
/// quotation marks have no meaning.
struct CSVFields {
    /// Where the next field begins.
    private(set) var position = 0
    /// The first line break at or after the position, found once for each line; -1 if unknown.
    private var lineEnd = -1

    /// One field.
    struct Field {
        /// The range of its bytes, without enclosing quotation marks and without the carriage return of a line ending.
        let range: Range<Int>
        let hasDoubledQuotes: Bool
        /// Whether text follows the closing quotation mark.
        let isMalformed: Bool
        /// The number of line breaks in it.
        let lines: Int
        let end: End
    }

    /// What ends a field.
    enum End {
        case comma, lineBreak, endOfText
        /// The end of the text, before the quotation mark was closed.
        case unclosed
    }

    init() {}

    /// Skips empty lines.
    ///
    /// - Returns: The number of lines.
    mutating func skipEmptyLines(_ span: Span<UInt8>) -> Int {
        var lines = 0
        while position < span.count, span[position] == UInt8(ascii: "\n") || span[position] == UInt8(ascii: "\r") {
            if span[position] == UInt8(ascii: "\n") { lines += 1 }
            position += 1
        }
        return lines
    }

    /// Reads the next field, with the comma or line break after it.
    mutating func next(_ span: Span<UInt8>) -> Field {
        guard position < span.count, span[position] == UInt8(ascii: "\"") else {
            let start = position
            let (range, end) = rest(span, from: start)
            return Field(range: range, hasDoubledQuotes: false, isMalformed: false, lines: 0, end: end)
        }
        let start = position + 1
        var hasDoubledQuotes = false
        var from = start
        while true {
            guard let quote = span.firstIndex(of: UInt8(ascii: "\""), in: from..<span.count) else {
                position = span.count
                return Field(
                    range: start..<span.count, hasDoubledQuotes: hasDoubledQuotes, isMalformed: true,
                    lines: span.count(of: UInt8(ascii: "\n"), in: start..<span.count), end: .unclosed)
            }
            if quote + 1 < span.count, span[quote + 1] == UInt8(ascii: "\"") {
                hasDoubledQuotes = true
                from = quote + 2
                continue
            }
            let (after, end) = rest(span, from: quote + 1)
            return Field(
                range: start..<quote, hasDoubledQuotes: hasDoubledQuotes, isMalformed: !after.isEmpty,
                lines: span.count(of: UInt8(ascii: "\n"), in: start..<quote), end: end)
        }
    }

    /// The bytes up to the next comma or line break.
    private mutating func rest(_ span: Span<UInt8>, from start: Int) -> (Range<Int>, End) {
        if lineEnd < start { lineEnd = span.firstIndex(of: UInt8(ascii: "\n"), in: start..<span.count) ?? span.count }
        if let comma = span.firstIndex(of: UInt8(ascii: ","), in: start..<lineEnd) {
            position = comma + 1
            return (start..<comma, .comma)
        }
        let hasReturn = lineEnd > start && span[lineEnd - 1] == UInt8(ascii: "\r")
        let isLast = lineEnd == span.count
        position = isLast ? lineEnd : lineEnd + 1
        return (start..<(hasReturn ? lineEnd - 1 : lineEnd), isLast ? .endOfText : .lineBreak)
    }
}

extension Span<UInt8> {
    /// The number of occurrences of a byte in a range.
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
