import AppReceiptKit
import AppReceiptSupport
import ArgumentParser

/// The format of results: an object for each record, or rows with the requested fields.
struct ResultFormat: Sendable {
    /// The fields of a row; empty for an object for each record.
    var fields: [ResultField] = []
    /// Whether rows are CSV rather than NDJSON.
    var isCSV = false

    /// Whether an object contains the receipt's contents.
    var includesReceipts = false

    /// Whether each product has a row. After an interruption, rows of the last record may be missing.
    var hasProducts: Bool { fields.contains { $0.isOfProduct } }

    /// The first line of CSV; empty for NDJSON.
    var header: [UInt8] { isCSV ? CSVText.record(fields.map { .string($0.rawValue) }) : [] }

    /// The beginning of every output.
    var beginning: [UInt8] {
        isCSV ? header : Array(#"{"\#(fields.first?.rawValue ?? "line")":"#.utf8)
    }

    /// Returns the text of the result for the record on `line` with this id.
    func text(of result: BatchResult, line: Int, id: AppStoreJSON) -> [UInt8] {
        guard !fields.isEmpty else { return result.text(line: line, id: id, includesReceipt: includesReceipts) }
        let products: [Entitlement?] = result.products.isEmpty ? [nil] : result.products
        return products.flatMap { product in
            let members = product?.json.object
            let values = fields.map { $0.value(in: result, line: line, id: id, product: members) }
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

/// A field of `--fields`: of the record's result, or of one of its products.
enum ResultField: String, CaseIterable, Sendable {
    case line, id, verdict, environment, bundleIdentifier, check, code, message, remedy
    case product, kind, isActive, state, since, until, asOf, reason, nextStep, willRenew, renewsAs, quantity
    case refundedPercentage, ownership, commitment, items
    case transaction, originalTransaction
    // The names in the JSON of an entitlement.
    case productIdentifier, transactionIdentifier, originalTransactionIdentifier

    /// Whether products have the field, so that each has a row.
    var isOfProduct: Bool { productMember != nil }

    /// The name in the JSON of an entitlement; nil for a field of the record's result.
    private var productMember: String? {
        switch self {
        case .line, .id, .verdict, .environment, .bundleIdentifier, .check, .code, .message, .remedy: nil
        case .product: Self.productIdentifier.rawValue
        case .transaction: Self.transactionIdentifier.rawValue
        case .originalTransaction: Self.originalTransactionIdentifier.rawValue
        default: rawValue
        }
    }

    /// Converts a list of names, separated by commas.
    static func list(_ text: String) throws -> [ResultField] {
        var fields: [ResultField] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = String(decoding: ArraySlice(part.utf8).trimmingWhitespace, as: UTF8.self)
            guard let field = ResultField(rawValue: name) else {
                let names = allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(Terminal.truncated(name))' isn't a field. Fields: \(names).")
            }
            guard !fields.contains(field) else { throw ValidationError("The field '\(name)' occurs twice.") }
            fields.append(field)
        }
        return fields
    }

    /// Returns the value for a record and one of its products; null if there is none.
    ///
    /// - Parameter product: The members of the product's JSON.
    func value(in result: BatchResult, line: Int, id: AppStoreJSON, product: AppStoreJSON.Object?) -> AppStoreJSON {
        switch self {
        case .line: .number(AppStoreJSON.Number(line))
        case .id: id
        case .verdict: .string(result.verdict.rawValue)
        case .environment: .text(result.environment?.rawValue)
        case .bundleIdentifier: .text(result.bundleIdentifier)
        case .check: .text(result.failure?.check)
        case .code: .text(result.failure?.code)
        case .message: .text(result.failure?.message)
        case .remedy: .text(result.failure?.remedy)
        case .originalTransaction, .originalTransactionIdentifier:
            product?[Self.originalTransactionIdentifier.rawValue] ?? .text(result.originalTransactionIdentifier)
        default: productMember.flatMap { product?[$0] } ?? .null
        }
    }
}
