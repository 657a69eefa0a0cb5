#if Server
import AppReceiptFoundation
import GRDB

extension EvidenceRows {
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
        let arguments: StatementArguments = [originals.filter(\.isStorable).sorted().jsonArray] + scope.arguments
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
        tombstones = try Self.tombstones(arguments, in: database)
        let numbers = try Self.receipts(arguments + [digest], in: database)
        guard numbers.count <= limits.maxReceiptsPerReceipt else { throw StoreError.tooMuchEvidence }
        for number in numbers {
            if let receipt = try ReceiptRow(number: number, in: scope, from: database) {
                receipts.append(receipt)
            } else {
                malformed += 1
            }
        }
    }

    private static let maxTransactionsPerPart = 500
    private static let maxReceiptsPerPart = 16

    /// Reads the transactions, receipts and tombstones of an original transaction without limits, in parts.
    static func forEachPart(
        of original: ScopedOriginal, in database: Database, _ body: (EvidenceRows) throws -> Void
    ) throws {
        let scope = original.scope
        let arguments: StatementArguments =
            [[original.originalTransactionIdentifier].jsonArray] + scope.arguments
        var part = EvidenceRows()
        part.tombstones = try tombstones(arguments, in: database)
        func finishPart() throws {
            try body(part)
            part = EvidenceRows()
        }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(TransactionRow.columns) FROM transactions WHERE app = ? AND environment = ? AND original = ?
                """, arguments: original.arguments)
        while let row = try rows.next() {
            if let transaction = TransactionRow(row, in: scope) { part.transactions.append(transaction) }
            if part.transactions.count == maxTransactionsPerPart { try finishPart() }
        }
        for number in try receipts(arguments + [nil as Data?], in: database) {
            if let receipt = try ReceiptRow(number: number, in: scope, from: database) { part.receipts.append(receipt) }
            if part.receipts.count == maxReceiptsPerPart { try finishPart() }
        }
        try finishPart()
    }

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

    private static func tombstones(_ arguments: StatementArguments, in database: Database) throws -> [String] {
        try String.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT claims FROM json_each(?) AS requested CROSS JOIN tombstones
                    ON app = ? AND environment = ? AND original = requested.value
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
}
#endif
