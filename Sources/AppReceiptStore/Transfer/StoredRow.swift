#if Server
import AppReceiptFoundation
package import AppReceiptSupport

/// A value of a stored row.
package enum StoredValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A row of a store in the form that is exported and imported, the same for every engine.
///
/// Evidence is the signed data itself and the columns by which it is found. The rest is the server's own, unsigned.
package struct StoredRow: Sendable, Hashable {
    /// What a row is. The order is that of an export: a purchase comes before its evidence, and an event before its
    /// deliveries.
    package enum Kind: String, Sendable, CaseIterable {
        /// The account of a purchase, and what events reported of it last.
        case purchase
        case tombstone
        case transaction
        case renewal
        case status
        case receipt
        case notification
        /// An event, or a notification to forward.
        case event
        /// How far the events were queued for a webhook.
        case webhook
        case delivery
        /// The requests to the App Store about a purchase.
        case completion
        /// How far the App Store's notification history was read, and the periods that have to be read again.
        case position, gap
    }

    /// A column of a kind of rows.
    struct Column: Sendable, Hashable {
        enum ValueType: Sendable {
            case text, integer, bytes
        }

        /// The name in exports.
        let name: String
        let type: ValueType
        /// Whether the value may be null.
        let isOptional: Bool

        /// The name in the tables.
        var sql: String {
            name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
        }
    }

    package let kind: Kind
    /// The values of the columns of the kind.
    let values: [StoredValue]

    init(_ kind: Kind, values: [StoredValue]) {
        self.kind = kind
        self.values = values
    }

    /// Whether every value has its column's type.
    var isWellFormed: Bool {
        values.count == kind.columns.count
            && zip(kind.columns, values).allSatisfy { column, value in
                switch (value, column.type) {
                case (.null, _): column.isOptional
                case (.integer, .integer), (.bytes, .bytes): true
                case (.text(let text), .text): text.isStorable
                default: false
                }
            }
    }

    private subscript(name: String) -> StoredValue? {
        kind.columns.firstIndex { $0.name == name }.map { values[$0] }
    }

    func text(_ name: String) -> String? { if case .text(let text)? = self[name] { text } else { nil } }
    func integer(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }
    func bytes(_ name: String) -> [UInt8]? { if case .bytes(let bytes)? = self[name] { bytes } else { nil } }
}

extension StoredRow.Kind {
    /// The columns. The name of an optional one ends with a question mark.
    private var description: (texts: String, integers: String, bytes: String) {
        switch self {
        case .purchase:
            ("app environment original appAccountToken? account? entitlements?", "tokenSigned due? forgotten?", "")
        case .tombstone: ("app environment original claims", "", "")
        case .transaction: ("app environment original identifier token", "signed received revoked ended", "")
        case .renewal, .status: ("app environment original token", "signed received", "")
        case .receipt: ("app environment originals", "created received", "digest der")
        case .notification:
            ("identifier type? subtype? original? app? environment?", "signed received", "")
        case .event:
            (
                "app environment original? product? account? formerAccount? type? before? after? cause notificationType? "
                    + "notificationUuid?", "number date", "body?"
            )
        case .webhook: ("webhook", "number removed?", "")
        case .delivery: ("webhook failure?", "event attempts firstDue due? failed?", "")
        case .completion: ("app environment original revision?", "completed? attempts due?", "")
        case .position: ("app environment", "reached? periodLength?", "")
        case .gap: ("app environment", "since until attempts due", "")
        }
    }

    private static let allColumns: [StoredRow.Kind: [StoredRow.Column]] = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in
            let types: [(String, StoredRow.Column.ValueType)] = [
                (kind.description.texts, .text), (kind.description.integers, .integer),
                (kind.description.bytes, .bytes),
            ]
            return (
                kind,
                types.flatMap { names, type in
                    names.split(separator: " ").map { name in
                        StoredRow.Column(
                            name: String(name.filter { $0 != "?" }), type: type, isOptional: name.hasSuffix("?"))
                    }
                }
            )
        })

    /// The columns, in their order.
    var columns: [StoredRow.Column] { Self.allColumns[self] ?? [] }

    /// Whether rows are the server's own state, which a database has once: what it reported, and what waits.
    package var isServerState: Bool { stateTable != nil }

    /// The table of rows that are moved as they are; nil for evidence and purchases.
    var stateTable: String? {
        switch self {
        case .event: "events"
        case .webhook: "webhook_positions"
        case .delivery: "webhook_deliveries"
        case .completion: "completions"
        case .position: "catch_up_positions"
        case .gap: "notification_gaps"
        case .purchase, .tombstone, .transaction, .renewal, .status, .receipt, .notification: nil
        }
    }
}

extension StoredRow {
    /// The row as an object of JSON: its kind and its columns without nulls, bytes in base64.
    package var json: AppStoreJSON.Object {
        var object: AppStoreJSON.Object = ["kind": .string(kind.rawValue)]
        for (column, value) in zip(kind.columns, values) {
            switch value {
            case .null: continue
            case .integer(let number): object[column.name] = .number(AppStoreJSON.Number(number))
            case .text(let text): object[column.name] = .string(text)
            case .bytes(let bytes): object[column.name] = .string(Data(bytes).base64EncodedString())
            }
        }
        return object
    }

    /// Reads a row; nil if the object isn't one.
    package init?(json object: AppStoreJSON.Object) {
        guard let kind = object["kind"]?.string.flatMap({ Kind(rawValue: $0) }) else { return nil }
        self.init(
            kind,
            values: kind.columns.map { column in
                let member = object[column.name]
                return switch column.type {
                case .text: member?.string.map { .text($0) } ?? .null
                case .integer: member?.number?.int64.map { .integer($0) } ?? .null
                case .bytes: member?.string.flatMap { Data(base64Encoded: $0) }.map { .bytes(Array($0)) } ?? .null
                }
            })
        guard isWellFormed else { return nil }
    }

    /// The date when Apple signed it; nil for what isn't signed.
    package var signed: Int64? { integer("signed") }

    /// The values that name the row, for messages about it. They contain no evidence and no account.
    package var name: String {
        let names = ["app", "environment", "original", "identifier", "number", "webhook", "event", "since"]
        var parts = names.compactMap { name in
            (name == "webhook" ? text(name).map { WebhookName(parsing: $0).fingerprint } : text(name))
                ?? integer(name).map { String($0) }
        }
        if let digest = bytes("digest") { parts.append(digest.hexadecimal()) }
        return parts.joined(separator: " ")
    }
}

/// Some rows of a kind, and where to continue.
package struct StoredRowPage: Sendable, Hashable {
    package let rows: [StoredRow]
    /// The position after which the next page begins; nil at the end. Its meaning is the engine's.
    package let next: [StoredValue]?
}

/// What a database has that names its accounts and numbers its events, which an import needs.
package struct StoreIdentity: Sendable, Hashable {
    /// The key of hashed accounts.
    package let accountKey: [UInt8]
    /// Whether accounts are stored as hashes.
    package let hashesAccounts: Bool
    /// The number of the newest event.
    package let lastEvent: Int64

    package init(accountKey: [UInt8], hashesAccounts: Bool, lastEvent: Int64) {
        self.accountKey = accountKey
        self.hashesAccounts = hashesAccounts
        self.lastEvent = lastEvent
    }

    /// Whether rows of another database can be imported into this one.
    ///
    /// - Parameters:
    ///   - other: The other database.
    ///   - isEmpty: Whether this database contains nothing yet, so that it can have the other one's key.
    func preparation(for other: StoreIdentity, isEmpty: Bool) -> ImportPreparation {
        let isSame = isEmpty || accountKey == other.accountKey
        // A database with names would have hashes beside them.
        if other.hashesAccounts, !isSame || !isEmpty && !hashesAccounts { return .otherAccounts }
        return isSame ? .everything : .evidence
    }
}
#endif
