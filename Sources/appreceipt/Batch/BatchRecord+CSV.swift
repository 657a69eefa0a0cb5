import AppReceiptKit

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
