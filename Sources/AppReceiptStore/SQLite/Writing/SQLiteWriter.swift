#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppStoreSignedData
import GRDB

/// Writes each kind of data. Everything runs in a transaction and has the same effect if it runs again.
///
/// A stored row that claims to be newer than the data stays only if it verifies. Otherwise, an attacker who can edit
/// the database could prevent genuine data from being stored.
struct SQLiteWriter: Sendable {
    let evidence: StoredEvidenceVerifier
    let accounts: Accounts
    let limits: StoreLimits
    /// The current time in milliseconds since 1970.
    let now: @Sendable () -> Int64

    /// What is written, by whom, and what it changes.
    struct Submission {
        /// The account that submitted it; nil for none.
        let account: Account?
        /// The app of the renewal information, which isn't stored without one.
        let app: RenewalApp?
        /// Where it comes from.
        let source: EvidenceSource
        /// What the write changes.
        var changes = EvidenceChanges()

        /// The cause of what a kind of evidence changes.
        func cause(_ kind: EventCause.Kind) -> EventCause {
            EventCause(source == .appStore && kind != .notification ? .appStore : kind)
        }
    }

    /// Stores evidence, binds its original transactions to the account, and records what changed.
    func write(
        _ evidence: CustomerEvidence, as submission: Submission, in database: Database
    ) throws -> RecordResult {
        var submission = submission
        var result = RecordResult.known
        for receipt in evidence.receipts { result.add(try write(receipt, as: &submission, in: database)) }
        for receipt in evidence.transactionReceipts {
            result.add(try write(receipt, as: &submission, in: database))
        }
        for transaction in evidence.transactions {
            result.add(
                try write(
                    transaction, for: submission.account, because: submission.cause(.transaction),
                    changing: &submission.changes, in: database))
        }
        for renewal in evidence.renewals {
            result.add(
                try write(
                    renewal, for: submission.account, app: submission.app, because: submission.cause(.renewalInfo),
                    changing: &submission.changes, in: database))
        }
        for notification in evidence.notifications {
            result.add(try write(notification, as: &submission, in: database))
        }
        if !submission.changes.touched.isEmpty { self.evidence.remember(evidence) }
        try recordEvents(of: submission.changes, in: database)
        return result
    }

    /// Stores a transaction, unless a later-signed copy is known, and binds its original transaction to the account.
    private func write(
        _ transaction: VerifiedTransaction, for account: Account?, because cause: EventCause,
        changing changes: inout EvidenceChanges, in database: Database
    ) throws -> RecordResult {
        guard let row = TransactionRow(transaction) else { return .notStored }
        let isNew = try !isKnown(transaction, row: row, in: database)
        if isNew {
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO transactions (
                        app, environment, original, identifier, signed, received, token, revoked, ended)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: row.original.arguments
                    + [row.identifier, row.signed, now(), row.token, row.isRevoked, row.ended])
            try unmarkSoleReceipt(of: row.original, in: database)
            changes.touch(row.original, because: cause)
        }
        let isReplay = try bind(
            row.original, to: account, appAccountToken: transaction.claims.appAccountToken, signed: row.signed,
            because: cause, changing: &changes, in: database)
        let replay = RecordResult.Replay(
            originalTransactionIdentifier: row.original.originalTransactionIdentifier,
            transactionIdentifier: row.identifier)
        return RecordResult(isNew: isNew, replays: isReplay ? [replay] : [])
    }

    /// Records that the receipts with an original transaction aren't the only evidence about it.
    private func unmarkSoleReceipt(of original: ScopedOriginal, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE receipts SET sole = 0 WHERE sole <> 0 AND number IN (
                    SELECT receipt FROM receipt_originals WHERE app = ? AND environment = ? AND original = ?)
                """
        ).execute(arguments: original.arguments)
    }

    /// Binds an original transaction to the account in signed data, and to the first account that submits it.
    ///
    /// - Parameters:
    ///   - original: The original transaction.
    ///   - account: The account that submits the purchase; nil for none.
    ///   - token: The signed `appAccountToken`; nil for none.
    ///   - date: When it was signed, in milliseconds since 1970.
    ///   - cause: What binds it.
    ///   - changes: What the write changes.
    ///   - database: The database.
    /// - Returns: Whether the purchase belongs to an account other than the one that submits it.
    func bind(
        _ original: ScopedOriginal, to account: Account?, appAccountToken token: UUID? = nil, signed date: Int64 = 0,
        because cause: EventCause, changing changes: inout EvidenceChanges, in database: Database
    ) throws -> Bool {
        guard token != nil || account != nil else { return false }
        let known = try AccountBinding(of: original, from: database)
        var binding = known
        let isReplay = binding.bind(
            to: account, appAccountToken: token.map { .init(account: accounts.account($0), signed: date) })
        if binding != known { try binding.write(of: original, in: database) }
        if known.owner != binding.owner { changes.transfer(original, from: known.owner, because: cause) }
        if known.account != binding.account, try isForgotten(original, in: database) {
            changes.submit(original, because: cause)
        }
        return isReplay
    }

    private func isKnown(
        _ transaction: VerifiedTransaction, row: TransactionRow, in database: Database
    ) throws -> Bool {
        let stored = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(TransactionRow.columns) FROM transactions
                    WHERE app = ? AND environment = ? AND identifier = ?
                    """),
            arguments: row.original.scope.arguments + [row.identifier])
        guard let known = stored.flatMap({ TransactionRow($0, in: row.original.scope) }) else { return false }
        if known == row { return true }
        guard known.signed >= row.signed else { return false }
        // Nothing older replaces a revocation, even if its root isn't trusted any more.
        guard let other = known.verified(by: evidence) else { return known.isUntrustedRevocation(by: evidence) }
        return other.isNewer(than: transaction)
    }

    /// Stores renewal information, unless later-signed information is known, and binds its original transaction to the
    /// account.
    private func write(
        _ renewal: VerifiedRenewalInfo, for account: Account?, app: RenewalApp?, because cause: EventCause,
        changing changes: inout EvidenceChanges, in database: Database
    ) throws -> RecordResult {
        guard let app, let row = TokenRow(renewal, app: app.bundleIdentifier) else { return .notStored }
        // Alone, it proves no purchase (rule 6), so it binds none.
        if case .claimed = app, try !containsEvidence(of: row.original, in: database) { return .notStored }
        let isNew = try store(row, in: database)
        if isNew { changes.touch(row.original, because: cause) }
        let isReplay = try bind(
            row.original, to: account, appAccountToken: renewal.claims.appAccountToken, signed: row.signed,
            because: cause, changing: &changes, in: database)
        let replay = RecordResult.Replay(
            originalTransactionIdentifier: row.original.originalTransactionIdentifier, transactionIdentifier: nil)
        return RecordResult(isNew: isNew, replays: isReplay ? [replay] : [])
    }

    /// Stores a token, unless it or a later-signed one of its original transaction is known.
    ///
    /// - Returns: Whether it was stored.
    private func store(_ row: TokenRow, in database: Database) throws -> Bool {
        let table = row.table.rawValue
        let stored = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(TokenRow.columns) FROM \(table) WHERE app = ? AND environment = ? AND original = ?
                    """),
            arguments: row.original.arguments)
        if let known = stored.flatMap({ TokenRow($0, of: row.table, in: row.original.scope) }) {
            let isNewer = (known.signed, known.token) > (row.signed, row.token)
            if known == row || isNewer && known.isVerified(by: evidence) { return false }
        }
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO \(table) (app, environment, original, signed, received, token)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: row.original.arguments + [row.signed, now(), row.token])
        try unmarkSoleReceipt(of: row.original, in: database)
        return true
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

    /// Stores the contents of a notification. One whose UUID is known is merged too, because it may contain newer data.
    private func write(
        _ notification: VerifiedNotification, as submission: inout Submission, in database: Database
    ) throws -> RecordResult {
        let environment = notification.environment
        // A notification about something that isn't known yet may lack the environment.
        guard environment != .xcode, environment != nil || notification.claims.hasUnknownSubject,
            let signed = notification.signedDate.milliseconds
        else { return .notStored }
        // A notification without a UUID, which Apple doesn't send, is identified by its bytes.
        let token = ContentDigest.sha256(of: notification.notification.token.utf8, kind: .notification)
        let uuid = notification.claims.notificationUUID.flatMap { $0.isStorable ? $0 : nil }
        let identifier = uuid ?? "token \(token)"
        let app = notification.claims.bundleIdentifier ?? notification.transaction?.claims.bundleIdentifier
        let original = notification.original.flatMap { $0.isStorable ? $0 : nil }
        // What the history of notifications contains about a forgotten purchase would bring it back. Only a revocation
        // must not be lost.
        if submission.account == nil, notification.transaction?.claims.revocationDate == nil, let original,
            let scope = AppScope(app: app, environment),
            try wasForgotten(
                ScopedOriginal(scope: scope, originalTransactionIdentifier: original), after: signed, in: database)
        {
            return .notStored
        }
        try database.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO notifications (identifier, signed, received, type, original, app, environment)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                identifier, signed, now(), notification.claims.notificationType?.rawValue, original,
                app.flatMap { $0.isStorable ? $0 : nil }, environment?.rawValue,
            ])
        let isNew = database.changesCount == 1
        let type = notification.claims.notificationType
        let cause = EventCause(.notification, notificationType: type?.rawValue, notificationUUID: uuid)
        var replays: [RecordResult.Replay] = []
        if let transaction = notification.transaction {
            replays += try write(
                transaction, for: submission.account, because: cause, changing: &submission.changes, in: database
            ).replays
        }
        if let renewal = notification.renewalInfo {
            let result = try write(
                renewal, for: submission.account, app: app.map { .trusted($0) }, because: cause,
                changing: &submission.changes, in: database)
            // Both are of one purchase.
            if notification.transaction == nil { replays = result.replays }
        }
        if let row = TokenRow(notification), try store(row, in: database) {
            submission.changes.touch(row.original, because: cause)
        }
        if isNew, case .forwarded(let body) = submission.source, let scope = AppScope(app: app, environment) {
            try forward(
                body ?? notification.notification.body, about: original, in: scope, because: cause, in: database)
        }
        if isNew, type == .rescindConsent, let scope = AppScope(app: app, environment) {
            submission.changes.rescindConsent(in: scope, because: cause)
        }
        return RecordResult(isNew: isNew, replays: replays)
    }
}

extension VerifiedData<NotificationClaims> {
    /// The body with which Apple sends the notification.
    fileprivate var body: [UInt8] { AppStoreJSON.object(["signedPayload": .string(token)]).text() }
}
#endif
