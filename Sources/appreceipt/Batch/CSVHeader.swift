import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The first record of a CSV text, which names the columns.
enum CSVHeader {
    static let maxColumns = 1000

    struct Malformed: Error {
        let reason: String
    }

    /// - Parameter id: The name of the column with the id.
    /// - Returns: The meaning of each column, nil for those without one.
    static func columns(of header: CSVRecords.Record?, id: String) throws(Malformed) -> [BatchRecord.Member?] {
        guard let header, !header.isMalformed, header.count <= maxColumns else {
            throw Malformed(reason: "The first line isn't a list of columns.")
        }
        let names = header.fields.map { String(decoding: $0.unquoted.trimmingWhitespace, as: UTF8.self) }
        let columns = names.map { BatchRecord.Member($0, id: id) }
        guard columns.contains(.data) || columns.contains(.path) else {
            let separators = names.count == 1 && names[0].contains { $0 == ";" || $0 == "\t" }
            throw Malformed(
                reason: "The first line isn't a JSON object, a receipt or a token, and as the header of CSV it has no "
                    + "column with the receipt: \(BatchRecord.Member.sources). Add a header, or rename the column. "
                    + "Found: \(list(names)).\(UnknownMembers.questions(about: names.prefix(UnknownMembers.maxNames))) "
                    + (separators ? "Columns must be separated by commas. " : "")
                    + "To read every line as a record, pass --format ndjson.")
        }
        if id != "id", !columns.contains(.id) {
            throw Malformed(reason: "There is no column '\(id)' for --id. The columns are \(list(names)).")
        }
        var seen: Set<String> = []
        for (name, column) in zip(names, columns) where column != nil {
            guard seen.insert(EvidenceInput.canonicalName(name)).inserted else {
                throw Malformed(reason: "The column '\(name)' occurs twice.")
            }
        }
        // Reported, because a misspelled column would silently disable a check.
        let others = zip(names, columns).filter { $1 == nil && !$0.isEmpty }.map(\.0)
        if let note = UnknownMembers.note(others, kind: "columns") { Terminal.note(note) }
        return columns
    }

    /// Returns the names for a message. The first line may be data rather than a header.
    private static func list(_ names: [String]) -> String {
        names.prefix(UnknownMembers.maxNames).map { Terminal.truncated($0, to: 40) }.joined(separator: ", ")
            + (names.count > UnknownMembers.maxNames ? " and others" : "")
    }
}

extension BatchRecord {
    /// Reads a CSV record.
    ///
    /// - Returns: The record and its error, if it has one.
    static func read(
        csv csvRecord: CSVRecords.Record, columns: [Member?], expected: Expectations
    ) -> (record: BatchRecord, malformed: Malformed?) {
        var record = BatchRecord(expected: expected)
        for (member, field) in zip(columns, csvRecord.fields) where !field.bytes.isEmpty {
            switch member {
            case .data: record.set(data: field.unquoted)
            case let member?: record.set(member, to: field.text)
            case nil: break
            }
        }
        guard !csvRecord.isUnclosed else {
            return (record, .line("A quotation mark isn't closed, so the rest of the input belongs to this record."))
        }
        guard !csvRecord.isMalformed else {
            return (record, .line("There is text between a closing quotation mark and the next comma."))
        }
        // A truncated row would silently lose expectations.
        guard csvRecord.count == columns.count else {
            return (record, .line("Expected \(columns.count) fields, found \(csvRecord.count)."))
        }
        return (record, record.problem ?? record.missing)
    }
}
