#if Server
import AppReceiptKit
import Crypto
import GRDB
import VerifyReceipt

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoreWriting {
    /// Keeps a receipt for those of its lines of which no newer one is known, and claims its lines.
    func write(_ known: KnownReceipt, for account: Account?, _ database: Database) throws -> Recorded {
        let lines = known.lines.filter(\.isStorable).sorted()
        guard let row = ReceiptRow(known), !lines.isEmpty else { return .nothing }
        let isNew = row.der.count <= receiptBytes ? try keep(row, lines, database) : false
        let owners = LineOwners(place: row.place)
        let replays = try lines.filter { try owners.claim($0, namedBy: nil, for: account, database) }
        return Recorded(
            isNew: isNew,
            replays: replays.map { Recorded.Replay(originalTransactionIdentifier: $0, transactionIdentifier: nil) })
    }

    /// - Returns: whether it is the newest of any line.
    private func keep(_ row: ReceiptRow, _ lines: [String], _ database: Database) throws -> Bool {
        let pointed = try pointers(of: lines, row.place, database)
        var superseded: Set<Int64> = []
        var newest: Set<String> = []
        for (number, held) in pointed {
            let missing = try held.subtracting(provenLines(of: number, since: row.created, row.place, database))
            newest.formUnion(missing)
            if !missing.isEmpty { superseded.insert(number) }
        }
        newest.formUnion(Set(lines).subtracting(pointed.values.joined()))
        guard !newest.isEmpty else { return false }
        let number = try insert(row, database)
        for line in newest.sorted() {
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO receipt_lines (app, environment, line, receipt) VALUES (?, ?, ?, ?)"
            ).execute(arguments: [row.place.app, row.place.environment, line, number])
        }
        for other in superseded.sorted() {
            try database.cachedStatement(
                sql: """
                    DELETE FROM receipts WHERE number = ?
                    AND NOT EXISTS (SELECT 1 FROM receipt_lines WHERE receipt = receipts.number)
                    """
            ).execute(arguments: [other])
        }
        return true
    }

    /// The receipts that the database has for these lines, each with the lines that it is there for.
    private func pointers(
        of lines: [String], _ place: Place, _ database: Database
    ) throws -> [Int64: Set<String>] {
        var pointed: [Int64: Set<String>] = [:]
        for line in lines {
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT receipt FROM receipt_lines WHERE app = ? AND environment = ? AND line = ?"),
                arguments: [place.app, place.environment, line])
            if let number = row.flatMap({ Int64.fromDatabaseValue($0[0]) }) {
                pointed[number, default: []].insert(line)
            }
        }
        return pointed
    }

    /// The lines that a receipt in the database is proven to hold; none if it is older.
    private func provenLines(
        of number: Int64, since created: Int64, _ place: Place, _ database: Database
    ) throws -> Set<String> {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT \(ReceiptRow.columns) FROM receipts WHERE number = ? AND created >= ?"),
            arguments: [number, created])
        return row.flatMap { ReceiptRow($0, place) }?.proven(by: evidence)?.lines ?? []
    }

    /// - Returns: the number of its row, which is there already if only its lines are not.
    private func insert(_ row: ReceiptRow, _ database: Database) throws -> Int64 {
        let digest = Data(ContentDigest.of(.receipt, row.der))
        let stored = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT number, \(ReceiptRow.columns) FROM receipts WHERE digest = ?"),
            arguments: [digest])
        if let stored {
            let number = Int64.fromDatabaseValue(stored[0])
            if let number, ReceiptRow(stored, row.place, from: 1) == row { return number }
            try database.cachedStatement(sql: "DELETE FROM receipts WHERE digest = ?").execute(arguments: [digest])
        }
        try database.cachedStatement(
            sql: "INSERT INTO receipts (digest, app, environment, created, der) VALUES (?, ?, ?, ?, ?)"
        ).execute(
            arguments: [digest, row.place.app, row.place.environment, row.created, Data(row.der)])
        return database.lastInsertedRowID
    }
}
#endif
