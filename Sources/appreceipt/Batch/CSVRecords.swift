import AppReceiptParsing
import AppReceiptSupport

/// The records of a CSV text.
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
                wasQuote = byte == UInt8(ascii: "\"") && !wasQuote
                if byte != UInt8(ascii: "\"") || wasQuote { result.append(byte) }
            }
            return result[...]
        }
    }

    struct Record {
        let line: Int
        /// The fields, up to the requested number.
        let fields: [Field]
        /// The number of fields in the text.
        let count: Int
        /// Whether text follows a closing quotation mark.
        let isMalformed: Bool
        /// Whether a quotation mark isn't closed, so that the rest of the text belongs to this record.
        let isUnclosed: Bool
        /// Whether it ends with a line break rather than with the text.
        let isEnded: Bool
    }

    private let bytes: ArraySlice<UInt8>
    private var fields = CSVFields()
    /// The line on which the next record begins.
    private(set) var line: Int

    /// Where the next record begins.
    var position: Int { fields.position }

    init(_ bytes: ArraySlice<UInt8>, firstLine: Int) {
        self.bytes = bytes
        line = firstLine
    }

    /// The next record. Empty lines are skipped.
    ///
    /// - Parameter maxFields: The number of fields to return. A line may have millions.
    mutating func next(maxFields: Int) -> Record? {
        let bytes = bytes
        let span = bytes.span
        line += fields.skipEmptyLines(span)
        guard fields.position < span.count else { return nil }
        let first = line
        var values: [Field] = []
        var count = 0
        var isMalformed = false
        while true {
            let field = fields.next(span)
            line += field.lines
            isMalformed = isMalformed || field.isMalformed
            count += 1
            if count <= maxFields {
                values.append(Field(bytes: bytes.part(field.range), hasDoubledQuotes: field.hasDoubledQuotes))
            }
            if field.end == .comma { continue }
            if field.end == .lineBreak { line += 1 }
            return Record(
                line: first, fields: values, count: count, isMalformed: isMalformed, isUnclosed: field.end == .unclosed,
                isEnded: field.end == .lineBreak)
        }
    }
}
