#if Server
import AppReceiptFoundation
import AppReceiptKit
import GRDB

/// Writes evidence. Everything runs in a transaction and has the same effect if it runs again.
///
/// It loads what is stored, has ``EvidenceRecording`` decide, and stores the result.
struct SQLiteWriter: Sendable {
    let verifier: StoredEvidenceVerifier
    let accounts: Accounts
    let limits: StoreLimits
    /// Returns the current time.
    let now: @Sendable () -> Int64

    /// Stores evidence, binds its original transactions to the account, and records what changed.
    func write(_ submission: EvidenceSubmission, in database: Database) throws -> RecordResult {
        var recording = EvidenceRecording(submission, accounts: accounts, verifier: verifier, limits: limits)
        try load(recording.purchases, into: &recording.changes, from: database)
        for (index, receipt) in recording.receipts.enumerated() where receipt.isStored {
            if try store(receipt, receivedAt: now(), in: database) { recording.newReceipts.insert(index) }
        }
        recording.stored = try rows(for: recording, in: database)
        recording.run()
        for row in recording.transactions { try store(row, receivedAt: now(), in: database) }
        for row in recording.tokens { try store(row, receivedAt: now(), in: database) }
        for row in recording.notifications { try store(row, receivedAt: now(), in: database) }
        for notification in recording.forwarded { try store(notification, in: database) }
        try record(recording.changes, at: now(), in: database)
        return recording.result
    }

    /// Reads the rows on which it depends what is recorded.
    private func rows(for recording: EvidenceRecording, in database: Database) throws -> StoredRows {
        var stored = StoredRows()
        for row in recording.transactionRows { stored.transactions[row.key] = try known(row, in: database) }
        for row in recording.tokenRows { stored.tokens[row.key] = try known(row, in: database) }
        for row in recording.notificationRows where try isKnown(row, in: database) {
            stored.notifications.insert(row.identifier)
        }
        for original in recording.claimedOriginals where try containsEvidence(of: original, in: database) {
            stored.originals.insert(original)
        }
        return stored
    }

    func known(_ row: TransactionRow, in database: Database) throws -> TransactionRow? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(TransactionRow.columns) FROM transactions
                    WHERE app = ? AND environment = ? AND identifier = ?
                    """),
            arguments: row.original.scope.arguments + [row.identifier]
        ).flatMap { TransactionRow($0, in: row.original.scope) }
    }

    func known(_ row: TokenRow, in database: Database) throws -> TokenRow? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(TokenRow.columns) FROM \(row.table.rawValue)
                    WHERE app = ? AND environment = ? AND original = ?
                    """),
            arguments: row.original.arguments
        ).flatMap { TokenRow($0, of: row.table, in: row.original.scope) }
    }

    func isKnown(_ row: NotificationRow, in database: Database) throws -> Bool {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM notifications WHERE identifier = ?"),
            arguments: [row.identifier]) != nil
    }

    /// Whether a transaction or receipt of the original transaction is stored.
    func containsEvidence(of original: ScopedOriginal, in database: Database) throws -> Bool {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT 1 FROM transactions WHERE app = ?1 AND environment = ?2 AND original = ?3
                    UNION ALL SELECT 1 FROM receipt_originals WHERE app = ?1 AND environment = ?2 AND original = ?3
                    LIMIT 1
                    """),
            arguments: original.arguments) != nil
    }

    func store(_ row: TransactionRow, receivedAt date: Int64, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO transactions (
                    app, environment, original, identifier, signed, received, token, revoked, ended)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: row.original.arguments
                + [row.identifier, row.signed, date, row.token, row.isRevoked, row.ended])
        try unmarkSoleReceipt(of: row.original, in: database)
    }

    func store(_ row: TokenRow, receivedAt date: Int64, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO \(row.table.rawValue) (app, environment, original, signed, received, token)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: row.original.arguments + [row.signed, date, row.token])
        try unmarkSoleReceipt(of: row.original, in: database)
    }

    func store(_ row: NotificationRow, receivedAt date: Int64, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO notifications (identifier, signed, received, type, subtype, original, app, environment)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                row.identifier, row.signed, date, row.type, row.subtype, row.original, row.app,
                row.environment?.rawValue,
            ])
    }

    private func store(_ notification: ForwardedNotification, in database: Database) throws {
        let cause = notification.cause
        try database.cachedStatement(
            sql: """
                INSERT INTO events (app, environment, original, date, cause, notification_type, notification_uuid, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: notification.scope.arguments + [
                notification.original, now(), cause.kind.rawValue, cause.notificationType, cause.notificationUUID,
                Data(notification.body),
            ])
    }

    /// Notes that the receipts with an original transaction aren't the only evidence about it.
    func unmarkSoleReceipt(of original: ScopedOriginal, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE receipts SET sole = 0 WHERE sole <> 0 AND number IN (
                    SELECT receipt FROM receipt_originals WHERE app = ? AND environment = ? AND original = ?)
                """
        ).execute(arguments: original.arguments)
    }
}
#endif
