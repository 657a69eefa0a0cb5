import AppReceiptKit
import AppReceiptSupport
import ArgumentParser

/// A field of `--fields`: of the record's result, or of one of its products.
enum ResultField: String, CaseIterable, Sendable {
    case line, id, verdict, environment, check, code, message, remedy
    case product, kind, isActive, state, since, until, asOf, reason, nextStep, willRenew, renewsAs, quantity
    case refundedPercentage, ownership, commitment, items
    case transaction, originalTransaction
    // The names in the JSON of an entitlement.
    case productIdentifier, transactionIdentifier, originalTransactionIdentifier

    /// Whether products have the field, so that each has a row.
    var isOfProduct: Bool {
        switch self {
        case .line, .id, .verdict, .environment, .check, .code, .message, .remedy: false
        default: true
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

    /// The value for a record and one of its products; null if there is none.
    func value(_ result: BatchResult, line: Int, id: JSONValue, _ product: Entitlement?) -> JSONValue {
        switch self {
        case .line: .number(JSONNumber(line))
        case .id: id
        case .verdict: .string(result.verdict.rawValue)
        case .environment: .text(result.environment?.rawValue)
        case .check: .text(result.failure?.check)
        case .code: .text(result.failure?.code)
        case .message: .text(result.failure?.message)
        case .remedy: .text(result.failure?.remedy)
        default: product.map(value) ?? .null
        }
    }

    private func value(_ product: Entitlement) -> JSONValue {
        switch self {
        case .product, .productIdentifier: .string(product.productIdentifier)
        case .kind: .string(product.kind.rawValue)
        case .isActive: .boolean(product.isActive)
        case .state: .string(product.state.rawValue)
        case .since: .text(product.since.map(ReceiptDate.string(from:)))
        case .until: .text(product.until.map(ReceiptDate.string(from:)))
        case .asOf: .string(ReceiptDate.string(from: product.asOf))
        case .reason: .string(product.reason)
        case .nextStep: .text(product.nextStep)
        case .willRenew: product.willRenew.map { .boolean($0) } ?? .null
        case .renewsAs: .text(product.renewsAs)
        case .quantity: .number(JSONNumber(product.quantity))
        case .ownership: .text(product.ownership?.rawValue)
        case .transaction, .transactionIdentifier: .text(product.transactionIdentifier)
        case .originalTransaction, .originalTransactionIdentifier: .text(product.originalTransactionIdentifier)
        case .refundedPercentage, .commitment, .items: product.json.object?[rawValue] ?? .null
        case .line, .id, .verdict, .environment, .check, .code, .message, .remedy: .null
        }
    }
}
