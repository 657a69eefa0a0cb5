#if Server
import AppReceiptKit
import AppStoreSignedData
import Crypto
import GRDB
import VerifyReceipt

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is written for each kind of data. Everything runs in a transaction and gives the same when it runs again.
///
/// A row that claims to be newer than what comes stays only if it is proven: otherwise whoever edits the database could
/// keep what is true out of it.
struct StoreWriting: Sendable {
    let evidence: StoredEvidenceVerifier
    let accounts: Accounts
    let receiptBytes: Int

    /// Keeps a transaction, unless one that was signed later is known, and claims its line.
    func write(
        _ transaction: VerifiedTransaction, for account: Account?, _ database: Database
    ) throws -> RecordResult {
        guard let row = TransactionRow(transaction) else { return .notStored }
        let isNew = try !isKnown(transaction, row, database)
        if isNew {
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO transactions (app, environment, identifier, line, signed, token, revoked)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: [
                    row.scope.app, row.scope.environment, row.identifier, row.line, row.signed, row.token,
                    row.isRevoked,
                ])
        }
        let isReplay = try AccountBindings(scope: row.scope).claim(
            row.line, namedBy: signed(transaction.claims.appAccountToken, row.signed), for: account, database)
        let replay = RecordResult.Replay(
            originalTransactionIdentifier: row.line, transactionIdentifier: row.identifier)
        return RecordResult(isNew: isNew, replays: isReplay ? [replay] : [])
    }

    private func signed(_ token: UUID?, _ date: Int64) -> AccountBindings.SignedToken? {
        token.map { AccountBindings.SignedToken(account: accounts.account($0), signed: date) }
    }

    private func isKnown(
        _ transaction: VerifiedTransaction, _ row: TransactionRow, _ database: Database
    ) throws -> Bool {
        let stored = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(TransactionRow.columns) FROM transactions
                    WHERE app = ? AND environment = ? AND identifier = ?
                    """),
            arguments: [row.scope.app, row.scope.environment, row.identifier])
        guard let known = stored.flatMap({ TransactionRow($0, row.scope) }) else { return false }
        if known == row { return true }
        guard known.signed >= row.signed, let other = known.proven(by: evidence) else { return false }
        return other.isNewer(than: transaction)
    }

    /// Keeps the state of a renewal, unless one that was signed later is known, and claims its line for whom it names.
    ///
    /// - Parameter ofKnownLinesOnly: whether nothing is kept for a line of which nothing else is known.
    func write(
        _ renewal: VerifiedRenewalInfo, app: String, ofKnownLinesOnly: Bool = false, _ database: Database
    ) throws -> RecordResult {
        guard let row = RenewalRow(renewal, app: app) else { return .notStored }
        if ofKnownLinesOnly, try !isKnown(row.line, row.scope, database) { return .notStored }
        let isNew = try !isKnown(row, database)
        if isNew {
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO renewals (app, environment, line, signed, token) VALUES (?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [row.scope.app, row.scope.environment, row.line, row.signed, row.token])
        }
        _ = try AccountBindings(scope: row.scope).claim(
            row.line, namedBy: signed(renewal.claims.appAccountToken, row.signed), for: nil, database)
        return RecordResult(isNew: isNew)
    }

    private func isKnown(_ row: RenewalRow, _ database: Database) throws -> Bool {
        let stored = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(RenewalRow.columns) FROM renewals WHERE app = ? AND environment = ? AND line = ?
                    """),
            arguments: [row.scope.app, row.scope.environment, row.line])
        guard let known = stored.flatMap({ RenewalRow($0, row.scope) }) else { return false }
        if known == row { return true }
        return (known.signed, known.token) > (row.signed, row.token) && known.proven(by: evidence) != nil
    }

    /// Whether a transaction, a receipt or a renewal is known of the line.
    private func isKnown(_ line: String, _ scope: AppScope, _ database: Database) throws -> Bool {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT 1 FROM transactions WHERE app = ?1 AND environment = ?2 AND line = ?3
                    UNION ALL SELECT 1 FROM receipt_lines WHERE app = ?1 AND environment = ?2 AND line = ?3
                    UNION ALL SELECT 1 FROM renewals WHERE app = ?1 AND environment = ?2 AND line = ?3 LIMIT 1
                    """),
            arguments: [scope.app, scope.environment, line]) != nil
    }

    /// Stores what a notification contains. One whose UUID is known is merged like any other: it may contain newer data.
    func write(_ notification: VerifiedNotification, _ database: Database) throws -> RecordResult {
        guard let environment = notification.environment, environment != .xcode,
            let signed = notification.signedDate.milliseconds
        else { return .notStored }
        // One without a number, which Apple does not send, is told apart by its bytes.
        let token = ContentDigest.of(.notification, notification.notification.token.utf8)
        let number = notification.claims.notificationUUID.flatMap { $0.isStorable ? $0 : nil }
        let identifier = number ?? "token \(token)"
        try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO notifications (identifier, signed) VALUES (?, ?)"
        ).execute(arguments: [identifier, signed])
        let isNew = database.changesCount == 1
        if let transaction = notification.transaction { _ = try write(transaction, for: nil, database) }
        let app = notification.claims.bundleIdentifier ?? notification.transaction?.claims.bundleIdentifier
        if let renewal = notification.renewalInfo, let app { _ = try write(renewal, app: app, database) }
        return RecordResult(isNew: isNew)
    }
}
#endif
