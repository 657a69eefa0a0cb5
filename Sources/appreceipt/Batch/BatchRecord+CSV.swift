import AppReceiptKit

extension BatchRecord {
    /// Reads a CSV record.
    ///
    /// - Returns: The record and its error, if it has one.
    static func read(
        csv csvRecord: CSVRecords.Record, columns: [String], expected: Expectations
    ) -> (record: BatchRecord, malformed: Malformed?) {
        var record = BatchRecord(expected: expected)
        for (name, field) in zip(columns, csvRecord.fields) where !field.bytes.isEmpty {
            switch Member(rawValue: name) {
            case .receipt: record.receipt = field.unquoted
            case let member?: record.set(member, field.text)
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
