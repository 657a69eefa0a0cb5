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

    /// SQLite takes at least 999 values in a statement.
    private static let mostLinesAtOnce = 500

    init(_ lines: Set<String>, _ place: Place, limits: StoreLimits, _ database: Database) throws {
        let all = lines.filter(\.isStorable).sorted()
        // A receipt with lines of several pieces comes with each of them.
        var seen: Set<Int64> = []
        for start in stride(from: 0, to: all.count, by: Self.mostLinesAtOnce) {
            let piece = Array(all[start..<min(start + Self.mostLinesAtOnce, all.count)])
            let marks = Array(repeating: "?", count: piece.count).joined(separator: ",")
            let arguments = StatementArguments([place.app, place.environment] + piece)
            transactions += try rows(
                """
                SELECT \(TransactionRow.columns) FROM transactions
                WHERE app = ? AND environment = ? AND line IN (\(marks)) ORDER BY signed DESC LIMIT ?
                """, arguments + [limits.transactionsPerQuestion], database
            ) { TransactionRow($0, place) }
            Self.cut(&transactions, by: \.signed, to: limits.transactionsPerQuestion)
            renewals += try rows(
                """
                SELECT \(RenewalRow.columns) FROM renewals
                WHERE app = ? AND environment = ? AND line IN (\(marks)) ORDER BY signed DESC LIMIT ?
                """, arguments + [limits.renewalsPerQuestion], database
            ) { RenewalRow($0, place) }
            Self.cut(&renewals, by: \.signed, to: limits.renewalsPerQuestion)
            let numbers = try Row.fetchAll(
                database,
                sql: """
                    SELECT number, created FROM receipts WHERE number IN (SELECT receipt FROM receipt_lines
                    WHERE app = ? AND environment = ? AND line IN (\(marks))) ORDER BY created DESC LIMIT ?
                    """, arguments: arguments + [limits.receiptsPerQuestion]
            ).compactMap { Int64.fromDatabaseValue($0[0]) }
            for number in numbers where seen.insert(number).inserted {
                receipts += try rows(
                    "SELECT \(ReceiptRow.columns) FROM receipts WHERE number = ?", [number], database
                ) { ReceiptRow($0, place) }
            }
            Self.cut(&receipts, by: \.created, to: limits.receiptsPerQuestion)
        }
    }

    private mutating func rows<Stored>(
        _ sql: String, _ arguments: StatementArguments, _ database: Database, _ make: (Row) -> Stored?
    ) throws -> [Stored] {
        let rows = try Row.fetchAll(database, sql: sql, arguments: arguments)
        let stored = rows.compactMap(make)
        formless += rows.count - stored.count
        return stored
    }

    private static func cut<Stored>(_ rows: inout [Stored], by date: KeyPath<Stored, Int64>, to most: Int) {
        rows.sort { $0[keyPath: date] > $1[keyPath: date] }
        rows.removeLast(max(0, rows.count - most))
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
