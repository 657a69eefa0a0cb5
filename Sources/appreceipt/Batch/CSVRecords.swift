import AppReceiptParsing
import AppReceiptSupport

/// The records of a CSV text.
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
        /// As many as are asked for.
        let fields: [Field]
        /// How many there are.
        let count: Int
        /// Whether something stands after a closing quotation mark.
        let isMalformed: Bool
        /// Whether a quotation mark is never closed, so that the rest of the text belongs to this record.
        let isOpen: Bool
        /// Whether a line break ends it; otherwise the text does.
        let isEnded: Bool
    }

    private let bytes: ArraySlice<UInt8>
    private var walk = CSVFields()
    /// The line on which the next record begins.
    private(set) var line: Int

    /// Where the next record begins.
    var position: Int { walk.position }

    init(_ bytes: ArraySlice<UInt8>, firstLine: Int) {
        self.bytes = bytes
        line = firstLine
    }

    /// The next record that is no empty line.
    ///
    /// - Parameter most: how many of its fields are wanted; a line may have millions.
    mutating func next(most: Int) -> Record? {
        let bytes = bytes
        let span = bytes.span
        line += walk.skipEmptyLines(span)
        guard walk.position < span.count else { return nil }
        let first = line
        var fields: [Field] = []
        var count = 0
        var isMalformed = false
        while true {
            let field = walk.next(span)
            line += field.lines
            isMalformed = isMalformed || field.isMalformed
            count += 1
            if count <= most {
                fields.append(Field(octets: bytes.part(field.range), hasDoubledQuotes: field.hasDoubledQuotes))
            }
            if field.end == .comma { continue }
            if field.end == .lineBreak { line += 1 }
            return Record(
                line: first, fields: fields, count: count, isMalformed: isMalformed, isOpen: field.end == .open,
                isEnded: field.end == .lineBreak)
        }
    }
}
