#if Server
public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData
import Crypto
import GRDB

/// A persistent store of what Apple signed about customers, in an SQLite database: transactions, renewal information,
/// notifications, the newest receipts of each original transaction, and the account of each original transaction.
///
/// The database contains the signed data itself, and verifies it again when it is read, so that an attacker who can
/// write the database can't forge evidence. Rows that don't verify or that differ from their signed data are skipped
/// and counted. Rows that were deleted or replaced by older ones can't be detected.
///
/// A write is on disk when its function returns (write-ahead log, synchronized at each commit). Concurrent writes share
/// a commit. Of several copies of the same data, the database keeps the one signed last, in every order of arrival.
/// Data from Xcode is never stored.
///
/// Accounts are stored as the back end names them, or as HMAC-SHA256 under a random key in the same database: then,
/// without the database, accounts can't be identified; with it, guessed names can be confirmed.
public final class SQLiteStore: EvidenceStore {
    let database: any DatabaseWriter
    /// Looks up sole receipts in a file, because each read of a pool also compares the schema's version: budget, state
    /// on disk.
    let lookups: DatabaseQueue?
    private let file: DatabaseFile?
    let limits: StoreLimits
    let verifier: StoredEvidenceVerifier
    let accounts: Accounts
    let writer: SQLiteWriter
    private let commit: GroupCommit<SQLiteCommit.Write>
    private let recentWrites: LockedValueBox<RecentWrites>
    let state: StoreState

    /// Opens the database. Creates its file, readable only by its owner, if necessary, and migrates an older one.
    ///
    /// A file that all users can read or write is restricted to its owner, if the process has permission to do so.
    ///
    /// - Parameters:
    ///   - path: The database file; nil for one in memory.
    ///   - receipts: Verifies the receipts that are read.
    ///   - signedData: Verifies the tokens that are read.
    ///   - hashesAccounts: Whether accounts are stored as keyed hashes. Names that are stored already are replaced, and
    ///     the database stores hashes from then on, also without it, because hashes can't be replaced by names.
    ///   - limits: The limits on what is processed and cached.
    ///   - clock: Returns the current time.
    /// - Throws: Among others `newerDatabase`, `foreignDatabase`, `notADatabase`, `cannotOpen` and `notWritable`.
    public convenience init(
        path: String?, receipts: ReceiptVerifier, signedData: SignedDataVerifier, hashesAccounts: Bool = false,
        limits: StoreLimits = .default, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        try self.init(
            path: path, receipts: receipts, signedData: signedData, hashesAccounts: hashesAccounts, limits: limits,
            clock: clock, searchesFormerRoots: true)
    }

    /// Checks a database as opening it does, without creating or changing a file, also while a server uses it. A file
    /// that doesn't exist is as good as a new database.
    ///
    /// - Returns: The number of ``untrustedOriginals``.
    /// - Throws: As for opening it, but not `notWritable`.
    package static func check(
        path: String, receipts: ReceiptVerifier, signedData: SignedDataVerifier, limits: StoreLimits = .default
    ) throws(StoreError) -> Int {
        guard FileManager.default.fileExists(atPath: path),
            let database = try SQLiteDatabase.checkedReader(at: path)
        else { return 0 }
        let verifier = StoredEvidenceVerifier(
            receipts: receipts, signedData: signedData, maxCachedBytes: limits.maxCachedBytes)
        do {
            return try database.read { database in
                // A key that is stored is only read.
                if try database.value(of: .accountKey) != nil { _ = try accounts(areHashed: false, in: database) }
                return try FormerRoots(verifier: verifier).search(database).count
            }
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    /// Opens the database of a server for its operator: without the search for refunds of former
    /// roots, which may take long in a transaction that blocks the server.
    package convenience init(
        administrating path: String, receipts: ReceiptVerifier = ReceiptVerifier(),
        signedData: SignedDataVerifier = SignedDataVerifier()
    ) throws(StoreError) {
        try self.init(
            path: path, receipts: receipts, signedData: signedData, hashesAccounts: false, limits: .default,
            clock: { Date() }, searchesFormerRoots: false)
    }

    private init(
        path: String?, receipts: ReceiptVerifier, signedData: SignedDataVerifier, hashesAccounts: Bool,
        limits: StoreLimits, clock: @escaping @Sendable () -> Date, searchesFormerRoots: Bool
    ) throws(StoreError) {
        let database = try SQLiteDatabase.writer(at: path)
        let verifier = StoredEvidenceVerifier(
            receipts: receipts, signedData: signedData, maxCachedBytes: limits.maxCachedBytes)
        do {
            accounts = try database.write { try Self.accounts(areHashed: hashesAccounts, in: $0) }
            lookups = try path.map { try SQLiteDatabase.reader(at: $0) }
            file = try path.map { try DatabaseFile($0) }
            let untrusted =
                try searchesFormerRoots ? database.write { try FormerRoots(verifier: verifier).search($0) } : []
            state = StoreState(untrusted: untrusted)
        } catch {
            throw StoreError(sqlite: error)
        }
        self.database = database
        self.limits = limits
        self.verifier = verifier
        writer = SQLiteWriter(
            verifier: verifier, accounts: accounts, limits: limits, now: { clock().milliseconds ?? 0 })
        let commit = SQLiteCommit(database: database, file: file)
        self.commit = GroupCommit(limits: limits) { await commit($0) }
        recentWrites = LockedValueBox(RecentWrites(capacity: limits.maxRememberedWrites))
    }

    /// The accounts of the database. Names and hashes of one account would be two owners, so they are never mixed.
    private static func accounts(areHashed: Bool, in database: Database) throws -> Accounts {
        let isHashed = try database.value(of: .hashesAccounts) != nil
        let accounts = try Accounts(key: accountKey(in: database), areHashed: areHashed || isHashed)
        if areHashed {
            try hashAccounts(accounts, in: database)
            if !isHashed { try database.set(.hashesAccounts, to: Data([1])) }
        }
        return accounts
    }

    /// The key of the accounts, which is created in a new database.
    private static func accountKey(in database: Database) throws -> Data {
        if let stored = try database.value(of: .accountKey) { return Data.fromDatabaseValue(stored) ?? Data() }
        let key = Accounts.newKey
        try database.set(.accountKey, to: key)
        return key
    }

    /// Replaces the names of accounts by their hashes.
    private static func hashAccounts(_ accounts: Accounts, in database: Database) throws {
        for (table, column) in [
            ("account_bindings", "app_account_token"), ("account_bindings", "account"), ("events", "account"),
            ("events", "former_account"),
        ] {
            let names = try String.fetchAll(
                database, sql: "SELECT DISTINCT \(column) FROM \(table) WHERE \(column) IS NOT NULL")
            for name in names {
                let hash = accounts.hash(ofStored: name)
                guard hash != name else { continue }
                try database.execute(
                    sql: "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?", arguments: [hash, name])
            }
        }
    }

    // MARK: Recording

    /// Stores evidence in one commit, and binds its original transactions to their `appAccountToken` and to the
    /// account, unless they are bound.
    ///
    /// Not stored is what has no identifier, app or known environment, or is from Xcode; receipts without purchases or
    /// larger than ``StoreLimits/maxReceiptBytes``; and transaction receipts, which are only bound to the account. The
    /// transaction and renewal information in a notification are stored with it.
    ///
    /// - Parameters:
    ///   - evidence: The evidence.
    ///   - account: The account that submitted it, as the back end names its customers; nil for none. The
    ///     signed `appAccountToken` of the original transaction takes precedence over the first account.
    ///   - app: The app of the renewal information; nil if there is none to store.
    ///   - source: Where the evidence comes from, which events name.
    /// - Throws: `busy` if too many writes are waiting, otherwise the error of the write.
    @discardableResult
    public func record(
        _ evidence: CustomerEvidence, account: String? = nil, app: RenewalApp? = nil,
        from source: EvidenceSource = .client
    ) async throws(StoreError) -> RecordResult {
        guard
            let submission = EvidenceSubmission(evidence, by: accounts.account(account), app: app, from: source)
        else { return .notStored }
        let digest = submission.digest
        if let digest, try isRecent(digest) { return .known }
        verifyStored(about: submission.evidence.notifications)
        // As it was before the write: if something is forgotten meanwhile, the write isn't remembered.
        let generation = recentWrites.withLock(\.generation)
        let result = try await commit.perform { [writer] in try writer.write(submission, in: $0) }
        if let digest, result.isStored { recentWrites.withLock { $0.insert(digest, of: generation) } }
        return result
    }

    package func record(
        _ evidence: CustomerEvidence, answering original: ScopedOriginal
    ) async throws(StoreError) -> RecordResult {
        try await commit.perform { [writer] database in
            guard try Self.isRequested(original, in: database) else { return .notStored }
            return try writer.write(
                EvidenceSubmission(
                    evidence: evidence, account: nil, app: .trusted(original.scope.app), source: .appStore),
                in: database)
        }
    }

    /// Verifies what is stored about the purchases in notifications, because nothing has read it, and verifying it
    /// while events are recorded would make other writes wait.
    private func verifyStored(about notifications: [VerifiedNotification]) {
        for notification in notifications {
            guard let original = notification.original,
                let scope = AppScope(app: notification.claims.bundleIdentifier, notification.environment)
            else { continue }
            // Whether it can be read matters when events are recorded.
            _ = try? self.evidence(of: [original], in: scope)
        }
    }

    package func hasRecorded(_ evidence: CustomerEvidence, in generation: Int64) -> Bool {
        recentWrites.withLock { $0.contains(evidence, in: generation) }
    }

    /// Whether the write was performed, and nothing was forgotten since.
    private func isRecent(_ write: SHA256Digest) throws(StoreError) -> Bool {
        guard recentWrites.withLock({ $0.mayContain(write) }) else { return false }
        let generation = try forgetCount()
        guard file?.isInPlace != false else { throw .fileGone }
        return recentWrites.withLock { $0.contains(write, in: generation) }
    }

    package func forgetCount() throws(StoreError) -> Int64 {
        try state.checkOpen()
        do {
            return try (lookups ?? database).unsafeRead { try $0.forgetCount() }
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    // MARK: Operation

    private static let probeBytes = 128 << 10
    /// The disk must have room for some commits.
    private static let minFreeBytes = 4 << 20

    /// Checks that the database can be read, and written if the last write failed. The test write is as long as a large
    /// receipt.
    ///
    /// - Throws: The error of reading or writing; `untrustedRevocation` if a root that isn't trusted any more signed a
    ///   stored refund that was found.
    public func check() async throws(StoreError) {
        try state.checkOpen()
        guard file?.isInPlace != false else { throw .fileGone }
        // Small writes may fit into pages that are free in the files.
        if let free = file?.freeBytes, free < Self.minFreeBytes { throw .full }
        if await commit.hasFailed {
            // Random, because SQLite doesn't write unchanged values. Large, because a full disk may have room for a
            // small write.
            let probe = "INSERT OR REPLACE INTO settings (name, value) VALUES ('probe', randomblob(\(Self.probeBytes)))"
            try await write { try $0.execute(sql: probe) }
            try await write { try $0.execute(sql: "DELETE FROM settings WHERE name = 'probe'") }
        }
        guard try await read({ try $0.value(of: .accountKey) != nil }) else { throw .damaged }
        try await state.checkUntrusted { original throws(StoreError) in
            try evidence(of: [original.originalTransactionIdentifier], in: original.scope)
        }
    }

    /// Counts the rows of every table, which takes time in a large store.
    ///
    /// - Throws: The error of reading.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        let tables = [
            "transactions", "renewals", "notifications", "receipts",
            "(SELECT DISTINCT app, environment, original FROM receipt_originals)", "account_bindings",
        ]
        let counts = try await read { database in
            try tables.map { try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0 }
        }
        return StoreStatistics(
            transactions: counts[0], renewals: counts[1], notifications: counts[2], receipts: counts[3],
            originalTransactions: counts[4], accountBindings: counts[5], skippedRows: state.skippedRows,
            pendingWrites: await commit.pending, webhooks: try await webhooks())
    }

    package func details() async throws(StoreError) -> StoreDetails {
        try await read { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            let pageBytes = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            let version = try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? ""
            return StoreDetails(
                engine: "SQLite \(version)",
                schemaVersion: try SQLiteSchema.migrator.appliedMigrations(database).count, bytes: pages * pageBytes,
                counts: try StoreDetails.counts(bindings: "account_bindings").map {
                    try Int64.fetchOne(database, sql: $0)
                })
        }
    }

    /// Rejects further writes, completes the accepted ones, and closes the database. Closing it again has no effect.
    ///
    /// Waits up to ten seconds for a database that is locked by another process; then the remaining writes fail. Never
    /// waits for readers.
    ///
    /// - Throws: The error of closing the database. Recorded data is on disk nevertheless.
    public func close() async throws(StoreError) {
        guard !state.close() else { return }
        await commit.close()
        try? lookups?.close()
        try? await database.writeWithoutTransaction { try SQLiteDatabase.emptyLog(of: $0) }
        do {
            try database.close()
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try state.checkOpen()
        do {
            // Without a transaction, which would cost more than the query. The rows needn't be from one point in time,
            // because each is verified by itself.
            return try await database.unsafeRead(body)
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    /// Performs a write that isn't evidence, and returns its result once it is on disk.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = LockedValueBox<Value?>(nil)
        _ = try await commit.perform { database in
            let value = try body(database)
            result.withLock { $0 = value }
            return .known
        }
        guard let value = result.withLock({ $0 }) else { throw .damaged }
        return value
    }
}
#endif
