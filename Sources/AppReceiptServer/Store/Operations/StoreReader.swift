#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import GRDB
import AppReceiptSupport

/// The rows of some original transactions, before they are verified.
///
/// Limits never hide a revocation: the required rows are read completely, or not at all.
struct StoreReader: Sendable {
    private(set) var transactions: [TransactionRow] = []
    private(set) var renewals: [TokenRow] = []
    private(set) var statuses: [TokenRow] = []
    private(set) var receipts: [ReceiptRow] = []
    /// The number of rows whose columns have the wrong types.
    private(set) var malformed = 0

    /// Reads the rows of these original transactions.
    ///
    /// The statements don't depend on the number of originals, so that SQLite compiles them once: the originals are
    /// passed as a JSON array. `CROSS JOIN` makes SQLite look up each original instead of scanning whole tables.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: Their app and environment.
    ///   - digest: The digest of a receipt that is left out; nil for none.
    ///   - limits: The limits of the store.
    ///   - database: The database.
    /// - Throws: `tooMuchEvidence` if the rows that are needed exceed a limit.
    init(
        of originals: Set<String>, scope: AppScope, excluding digest: Data? = nil, limits: StoreLimits,
        in database: Database
    ) throws {
        let requested = AppStoreJSON.array(originals.filter(\.isStorable).sorted().map { .string($0) }).text()
        let arguments: StatementArguments = [String(decoding: requested, as: UTF8.self), scope.app, scope.environment]
        // One more row than the limit of an original shows whether rows are left out.
        let perOriginal = Self.bounded(limits.maxTransactionsPerOriginal)
        // For each original, one row more than its limit may be read. A larger total exceeds the limit of the receipt.
        let total = Self.bounded(limits.maxTransactionsPerReceipt) + originals.count
        let read = try rows(
            """
            SELECT \(TransactionRow.columns) FROM json_each(?) AS requested CROSS JOIN transactions
            ON transactions.rowid IN (
                SELECT rowid FROM transactions AS newest
                WHERE newest.app = ? AND newest.environment = ? AND newest.original = requested.value
                ORDER BY newest.revoked DESC, newest.ended DESC, newest.signed DESC, newest.identifier DESC
                LIMIT ?) LIMIT ?
            """, arguments: arguments + [perOriginal + 1, total + 1], in: database
        ) { TransactionRow($0, in: scope) }
        guard read.count + malformed <= total else { throw StoreError.tooMuchEvidence }
        transactions = try Self.limited(read, perOriginal: perOriginal)
        guard transactions.count <= Self.bounded(limits.maxTransactionsPerReceipt) else {
            throw StoreError.tooMuchEvidence
        }
        renewals = try tokens(of: .renewals, scope: scope, arguments: arguments, in: database)
        statuses = try tokens(of: .statuses, scope: scope, arguments: arguments, in: database)
        let numbers = try Self.receipts(arguments + [digest], in: database)
        guard numbers.count <= limits.maxReceiptsPerReceipt else { throw StoreError.tooMuchEvidence }
        for number in numbers {
            receipts += try rows(
                "SELECT \(ReceiptRow.columns) FROM receipts WHERE number = ?", arguments: [number], in: database
            ) { ReceiptRow($0, in: scope) }
        }
    }

    /// Whether the receipt with the digest is stored, and nothing else about its original transactions.
    ///
    /// One indexed look-up for most customers, instead of four for each original transaction: budget, 89 KB.
    static func isSoleReceipt(_ digest: Data, in database: Database) throws -> Bool {
        try Int.fetchOne(
            database.cachedStatement(
                sql: "SELECT 1 FROM receipts INDEXED BY receipts_sole WHERE digest = ? AND sole = 1"),
            arguments: [digest])
            != nil
    }

    /// Drops the periods of each original that ended first, beyond the limit. Throws an error if revocations leave no
    /// room for the newest one.
    private static func limited(_ rows: [TransactionRow], perOriginal limit: Int) throws -> [TransactionRow] {
        var kept: [TransactionRow] = []
        for (_, var rows) in Dictionary(grouping: rows, by: \.originalTransactionIdentifier).sorted(by: {
            $0.key < $1.key
        }) {
            rows.sort { left, right in
                if left.isRevoked != right.isRevoked { return left.isRevoked }
                return (left.ended, left.signed, left.identifier) > (right.ended, right.signed, right.identifier)
            }
            if rows.count > limit {
                guard !rows[limit - 1].isRevoked else { throw StoreError.tooMuchEvidence }
                rows.removeLast(rows.count - limit)
            }
            kept += rows
        }
        return kept
    }

    /// Returns the limit, at least 1, so that known transactions aren't reported as unknown, and at most 2^40, so that
    /// sums don't overflow.
    private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), 1 << 40) }

    /// Returns the numbers of the receipts that are stored for any of the originals, each once, without the one with
    /// the digest.
    private static func receipts(_ arguments: StatementArguments, in database: Database) throws -> [Int64] {
        try Int64.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT DISTINCT receipt FROM json_each(?) AS requested CROSS JOIN receipt_originals
                    ON receipt_originals.app = ? AND receipt_originals.environment = ? AND original = requested.value
                    CROSS JOIN receipts ON number = receipt AND digest IS NOT ?
                    """), arguments: arguments)
    }

    private mutating func tokens(
        of table: TokenRow.Table, scope: AppScope, arguments: StatementArguments, in database: Database
    ) throws -> [TokenRow] {
        try rows(
            """
            SELECT \(TokenRow.columns) FROM json_each(?) AS requested CROSS JOIN \(table.rawValue)
            ON app = ? AND environment = ? AND original = requested.value
            """, arguments: arguments, in: database
        ) { TokenRow($0, of: table, in: scope) }
    }

    private mutating func rows<Stored>(
        _ sql: String, arguments: StatementArguments, in database: Database, make: (Row) -> Stored?
    ) throws -> [Stored] {
        let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
        let stored = rows.compactMap(make)
        malformed += rows.count - stored.count
        return stored
    }

    /// Returns the rows that verify, and the number of those that don't.
    ///
    /// - Throws: `untrustedRevocation` if a root that isn't trusted any more signed a revocation or upgrade of these
    ///   originals: to skip it would grant what was refunded.
    func verified(by evidence: StoredEvidenceVerifier, for originals: Set<String>) throws(StoreError) -> (
        history: CustomerEvidence, skipped: Int
    ) {
        var history = CustomerEvidence(
            renewals: renewals.compactMap { $0.verifiedRenewal(by: evidence) },
            notifications: statuses.compactMap { $0.verifiedNotification(by: evidence) })
        for row in transactions {
            if let transaction = row.verified(by: evidence) {
                history.transactions.append(transaction)
            } else if row.isUntrustedRevocation(by: evidence) {
                throw .untrustedRevocation
            }
        }
        for row in receipts {
            if let receipt = row.verified(by: evidence) {
                if receipt.contains(anyOf: originals) { history.receipts.append(receipt) }
            } else if row.isUntrustedRevocation(ofAny: originals, by: evidence) {
                throw .untrustedRevocation
            }
        }
        let rows = transactions.count + renewals.count + statuses.count + receipts.count + malformed
        let verified =
            history.transactions.count + history.renewals.count + history.notifications.count + history.receipts.count
        return (history, rows - verified)
    }
}
#endif
