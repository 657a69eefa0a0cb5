import AppReceiptKit
import AppReceiptSupport
import ArgumentParser

/// A field of `--fields`: of the record's result, or of one of its products or transactions.
enum ResultField: String, CaseIterable, Sendable {
    case line, id, verdict, environment, bundleIdentifier, check, code, message, remedy
    case product, kind, isActive, state, since, until, asOf, reason, nextStep, willRenew, renewsAs, quantity
    case refundedPercentage, ownership, commitment, items
    case transaction, originalTransaction
    // The names in the JSON of an entitlement.
    case productIdentifier, transactionIdentifier, originalTransactionIdentifier
    // Of transactions only.
    case source, signedDate, purchaseDate, originalPurchaseDate, expirationDate, periodSeconds
    case price, priceMilliunits, currency, storefront
    case offerType, offerIdentifier, offerDiscountType, offerPeriod, isTrialPeriod
    case transactionReason, revocationDate, revocationReason, revocationType, isUpgraded
    case subscriptionGroupIdentifier, webOrderLineItemIdentifier, appAccountToken
    case notificationType, notificationSubtype, notificationUUID, payload

    /// The fields of a record's result.
    private static let ofRecord: [ResultField] = [
        .line, .id, .verdict, .environment, .bundleIdentifier, .check, .code, .message, .remedy,
    ]

    private static let ofProducts: [ResultField] = [
        .product, .kind, .isActive, .state, .since, .until, .asOf, .reason, .nextStep, .willRenew, .renewsAs,
        .quantity, .refundedPercentage, .ownership, .commitment, .items, .transaction, .originalTransaction,
    ]

    private static let ofTransactions: [ResultField] = [
        .source, .signedDate, .product, .kind, .transaction, .originalTransaction, .purchaseDate,
        .originalPurchaseDate, .expirationDate, .periodSeconds, .quantity, .price, .priceMilliunits, .currency,
        .storefront, .offerType, .offerIdentifier, .offerDiscountType, .offerPeriod, .isTrialPeriod,
        .transactionReason, .revocationDate, .revocationReason, .revocationType, .refundedPercentage, .isUpgraded,
        .ownership, .subscriptionGroupIdentifier, .webOrderLineItemIdentifier, .appAccountToken, .notificationType,
        .notificationSubtype, .notificationUUID, .payload,
    ]

    /// The field under its name in JSON; itself for a field with one name.
    private var member: ResultField {
        switch self {
        case .product: .productIdentifier
        case .transaction: .transactionIdentifier
        case .originalTransaction: .originalTransactionIdentifier
        default: self
        }
    }

    /// Returns all fields of rows, in their usual order, each under one name.
    static func all(of rows: RowKind) -> [ResultField] {
        ofRecord + (rows == .products ? ofProducts : ofTransactions)
    }

    /// Returns whether rows have the field, under either of its names.
    func isField(of rows: RowKind) -> Bool {
        Self.all(of: rows).contains { $0.member == member }
    }

    /// Whether products have the field, so that each has a row.
    var isOfProduct: Bool { !Self.ofRecord.contains(self) && isField(of: .products) }

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

    /// Returns the value for a record and one of its products or transactions; null if there is none.
    ///
    /// - Parameter row: The members of the product's or transaction's JSON.
    func value(in result: BatchResult, line: Int, id: AppStoreJSON, row: AppStoreJSON.Object?) -> AppStoreJSON {
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
            row?[Self.originalTransactionIdentifier.rawValue] ?? .text(result.originalTransactionIdentifier)
        default: row?[member.rawValue] ?? .null
        }
    }
}
