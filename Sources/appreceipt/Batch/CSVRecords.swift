import AppReceiptParsing

/// The records of a CSV text (RFC 4180): fields parted by commas, in quotation marks where they hold commas, quotation
/// marks (doubled) or line breaks.
struct CSVRecords {
    struct Field {
        /// As it stands there, without the quotation marks around it.
        let octets: ArraySlice<UInt8>
        let hasDoubledQuotes: Bool

        var text: String { String(decoding: unquoted, as: UTF8.self) }

        /// What the field stands for.
        var unquoted: ArraySlice<UInt8> {
            guard hasDoubledQuotes else { return octets }
            var result: [UInt8] = []
            var wasQuote = false
            for octet in octets {
                wasQuote = octet == UInt8(ascii: "\"") && !wasQuote
                if octet != UInt8(ascii: "\"") || wasQuote { result.append(octet) }
            }
            return result[...]
        }
    }

    struct Record {
        let line: Int
        let fields: [Field]
        /// Whether a quotation mark stands where none may.
        let isMalformed: Bool
    }

    private let bytes: ArraySlice<UInt8>
    /// Where the next record begins.
    private(set) var position = 0
    /// The line on which it begins.
    private(set) var line: Int

    init(_ bytes: ArraySlice<UInt8>, firstLine: Int) {
        self.bytes = bytes
        line = firstLine
    }

    /// The next record that is no empty line.
    mutating func next() -> Record? {
        let bytes = bytes
        let span = bytes.span
        while position < span.count, span[position] == UInt8(ascii: "\n") || span[position] == UInt8(ascii: "\r") {
            if span[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        guard position < span.count else { return nil }
        let first = line
        var fields: [Field] = []
        var isMalformed = false
        while true {
            let field = nextField(span, &isMalformed)
            fields.append(field)
            guard position < span.count else { break }
            let separator = span[position]
            position += 1
            if separator == UInt8(ascii: "\n") {
                line += 1
                break
            }
        }
        return Record(line: first, fields: fields, isMalformed: isMalformed)
    }

    /// A field; afterwards the position is that of the comma or line break after it.
    private mutating func nextField(_ span: Span<UInt8>, _ isMalformed: inout Bool) -> Field {
        guard position < span.count, span[position] == UInt8(ascii: "\"") else {
            let lineEnd = span.firstIndex(of: UInt8(ascii: "\n"), in: position..<span.count) ?? span.count
            let end = span.firstIndex(of: UInt8(ascii: ","), in: position..<lineEnd) ?? lineEnd
            let start = position
            position = end
            return Field(octets: bytes.part(start..<withoutReturn(span, start, end, lineEnd)), hasDoubledQuotes: false)
        }
        let start = position + 1
        var hasDoubledQuotes = false
        var from = start
        while true {
            guard let quote = span.firstIndex(of: UInt8(ascii: "\""), in: from..<span.count) else {
                // It is never closed.
                isMalformed = true
                line += span.extracting(start..<span.count).count(of: UInt8(ascii: "\n"))
                position = span.count
                return Field(octets: bytes.part(start..<span.count), hasDoubledQuotes: hasDoubledQuotes)
            }
            if quote + 1 < span.count, span[quote + 1] == UInt8(ascii: "\"") {
                hasDoubledQuotes = true
                from = quote + 2
                continue
            }
            line += span.extracting(start..<quote).count(of: UInt8(ascii: "\n"))
            let field = Field(octets: bytes.part(start..<quote), hasDoubledQuotes: hasDoubledQuotes)
            // Only a comma or a line break may follow.
            let lineEnd = span.firstIndex(of: UInt8(ascii: "\n"), in: quote + 1..<span.count) ?? span.count
            let end = span.firstIndex(of: UInt8(ascii: ","), in: quote + 1..<lineEnd) ?? lineEnd
            if withoutReturn(span, quote + 1, end, lineEnd) != quote + 1 { isMalformed = true }
            position = end
            return field
        }
    }

    /// The end of a field, before the carriage return that some systems write at the end of a line.
    private func withoutReturn(_ span: Span<UInt8>, _ start: Int, _ end: Int, _ lineEnd: Int) -> Int {
        end == lineEnd && end > start && span[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
    }
}
