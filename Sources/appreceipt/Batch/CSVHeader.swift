/// The first record of a CSV text, which names the columns.
enum CSVHeader {
    static let maxColumns = 1000

    struct Malformed: Error {
        let reason: String
    }

    static func columns(of header: CSVRecords.Record?) throws(Malformed) -> [String] {
        guard let header, !header.isMalformed, header.count <= maxColumns else {
            throw Malformed(reason: "The first line isn't a list of columns.")
        }
        let columns = header.fields.map(\.text)
        guard columns.contains("receipt") || columns.contains("path") else {
            throw Malformed(
                reason:
                    "Read as CSV because it doesn't begin with '{' (for NDJSON, pass --format ndjson), but the first line has neither a column 'receipt' nor 'path'."
            )
        }
        var seen: Set<String> = []
        for column in columns where BatchRecord.Member(rawValue: column) != nil {
            guard seen.insert(column).inserted else {
                throw Malformed(reason: "The column '\(column)' occurs twice.")
            }
        }
        // Reported, because a misspelled column would silently disable a check.
        let others = columns.filter { BatchRecord.Member(rawValue: $0) == nil && !$0.isEmpty }
        if !others.isEmpty {
            Terminal.note("Ignored unknown columns: \(others.prefix(10).joined(separator: ", "))")
        }
        return columns
    }
}
