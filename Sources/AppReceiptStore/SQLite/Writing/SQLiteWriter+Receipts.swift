#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import GRDB

extension SQLiteWriter {
    /// Stores a receipt for those of its original transactions that need it, and binds them to the account.
    func write(
        _ receipt: VerifiedReceipt, as submission: inout Submission, in database: Database
    ) throws -> RecordResult {
        let originals = receipt.originals.filter(\.isStorable).sorted()
        guard let row = ReceiptRow(receipt), !originals.isEmpty else { return .notStored }
        let isStored = row.der.count <= limits.maxReceiptBytes
        let isNew =
            isStored
            ? try store(ReceiptRetention.ListedReceipt(receipt), row: row, for: originals, in: database) : false
        if isNew {
            try list(receipt, scope: row.scope, in: database)
            for original in originals {
                submission.changes.touch(
                    ScopedOriginal(scope: row.scope, originalTransactionIdentifier: original),
                    because: submission.cause(.receipt))
            }
        }
        return RecordResult(
            isNew: isNew, isStored: isStored,
            replays: try bind(originals, in: row.scope, as: &submission, in: database))
    }

    /// Stores the transactions of a receipt that aren't original ones, so that they are found.
    private func list(_ receipt: VerifiedReceipt, scope: AppScope, in database: Database) throws {
        for purchase in receipt.purchases {
            guard let identifier = purchase.transactionIdentifier, let original = purchase.original,
                identifier != original, identifier.isStorable, original.isStorable
            else { continue }
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO receipt_transactions (app, environment, original, identifier)
                    VALUES (?, ?, ?, ?)
                    """
            ).execute(arguments: scope.arguments + [original, identifier])
        }
    }

    /// Binds the original transaction of a transaction receipt to the account. The receipt itself isn't stored.
    func write(
        _ receipt: VerifiedTransactionReceipt, as submission: inout Submission, in database: Database
    ) throws -> RecordResult {
        guard let app = receipt.bundleIdentifier, let environment = receipt.environment,
            let original = receipt.originalTransactionIdentifier, original.isStorable,
            let scope = AppScope(app: app, environment)
        else { return .notStored }
        return RecordResult(
            isNew: false, isStored: false, replays: try bind([original], in: scope, as: &submission, in: database))
    }

    private func bind(
        _ originals: [String], in scope: AppScope, as submission: inout Submission, in database: Database
    ) throws -> [RecordResult.Replay] {
        let cause = submission.cause(.receipt)
        return try originals.filter { original in
            try bind(
                ScopedOriginal(scope: scope, originalTransactionIdentifier: original), to: submission.account,
                because: cause, changing: &submission.changes, in: database)
        }.map { RecordResult.Replay(originalTransactionIdentifier: $0, transactionIdentifier: nil) }
    }

    /// - Returns: Whether an original transaction needs the receipt and didn't have it.
    private func store(
        _ receipt: ReceiptRetention.ListedReceipt, row: ReceiptRow, for originals: [String], in database: Database
    ) throws -> Bool {
        var needing: [String] = []
        var released: Set<Int64> = []
        var verified: [Int64: ReceiptRetention.ListedReceipt?] = [:]
        let stored = try storedReceipts(for: originals, scope: row.scope, in: database)
        for original in originals {
            var known: [(number: Int64, receipt: ReceiptRetention.ListedReceipt)] = []
            for stored in stored[original] ?? [] {
                // An older receipt without cancellations is superseded, independent of its other contents.
                let isNeeded = stored.created >= row.created || stored.hasCancellation
                if isNeeded, verified[stored.number] == nil {
                    let known = try ReceiptRow(number: stored.number, in: row.scope, from: database)
                    verified[stored.number] = .some(
                        known?.verified(by: evidence).map { ReceiptRetention.ListedReceipt($0) })
                }
                if isNeeded, let other = verified[stored.number] ?? nil, other.contains(original) {
                    known.append((stored.number, other))
                } else if isNeeded, stored.hasCancellation,
                    try ReceiptRow(number: stored.number, in: row.scope, from: database)?
                        .isUntrustedRevocation(ofAny: [original], by: evidence) == true
                {
                    // It stays until the operator decides.
                    continue
                } else {
                    try release(stored.number, from: original, scope: row.scope, in: database)
                    released.insert(stored.number)
                }
            }
            guard !known.contains(where: { $0.receipt.digest == receipt.digest }) else { continue }
            let needed = ReceiptRetention.receiptsToKeep(from: known.map(\.receipt) + [receipt], for: original).map(
                \.digest)
            for other in known where !needed.contains(other.receipt.digest) {
                try release(other.number, from: original, scope: row.scope, in: database)
                released.insert(other.number)
            }
            if needed.contains(receipt.digest) { needing.append(original) }
        }
        if !needing.isEmpty {
            try assign(
                needing, toReceipt: insert(row, in: database), listing: receipt, scope: row.scope, in: database)
        }
        for number in released.sorted() {
            try database.cachedStatement(
                sql: """
                    DELETE FROM receipts WHERE number = ?
                    AND NOT EXISTS (SELECT 1 FROM receipt_originals WHERE receipt = receipts.number)
                    """
            ).execute(arguments: [number])
        }
        if !needing.isEmpty || !released.isEmpty {
            try unmark(stored.values.flatMap { $0.map(\.number) }, in: database)
        }
        try markIfSole(row, of: originals, in: database)
        return !needing.isEmpty
    }

    /// Notes that receipts aren't the only evidence about their original transactions.
    private func unmark(_ receipts: [Int64], in database: Database) throws {
        for number in Set(receipts).sorted() {
            try database.cachedStatement(sql: "UPDATE receipts SET sole = 0 WHERE number = ? AND sole <> 0")
                .execute(arguments: [number])
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

    /// A receipt that is stored for an original transaction, as its row claims.
    private struct StoredReceipt {
        let number: Int64
        let created: Int64
        let hasCancellation: Bool
    }

    /// Returns the receipts that are stored for each of the original transactions that has any.
    private func storedReceipts(
        for originals: [String], scope: AppScope, in database: Database
    ) throws -> [String: [StoredReceipt]] {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT original, number, created, canceled FROM json_each(?) AS requested
                    CROSS JOIN receipt_originals ON receipt_originals.app = ? AND receipt_originals.environment = ?
                    AND original = requested.value CROSS JOIN receipts ON number = receipt
                    """),
            arguments: [originals.jsonArray] + scope.arguments)
        var stored: [String: [StoredReceipt]] = [:]
        while let row = try rows.next() {
            guard let original = String.fromDatabaseValue(row[0]), let number = Int64.fromDatabaseValue(row[1])
            else { continue }
            stored[original, default: []].append(
                StoredReceipt(
                    number: number, created: Int64.fromDatabaseValue(row[2]) ?? .min,
                    hasCancellation: Int64.fromDatabaseValue(row[3]) != 0))
        }
        return stored
    }

    private func assign(
        _ originals: [String], toReceipt number: Int64, listing receipt: ReceiptRetention.ListedReceipt,
        scope: AppScope, in database: Database
    ) throws {
        for (isCanceled, originals) in Dictionary(grouping: originals, by: receipt.hasCancellation(of:)) {
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO receipt_originals (app, environment, original, receipt, canceled)
                    SELECT ?, ?, requested.value, ?, ? FROM json_each(?) AS requested
                    """
            ).execute(arguments: scope.arguments + [number, isCanceled, originals.jsonArray])
        }
    }

    private func release(
        _ number: Int64, from originalTransactionIdentifier: String, scope: AppScope, in database: Database
    ) throws {
        try database.cachedStatement(
            sql: "DELETE FROM receipt_originals WHERE app = ? AND environment = ? AND original = ? AND receipt = ?"
        ).execute(arguments: scope.arguments + [originalTransactionIdentifier, number])
    }

    /// - Returns: The number of the row, which exists already if only another original transaction needed the receipt.
    private func insert(_ row: ReceiptRow, in database: Database) throws -> Int64 {
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
        ).execute(arguments: row.scope.arguments + [digest, row.created, now(), Data(row.der)])
        let number = database.lastInsertedRowID
        // Only an editor of the file leaves rows of a receipt that was deleted and had this number.
        try database.cachedStatement(sql: "DELETE FROM receipt_originals WHERE receipt = ?").execute(
            arguments: [number])
        return number
    }
}
#endif
