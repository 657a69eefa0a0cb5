#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import GRDB

extension SQLiteWriter {
    /// Stores a receipt for those of its original transactions that need it.
    ///
    /// - Returns: Whether an original transaction needs the receipt and didn't have it.
    func store(_ replacement: ReceiptReplacement, receivedAt date: Int64, in database: Database) throws -> Bool {
        var replacement = replacement
        let row = replacement.row
        replacement.stored = try assignedReceipts(for: replacement.originals, scope: row.scope, in: database)
        var rows: [Int64: ReceiptRow] = [:]
        for number in replacement.numbersToRead {
            rows[number] = try ReceiptRow(number: number, in: row.scope, from: database)
        }
        let result = replacement.result(reading: rows, by: verifier)
        for removed in result.removed {
            try database.cachedStatement(
                sql: "DELETE FROM receipt_originals WHERE app = ? AND environment = ? AND original = ? AND receipt = ?"
            ).execute(arguments: row.scope.arguments + [removed.original, removed.number])
        }
        if !result.added.isEmpty {
            try assign(
                result.added, toReceipt: insert(row, receivedAt: date, in: database), scope: row.scope, in: database)
            try list(replacement, in: database)
        }
        for number in Set(result.removed.map(\.number)).sorted() {
            try database.deleteReceiptUnlessAssigned(number)
        }
        if !result.isEmpty {
            for number in Set(replacement.stored.map(\.number)).sorted() { try database.unmarkSoleReceipt(number) }
        }
        try markIfSole(row, of: replacement.allOriginals, in: database)
        return !result.added.isEmpty
    }

    /// Stores the transactions of a receipt that aren't original ones, so that they are found.
    private func list(_ replacement: ReceiptReplacement, in database: Database) throws {
        for transaction in replacement.listedTransactions {
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO receipt_transactions (app, environment, original, identifier)
                    VALUES (?, ?, ?, ?)
                    """
            ).execute(arguments: replacement.row.scope.arguments + [transaction.original, transaction.identifier])
        }
    }

    /// Marks a receipt as sole if it is stored for all of its original transactions, and nothing else is stored for any
    /// of them. Removes a mark that only an editor of the file can have set.
    ///
    /// Writes nothing if the mark is right, so that a receipt that is recorded again doesn't wait for the disk.
    private func markIfSole(_ row: ReceiptRow, of originals: [String], in database: Database) throws {
        let others = ["transactions", "renewals", "statuses", "tombstones", "receipt_originals"].map { table in
            """
            AND NOT EXISTS (
                SELECT 1 FROM receipt_originals AS own CROSS JOIN \(table) AS other
                ON other.app = own.app AND other.environment = own.environment AND other.original = own.original
                WHERE own.receipt = receipts.number\(table == "receipt_originals" ? " AND other.receipt <> own.receipt" : ""))
            """
        }
        let stored = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT number, sole, NOT EXISTS (
                        SELECT 1 FROM json_each(?) AS requested WHERE NOT EXISTS (
                            SELECT 1 FROM receipt_originals AS own
                            WHERE own.app = receipts.app AND own.environment = receipts.environment
                            AND own.original = requested.value AND own.receipt = receipts.number))
                    \(others.joined(separator: "\n"))
                    FROM receipts WHERE digest = ?
                    """), arguments: [originals.jsonArray, row.digest])
        guard let stored else { return }
        let (number, isMarked, isSole): (Int64, Bool, Bool) = (stored[0], stored[1], stored[2])
        guard isMarked != isSole else { return }
        try database.cachedStatement(sql: "UPDATE receipts SET sole = ? WHERE number = ?")
            .execute(arguments: [isSole, number])
    }

    /// Returns the receipts that are stored for any of the original transactions.
    private func assignedReceipts(
        for originals: [String], scope: AppScope, in database: Database
    ) throws -> [AssignedReceipt] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT original, number, created, canceled FROM json_each(?) AS requested
                    CROSS JOIN receipt_originals ON receipt_originals.app = ? AND receipt_originals.environment = ?
                    AND original = requested.value CROSS JOIN receipts ON number = receipt
                    """),
            arguments: [originals.jsonArray] + scope.arguments
        ).compactMap { row in
            guard let original = String.fromDatabaseValue(row[0]), let number = Int64.fromDatabaseValue(row[1])
            else { return nil }
            return AssignedReceipt(
                original: original, number: number, created: Int64.fromDatabaseValue(row[2]) ?? .min,
                hasCancellation: Int64.fromDatabaseValue(row[3]) != 0)
        }
    }

    private func assign(
        _ added: [ReceiptReplacement.Addition], toReceipt number: Int64, scope: AppScope, in database: Database
    ) throws {
        for (isCanceled, added) in Dictionary(grouping: added, by: \.hasCancellation) {
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO receipt_originals (app, environment, original, receipt, canceled)
                    SELECT ?, ?, requested.value, ?, ? FROM json_each(?) AS requested
                    """
            ).execute(arguments: scope.arguments + [number, isCanceled, added.map(\.original).jsonArray])
        }
    }

    /// - Returns: The number of the row, which exists already if only another original transaction needed the receipt.
    private func insert(_ row: ReceiptRow, receivedAt date: Int64, in database: Database) throws -> Int64 {
        let digest = row.digest
        let stored = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT number, \(ReceiptRow.columns) FROM receipts WHERE digest = ?"),
            arguments: [digest])
        if let stored {
            let number = Int64.fromDatabaseValue(stored[0])
            if let number, ReceiptRow(stored, in: row.scope, from: 1) == row { return number }
            try database.cachedStatement(sql: "DELETE FROM receipts WHERE digest = ?").execute(arguments: [digest])
        }
        try database.cachedStatement(
            sql: """
                INSERT INTO receipts (app, environment, digest, created, received, sole, der)
                VALUES (?, ?, ?, ?, ?, 0, ?)
                """
        ).execute(arguments: row.scope.arguments + [digest, row.created, date, Data(row.der)])
        let number = database.lastInsertedRowID
        // Only an editor of the file leaves rows of a receipt that was deleted and had this number.
        try database.cachedStatement(sql: "DELETE FROM receipt_originals WHERE receipt = ?").execute(
            arguments: [number])
        return number
    }
}

extension Database {
    /// Deletes a receipt that isn't stored for any original transaction any more.
    func deleteReceiptUnlessAssigned(_ number: Int64) throws {
        try cachedStatement(
            sql: """
                DELETE FROM receipts WHERE number = ?
                AND NOT EXISTS (SELECT 1 FROM receipt_originals WHERE receipt = receipts.number)
                """
        ).execute(arguments: [number])
    }

    /// Notes that a receipt isn't the only evidence about its original transactions.
    func unmarkSoleReceipt(_ number: Int64) throws {
        try cachedStatement(sql: "UPDATE receipts SET sole = 0 WHERE number = ? AND sole <> 0")
            .execute(arguments: [number])
    }
}
#endif
