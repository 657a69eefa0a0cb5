#if Server
import AppReceiptKit
import AppStoreSignedData
import GRDB
import VerifyReceipt

/// What the database has of some lines, not yet proven.
///
/// Newest first, and no more than the limits say: of a customer with more than that the oldest are not read.
struct StoreReading: Sendable {
    private(set) var transactions: [TransactionRow] = []
    private(set) var renewals: [RenewalRow] = []
    private(set) var receipts: [ReceiptRow] = []
    /// Rows that have not even the form.
    private(set) var formless = 0

    /// The statements are the same for any number of lines, so that SQLite compiles them once: the lines come as a JSON
    /// array. `CROSS JOIN` has it look up each line instead of reading whole tables.
    init(_ lines: Set<String>, _ place: Place, limits: StoreLimits, _ database: Database) throws {
        let asked = JSONValue.array(lines.filter(\.isStorable).sorted().map { .string($0) }).text()
        let arguments: StatementArguments = [String(decoding: asked, as: UTF8.self), place.app, place.environment]
        transactions = try rows(
            """
            SELECT \(TransactionRow.columns) FROM json_each(?) AS asked CROSS JOIN transactions
            ON app = ? AND environment = ? AND line = asked.value ORDER BY signed DESC LIMIT ?
            """, arguments + [limits.transactionsPerQuestion], database
        ) { TransactionRow($0, place) }
        renewals = try rows(
            """
            SELECT \(RenewalRow.columns) FROM json_each(?) AS asked CROSS JOIN renewals
            ON app = ? AND environment = ? AND line = asked.value ORDER BY signed DESC LIMIT ?
            """, arguments + [limits.renewalsPerQuestion], database
        ) { RenewalRow($0, place) }
        for number in try Self.newestReceipts(arguments, limits.receiptsPerQuestion, database) {
            receipts += try rows(
                "SELECT \(ReceiptRow.columns) FROM receipts WHERE number = ?", [number], database
            ) { ReceiptRow($0, place) }
        }
    }

    /// The receipts that are there for any of the lines, the newest first. One with several of them counts once.
    private static func newestReceipts(
        _ arguments: StatementArguments, _ most: Int, _ database: Database
    ) throws -> [Int64] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT number, created FROM json_each(?) AS asked CROSS JOIN receipt_lines
                    ON receipt_lines.app = ? AND receipt_lines.environment = ? AND line = asked.value
                    CROSS JOIN receipts ON number = receipt
                    """), arguments: arguments)
        var created: [Int64: Int64] = [:]
        for row in rows {
            guard let number = Int64.fromDatabaseValue(row[0]) else { continue }
            created[number] = Int64.fromDatabaseValue(row[1]) ?? .min
        }
        return created.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(most).map(\.key)
    }

    private mutating func rows<Stored>(
        _ sql: String, _ arguments: StatementArguments, _ database: Database, _ make: (Row) -> Stored?
    ) throws -> [Stored] {
        let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
        let stored = rows.compactMap(make)
        formless += rows.count - stored.count
        return stored
    }

    /// What of it is proven, and how many rows were passed over.
    func proven(by evidence: Reverification, for lines: Set<String>) -> (history: CustomerHistory, passedOver: Int) {
        let history = CustomerHistory(
            transactions: transactions.compactMap { $0.proven(by: evidence) },
            renewals: renewals.compactMap { $0.proven(by: evidence) },
            receipts: receipts.compactMap { $0.proven(by: evidence) }.filter { $0.holds(anyOf: lines) })
        let rows = transactions.count + renewals.count + receipts.count + formless
        return (history, rows - history.transactions.count - history.renewals.count - history.receipts.count)
    }
}
#endif
