#if Postgres
public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData
import Crypto

/// A persistent store of what Apple signed about customers, in a PostgreSQL database that several servers may share.
///
/// It contains what ``SQLiteStore`` contains, by the same rules: the signed data itself, which is verified again when
/// it is read. A write is committed, and on the disk of the database server, when its function returns. Concurrent
/// writes about different purchases share a transaction. A connection that is lost is opened again.
///
/// The tables are in the schema that the address selects, `public` by default. The database must be encoded in UTF-8.
public final class PostgreSQLStore: EvidenceStore {
    let limits: StoreLimits
    let verifier: StoredEvidenceVerifier
    let accounts: Accounts
    let writer: PostgresWriter
    let state: StoreState
    /// Identifies the store among those of all servers.
    let identifier = UUID().uuidString
    let readers: PostgresPool
    private let writers: PostgresPool
    private let commit: GroupCommit<PostgresWrite>
    private let recentWrites: LockedValueBox<RecentWrites>

    private static let writerCount = 3
    private static let readerCount = 4

    /// Opens the database, and creates or migrates its tables if necessary. Servers may do so at once.
    ///
    /// - Parameters:
    ///   - address: The address of the database.
    ///   - receipts: Verifies the receipts that are read.
    ///   - signedData: Verifies the tokens that are read.
    ///   - hashesAccounts: Whether accounts are stored as keyed hashes. Names that are stored already are replaced, and
    ///     the database stores hashes from then on, also without it, because hashes can't be replaced by names.
    ///   - limits: The limits on what is processed and cached.
    ///   - clock: Returns the current time.
    /// - Throws: Among others `databaseUnreachable`, `notDurable`, `newerDatabase` and `foreignDatabase`.
    public convenience init(
        address: PostgresAddress, receipts: ReceiptVerifier, signedData: SignedDataVerifier,
        hashesAccounts: Bool = false, limits: StoreLimits = .default,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        try self.init(
            address: address, receipts: receipts, signedData: signedData, hashesAccounts: hashesAccounts,
            limits: limits, clock: clock, searchesFormerRoots: true)
    }

    /// Opens the database of a server for its operator, without the search for refunds of former roots.
    package convenience init(
        administrating address: PostgresAddress, receipts: ReceiptVerifier = ReceiptVerifier(),
        signedData: SignedDataVerifier = SignedDataVerifier()
    ) throws(StoreError) {
        try self.init(
            address: address, receipts: receipts, signedData: signedData, hashesAccounts: false, limits: .default,
            clock: { Date() }, searchesFormerRoots: false)
    }

    private init(
        address: PostgresAddress, receipts: ReceiptVerifier, signedData: SignedDataVerifier, hashesAccounts: Bool,
        limits: StoreLimits, clock: @escaping @Sendable () -> Date, searchesFormerRoots: Bool
    ) throws(StoreError) {
        let verifier = StoredEvidenceVerifier(
            receipts: receipts, signedData: signedData, maxCachedBytes: limits.maxCachedBytes)
        let session = PostgresSession(address)
        try PostgresSchema.migrate(session)
        try session.removeOldMarks()
        accounts = try PostgresSettings.accounts(areHashed: hashesAccounts, in: session)
        let untrusted =
            try searchesFormerRoots
            ? PostgresFormerRoots(verifier: verifier).search(session, remembersNone: true) : []
        self.limits = limits
        self.verifier = verifier
        state = StoreState(untrusted: untrusted)
        let writer = PostgresWriter(verifier: verifier, limits: limits, now: { clock().milliseconds ?? 0 })
        self.writer = writer
        let outage = PostgresPool.SharedOutage(nil)
        readers = PostgresPool(address, count: Self.readerCount, outage: outage)
        let writers = PostgresPool(address, count: Self.writerCount, outage: outage)
        self.writers = writers
        commit = GroupCommit(limits: limits, commits: Self.writerCount) { writes in
            await PostgresWrite.perform(writes, by: writer, in: writers)
        }
        recentWrites = LockedValueBox(RecentWrites(capacity: limits.maxRememberedWrites))
    }

    /// Checks a database as opening it does, without changing it, also while a server uses it. A database without
    /// tables is as good as a new one.
    ///
    /// - Returns: The number of ``untrustedOriginals``.
    /// - Throws: As for opening it.
    package static func check(
        address: PostgresAddress, receipts: ReceiptVerifier, signedData: SignedDataVerifier,
        limits: StoreLimits = .default
    ) throws(StoreError) -> Int {
        let session = PostgresSession(address)
        guard try PostgresSchema.isCurrent(session) else { return 0 }
        if let key = try PostgresSettings.value(of: .accountKey, in: session) {
            _ = try Accounts(key: key, areHashed: false)
        }
        let verifier = StoredEvidenceVerifier(
            receipts: receipts, signedData: signedData, maxCachedBytes: limits.maxCachedBytes)
        return try PostgresFormerRoots(verifier: verifier).search(session, remembersNone: false).count
    }

    // MARK: Recording

    /// Stores evidence in one commit, and binds its original transactions to their `appAccountToken` and to the
    /// account, unless they are bound.
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
        if let digest, try await isRecent(digest) { return .known }
        // As it was before the write: if something is forgotten meanwhile, the write isn't remembered.
        let generation = recentWrites.withLock(\.generation)
        let result = try await record(submission, answering: nil)
        if let digest, result.isStored { recentWrites.withLock { $0.insert(digest, of: generation) } }
        return result
    }

    package func record(
        _ evidence: CustomerEvidence, answering original: ScopedOriginal
    ) async throws(StoreError) -> RecordResult {
        try await record(
            EvidenceSubmission(
                evidence: evidence, account: nil, app: .trusted(original.scope.app), source: .appStore),
            answering: original)
    }

    private func record(
        _ submission: EvidenceSubmission, answering original: ScopedOriginal?
    ) async throws(StoreError) -> RecordResult {
        let submission = PostgresBatch.Submission(
            recording: EvidenceRecording(submission, accounts: accounts, verifier: verifier, limits: limits),
            answered: original)
        return try await commit.perform(.evidence(submission), about: submission.purchases)
    }

    /// Whether the write was performed, and nothing was forgotten since.
    private func isRecent(_ write: SHA256Digest) async throws(StoreError) -> Bool {
        guard recentWrites.withLock({ $0.mayContain(write) }) else { return false }
        let generation = try await forgetCount()
        return recentWrites.withLock { $0.contains(write, in: generation) }
    }

    package func hasRecorded(_ evidence: CustomerEvidence, in generation: Int64) -> Bool {
        recentWrites.withLock { $0.contains(evidence, in: generation) }
    }

    static let forgetCount = PostgresStatement(
        "SELECT value FROM counters WHERE name = $1", values: [.text("forgotten")])

    package func forgetCount() async throws(StoreError) -> Int64 {
        try state.checkOpen()
        return try await readers.read([Self.forgetCount]).first?.integer ?? 0
    }

    // MARK: Operation

    private static let probeBytes = 128 << 10

    /// Checks that the database can be read, and written if the last write failed. The test write is as long as a large
    /// receipt.
    ///
    /// - Throws: The error of reading or writing; `untrustedRevocation` if a root that isn't trusted any more signed a
    ///   stored refund that was found.
    public func check() async throws(StoreError) {
        try state.checkOpen()
        if await commit.hasFailed {
            let probe = (0..<Self.probeBytes).map { _ in UInt8.random(in: 0...255) }
            try await write { transaction throws(StoreError) in
                _ = try transaction.run([PostgresSettings.statement(storing: probe, as: "probe")])
                transaction.lastStatements.append(PostgresStatement("DELETE FROM settings WHERE name = 'probe'"))
            }
        }
        guard try await read(PostgresSettings.values, values: [.text(Setting.accountKey.rawValue)]).first != nil else {
            throw .damaged
        }
        try await state.checkUntrusted { original throws(StoreError) in
            try await evidence(of: [original.originalTransactionIdentifier], in: original.scope)
        }
    }

    /// Counts the rows of every table. Those of tables above a million are the database's estimates.
    ///
    /// - Throws: The error of reading.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        let counts = [
            Self.count(of: "transactions"), Self.count(of: "renewals"), Self.count(of: "notifications"),
            Self.count(of: "receipts"),
            Self.count(
                of: "receipt_originals",
                rows: "(SELECT DISTINCT app, environment, original FROM receipt_originals) AS originals"),
            Self.count(
                of: "purchases", rows: "purchases WHERE app_account_token IS NOT NULL OR account IS NOT NULL"),
        ]
        try state.checkOpen()
        let numbers = try await readers.read(counts, patience: PostgresSession.longPatience)
            .map { Int($0.integer ?? 0) }
        return StoreStatistics(
            transactions: numbers[0], renewals: numbers[1], notifications: numbers[2], receipts: numbers[3],
            originalTransactions: numbers[4], accountBindings: numbers[5], skippedRows: state.skippedRows,
            pendingWrites: await commit.pending, webhooks: try await webhooks())
    }

    /// Counts the rows of a table, or of a query of it. Of a large table, the database's estimate of its rows is used:
    /// counting reads all of them, and metrics are read every few seconds.
    private static func count(of table: String, rows: String? = nil) -> PostgresStatement {
        // Of a divided table, each part has an estimate.
        let estimate = """
            (SELECT sum(greatest(reltuples, 0))::bigint FROM pg_class WHERE relkind = 'r' AND (oid = '\(table)'::regclass
            OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '\(table)'::regclass)))
            """
        return PostgresStatement(
            "SELECT CASE WHEN \(estimate) < 1000000 THEN (SELECT count(*) FROM \(rows ?? table)) ELSE \(estimate) END")
    }

    package func details() async throws(StoreError) -> StoreDetails {
        try state.checkOpen()
        let statements = [
            "SELECT current_setting('server_version')", "SELECT max(version) FROM appreceipt_schema",
            "SELECT pg_database_size(current_database())",
        ]
        let counts = StoreDetails.counts(bindings: "purchases")
        let results = try await readers.read(
            (statements + counts).map { PostgresStatement($0) }, patience: PostgresSession.longPatience)
        return StoreDetails(
            engine: "PostgreSQL \(results[0].first?.text(0) ?? "")", schemaVersion: Int(results[1].integer ?? 0),
            bytes: results[2].integer ?? 0, counts: results.dropFirst(statements.count).map(\.integer))
    }

    /// Rejects further writes, completes the accepted ones, and closes the connections. Closing it again has no effect.
    public func close() async throws(StoreError) {
        guard !state.close() else { return }
        await commit.close()
        readers.close()
        writers.close()
    }

    /// Runs a statement that only reads.
    func read(_ sql: String, values: [PostgresValue] = []) async throws(StoreError) -> PostgresResult {
        try state.checkOpen()
        guard let result = try await readers.read([PostgresStatement(sql, values: values)]).first else { throw .failed }
        return result
    }

    /// Performs a write that isn't evidence, and returns its result once it is on disk.
    ///
    /// - Parameters:
    ///   - patience: How long the database may take without sending or receiving anything, in milliseconds.
    ///   - body: Runs the statements of the transaction. It may be called several times.
    func write<Value: Sendable>(
        patience: Int32 = PostgresConnection.patience,
        _ body: @escaping @Sendable (PostgresTransaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await perform { session throws(StoreError) in try session.write(patience: patience, body) }
    }

    /// Calls `body` with a session that writes, in its turn among the writes.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = LockedValueBox<Value?>(nil)
        let write = PostgresWrite.other { session throws(StoreError) in
            let value = try body(session)
            result.withLock { $0 = value }
        }
        _ = try await commit.perform(write)
        guard let value = result.withLock(\.self) else { throw .failed }
        return value
    }
}
#endif
