import AppReceiptKit
import AppReceiptSupport
import ArgumentParser

/// The format of results: an object for each record, or rows with the requested fields.
struct ResultFormat: Sendable {
    /// The fields of a row; empty for an object for each record.
    var fields: [ResultField] = []
    /// What a row is about.
    var rows = RowKind.products
    /// Whether rows are CSV rather than NDJSON.
    var isCSV = false

    /// Whether an object contains the receipt's contents.
    var includesReceipts = false

    /// Whether each product has a row.
    var hasProducts: Bool { rows == .products && fields.contains { $0.isOfProduct } }

    /// Whether each transaction has a row.
    var hasTransactions: Bool { rows == .transactions && !fields.isEmpty }

    /// Whether a record may have several rows. After an interruption, some of the last record may be missing.
    var hasSeveralRows: Bool { hasProducts || hasTransactions }

    /// The first line of CSV; empty for NDJSON.
    var header: [UInt8] { isCSV ? CSVText.record(fields.map { .string($0.rawValue) }) : [] }

    /// The beginning of every output.
    var beginning: [UInt8] {
        isCSV ? header : Array(#"{"\#(fields.first?.rawValue ?? "line")":"#.utf8)
    }

    /// Returns the text of the result for the record on `line` with this id.
    func text(of result: BatchResult, line: Int, id: AppStoreJSON) -> [UInt8] {
        guard !fields.isEmpty else { return result.text(line: line, id: id, includesReceipt: includesReceipts) }
        let products = hasProducts ? result.products.map(\.json.object) : result.transactions
        return (products.isEmpty ? [nil] : products).flatMap { members in
            let values = fields.map { $0.value(in: result, line: line, id: id, row: members) }
            guard !isCSV else { return CSVText.record(values) }
            let row = zip(fields, values).map { AppStoreJSON.Object.Member(name: $0.rawValue, value: $1) }
            return JSONOutput.line(AppStoreJSON.Object(distinct: row))
        }
    }

    /// Returns an id as it is written, without quotation marks.
    func text(of id: AppStoreJSON) -> [UInt8] { isCSV ? CSVText.text(of: id) : id.text() }

    /// The record of a row or object that this format wrote.
    ///
    /// - Returns: The line, and the text of the id; nil if the format is another one.
    func record(ofRow row: ArraySlice<UInt8>) -> (line: Int, id: [UInt8]?)? {
        isCSV ? record(ofCSV: row) : record(ofJSON: row)
    }

    private func record(ofJSON row: ArraySlice<UInt8>) -> (line: Int, id: [UInt8]?)? {
        guard let object = try? AppStoreJSON(parsing: row).object,
            let line = object["line"]?.number?.int64.flatMap({ Int(exactly: $0) }), line > 0
        else { return nil }
        guard !fields.isEmpty else {
            guard object.members.first?.name == "line", object["verdict"] != nil else { return nil }
            return (line, text(of: object["id"] ?? .null))
        }
        guard object.members.map(\.name) == fields.map(\.rawValue) else { return nil }
        return (line, object["id"].map { text(of: $0) })
    }

    private func record(ofCSV row: ArraySlice<UInt8>) -> (line: Int, id: [UInt8]?)? {
        var records = CSVRecords(row, firstLine: 1)
        guard let record = records.next(maxFields: fields.count), record.count == fields.count, !record.isMalformed,
            let column = fields.firstIndex(of: .line), let line = Int(record.fields[column].text), line > 0
        else { return nil }
        return (line, fields.firstIndex(of: .id).map { Array(record.fields[$0].unquoted) })
    }
}

/// What a row is about: `--rows`.
enum RowKind: String, ExpressibleByArgument, CaseIterable, Sendable {
    case products, transactions
}
