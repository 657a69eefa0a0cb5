#if Server
import AppReceiptFoundation
public import AppReceiptKit
public import AppStoreSignedData
import Crypto
import GRDB
import AppReceiptSupport

/// A persistent history of purchases in SQLite: signed transactions, renewal information, notifications, the newest
/// receipts of each original transaction, and the account of each original transaction.
///
/// The database contains the signed data itself, and verifies it again when it is read, so that an attacker who can
/// write the database can't forge evidence. Rows that don't verify or that differ from their signed data are skipped
/// and counted. Rows that were deleted or replaced by older ones can't be detected.
///
/// A write is on disk when its function returns (write-ahead log, synchronized at each commit). Concurrent writes share
/// a commit. Of several copies of the same data, the database keeps the one signed last, in every order of arrival.
/// Data from Xcode is never stored.
///
/// Accounts are stored as HMAC-SHA256 under a random key in the same database. Without the database, accounts can't be
/// identified; with it, guessed names can be confirmed.
public final class TransactionStore: TransactionHistory, Sendable {
    let database: any DatabaseWriter
    /// Looks up sole receipts in a file, because each read of a pool also compares the schema's version: budget, state
    /// on disk.
    private let lookups: DatabaseQueue?
    private let file: DatabaseFile?
    private let limits: StoreLimits
    private let evidence: StoredEvidenceVerifier
    let accounts: Accounts
    let writer: StoreWriter
    let commit: GroupCommit
    private let recentWrites: LockedValueBox<GenerationalCache<RecentWrite, Bool>>
    private let state = LockedValueBox(State())

    /// What was written, and the digest of the account that submitted it.
    private struct RecentWrite: Hashable {
        let evidence: SHA256Digest
        let account: Data?
    }

    private struct State: Sendable {
        var skippedRows = 0
        var isClosed = false
        /// Original transactions with a refund or upgrade that a root signed which isn't trusted any more.
        var untrusted: Set<ScopedOriginal> = []
    }

    /// Opens the database. Creates its file, readable only by its owner, if necessary, and migrates an older one.
    ///
    /// A file that all users can read or write is restricted to its owner, if the process has permission to do so.
    ///
    /// - Parameters:
    ///   - path: The database file; nil for one in memory.
    ///   - receipts: Verifies the receipts that are read.
    ///   - signedData: Verifies the tokens that are read.
    ///   - limits: The limits on what is processed and cached.
    /// - Throws: Among others `newerDatabase`, `foreignDatabase`, `notADatabase`, `cannotOpen` and `notWritable`.
    public init(
        path: String?, receipts: ReceiptVerifier, signedData: SignedDataVerifier, limits: StoreLimits = .default
    ) throws(StoreError) {
        let database = try StoreDatabase.writer(at: path)
        do {
            accounts = try database.write { try Accounts($0) }
            lookups = try path.map { try StoreDatabase.reader(at: $0) }
        } catch {
            throw StoreError(error)
        }
        self.database = database
        file = if let path { try DatabaseFile(path) } else { nil }
        self.limits = limits
        evidence = StoredEvidenceVerifier(
            receipts: receipts, signedData: signedData, maxCachedBytes: limits.maxCachedBytes)
        writer = StoreWriter(evidence: evidence, accounts: accounts, maxReceiptBytes: limits.maxReceiptBytes)
        commit = GroupCommit(database, file: file, limits: limits)
        recentWrites = LockedValueBox(GenerationalCache(capacity: limits.maxRememberedWrites))
        do {
            let roots = FormerRoots(evidence: evidence)
            let found = try database.write { try roots.search($0) }
            state.withLock { $0.untrusted = found }
        } catch {
            throw StoreError(error)
        }
    }

    /// The number of rows that were read since the start and skipped, because their data doesn't verify or differs from
    /// the other columns.
    public var skippedRows: Int { state.withLock { $0.skippedRows } }

    /// The number of original transactions that may have a refund or upgrade that a root signed which isn't trusted any
    /// more, up to 1,000.
    var untrustedCount: Int { state.withLock { $0.untrusted.count } }

    /// The first ten of these original transactions. They have one if ``check()`` has thrown `untrustedRevocation`.
    var untrustedOriginals: [String] { firstUntrusted.prefix(Self.maxNamed).map(\.originalTransactionIdentifier) }

    private static let maxNamed = 10

    private var firstUntrusted: [ScopedOriginal] {
        state.withLock { $0.untrusted }.sorted {
            ($0.originalTransactionIdentifier, $0.scope.environment, $0.scope.app)
                < ($1.originalTransactionIdentifier, $1.scope.environment, $1.scope.app)
        }
    }

    // MARK: Recording

    /// Stores a transaction, and binds its original transaction to its `appAccountToken` and to the account, unless it
    /// is bound.
    ///
    /// - Parameters:
    ///   - transaction: The transaction. It isn't stored without an identifier, an app or a known environment, or from
    ///     Xcode.
    ///   - account: The account that submitted it, as the back end names its customers; nil for none. A UUID is
    ///     compared with the `appAccountToken` of the original transaction, which takes precedence over the first
    ///     account.
    /// - Throws: `busy` if too many writes are waiting, otherwise the error of the write.
    @discardableResult
    public func record(
        _ transaction: VerifiedTransaction, account: String? = nil
    ) async throws(StoreError) -> RecordResult {
        let account = accounts.account(account)
        let writer = writer
        return try await record(ContentDigest.sha256(of: transaction.token.utf8, kind: .transaction), for: account) {
            try writer.write(transaction, for: account, in: $0)
        }
    }

    /// Stores renewal information.
    ///
    /// - Parameters:
    ///   - renewal: The renewal information. It isn't stored without an original transaction or a known environment, or
    ///     from Xcode.
    ///   - app: The app of the subscription, which renewal information doesn't contain, so that it can't be verified.
    ///   - onlyIfKnown: Whether to store it only if other data of the original transaction is stored for this app. Pass
    ///     `true` if the app comes from an untrusted client.
    /// - Throws: As for ``record(_:account:)-(VerifiedTransaction,_)``.
    @discardableResult
    public func record(
        _ renewal: VerifiedRenewalInfo, app: String, onlyIfKnown: Bool = false
    ) async throws(StoreError) -> RecordResult {
        let writer = writer
        // Not remembered as a recent write, because the original transaction may become known later.
        if onlyIfKnown {
            return try await commit.perform { try writer.write(renewal, app: app, onlyIfKnown: true, in: $0) }
        }
        return try await record(
            ContentDigest.sha256(of: Array(renewal.token.utf8) + [0] + Array(app.utf8), kind: .renewal), for: nil
        ) {
            try writer.write(renewal, app: app, in: $0)
        }
    }

    /// Stores the contents of a notification.
    ///
    /// The order of arrival has no effect. A notification whose UUID is known is merged too, because it may contain
    /// newer data. Notifications have no account, so they never produce a replay.
    ///
    /// - Throws: As for ``record(_:account:)-(VerifiedTransaction,_)``.
    @discardableResult
    public func record(_ notification: VerifiedNotification) async throws(StoreError) -> RecordResult {
        let writer = writer
        return try await record(
            ContentDigest.sha256(of: notification.notification.token.utf8, kind: .notification), for: nil
        ) {
            try writer.write(notification, in: $0)
        }
    }

    /// Stores a receipt for the original transactions that need it, and binds its original transactions to the account.
    ///
    /// - Parameters:
    ///   - receipt: The receipt. It isn't stored without purchases, larger than ``StoreLimits/maxReceiptBytes`` or from
    ///     Xcode.
    ///   - account: The account that submitted it; nil for none.
    /// - Throws: As for ``record(_:account:)-(VerifiedTransaction,_)``.
    @discardableResult
    public func record(_ receipt: VerifiedReceipt, account: String? = nil) async throws(StoreError) -> RecordResult {
        let account = accounts.account(account)
        let writer = writer
        return try await record(ContentDigest.sha256(of: receipt), for: account) {
            try writer.write(receipt, for: account, in: $0)
        }
    }

    /// Binds the purchase in a transaction receipt to the account. The receipt itself isn't stored.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - account: The account that submitted it; nil for none.
    /// - Throws: As for ``record(_:account:)-(VerifiedTransaction,_)``.
    @discardableResult
    public func record(
        _ receipt: VerifiedTransactionReceipt, account: String? = nil
    ) async throws(StoreError) -> RecordResult {
        guard let account = accounts.account(account) else { return .notStored }
        let writer = writer
        return try await commit.perform { try writer.write(receipt, for: account, in: $0) }
    }

    /// Performs a write, unless the same write was performed recently without replays: clients submit the same receipt
    /// at every start.
    ///
    /// The result can't have changed, because an original transaction stays bound to its first account. Accounts that
    /// are UUIDs are an exception and always written: a later `appAccountToken` binds the original transaction to
    /// another account.
    private func record(
        _ evidence: SHA256Digest, for account: Account?, write: @escaping GroupCommit.Write
    ) async throws(StoreError) -> RecordResult {
        if try hasRecorded(evidence, for: account) { return .known }
        let result = try await commit.perform(write)
        if account?.isUUID != true, result.replays.isEmpty, result.isStored {
            let recent = RecentWrite(evidence: evidence, account: account?.digest)
            recentWrites.withLock { $0.insert(true, for: recent, cost: 1) }
        }
        return result
    }

    func hasRecorded(_ evidence: SHA256Digest, for account: Account?) throws(StoreError) -> Bool {
        guard account?.isUUID != true else { return false }
        let recent = RecentWrite(evidence: evidence, account: account?.digest)
        guard recentWrites.withLock({ $0.value(for: recent) }) == true else { return false }
        guard !state.withLock({ $0.isClosed }) else { throw .closed }
        guard file?.isInPlace != false else { throw .fileGone }
        return true
    }

    // MARK: Reading

    /// Returns the stored evidence of these original transactions that still verifies.
    ///
    /// ``StoreLimits`` never hide a revocation: only older transactions that weren't revoked are left out.
    ///
    /// - Throws: `tooMuchEvidence` if the required rows exceed the limits, otherwise the error of reading.
    public func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) async throws(StoreError) -> CustomerEvidence {
        guard let scope = AppScope(app: app, environment), !originals.isEmpty else { return CustomerEvidence() }
        return try history(in: scope) { database in
            (try StoreReader(of: originals, scope: scope, limits: limits, in: database), originals)
        }
    }

    /// Returns the stored evidence about the purchases in a receipt, as far as it still verifies, without the receipt
    /// itself.
    ///
    /// Runs on the calling thread: a change of threads takes longer than reading the evidence about most customers.
    func history(beside receipt: VerifiedReceipt) throws(StoreError) -> CustomerEvidence {
        guard receipt.hasOriginals, let scope = AppScope(app: receipt.bundleIdentifier, receipt.environment)
        else { return CustomerEvidence() }
        guard !state.withLock({ $0.isClosed }) else { throw .closed }
        let digest = Data(ContentDigest.sha256(of: receipt))
        do {
            let isSole = try (lookups ?? database).unsafeRead { try StoreReader.isSoleReceipt(digest, in: $0) }
            if isSole { return CustomerEvidence() }
        } catch {
            throw StoreError(error)
        }
        return try history(in: scope) { database in
            let originals = receipt.originals
            return (
                try StoreReader(of: originals, scope: scope, excluding: digest, limits: limits, in: database), originals
            )
        }
    }

    /// Reads rows and verifies them.
    ///
    /// - Parameters:
    ///   - scope: Their app and environment.
    ///   - read: Returns the rows and their original transactions.
    private func history(
        in scope: AppScope, read: (Database) throws -> (rows: StoreReader, originals: Set<String>)
    ) throws(StoreError) -> CustomerEvidence {
        guard !state.withLock({ $0.isClosed }) else { throw .closed }
        let stored: (rows: StoreReader, originals: Set<String>)
        do {
            // Without a transaction, as in `read`.
            stored = try database.unsafeRead(read)
        } catch {
            throw StoreError(error)
        }
        do throws(StoreError) {
            let (history, skipped) = try stored.rows.verified(by: evidence, for: stored.originals)
            if skipped > 0 { state.withLock { $0.skippedRows += skipped } }
            return history
        } catch {
            if error == .untrustedRevocation { noteUntrusted(among: stored.originals, in: scope) }
            throw error
        }
    }

    private static let maxUntrusted = 1000

    /// Remembers original transactions, one of which has a refund or upgrade that a root signed which isn't trusted any
    /// more.
    private func noteUntrusted(among originals: Set<String>, in scope: AppScope) {
        state.withLock { state in
            for original in originals.sorted() where state.untrusted.count < Self.maxUntrusted {
                state.untrusted.insert(ScopedOriginal(scope: scope, originalTransactionIdentifier: original))
            }
        }
    }

    /// Checks that the refunds of former roots that were found are gone: the operator deleted them, or newer evidence
    /// replaced them.
    ///
    /// - Throws: `untrustedRevocation` if one isn't. Those that are gone are forgotten, up to the tenth that isn't.
    private func checkUntrusted() async throws(StoreError) {
        var remaining = 0
        for known in firstUntrusted {
            do throws(StoreError) {
                _ = try await history(
                    of: [known.originalTransactionIdentifier], app: known.scope.app, environment: known.scope.base)
                state.withLock { _ = $0.untrusted.remove(known) }
            } catch {
                guard error == .untrustedRevocation else { throw error }
                remaining += 1
                if remaining == Self.maxNamed { break }
            }
        }
        if remaining > 0 { throw .untrustedRevocation }
    }

    private static let probeBytes = 128 << 10

    /// Checks that the database can be read, and written if the last write failed. The test write is as long as a large
    /// receipt.
    ///
    /// - Throws: The error of reading or writing; `untrustedRevocation` if a root that isn't trusted any more signed a
    ///   stored refund that was found.
    public func check() async throws(StoreError) {
        guard file?.isInPlace != false else { throw .fileGone }
        if await commit.hasFailed {
            // Random, because SQLite doesn't write unchanged values. Large, because a full disk may have room for a
            // small write.
            for statement in [
                "INSERT OR REPLACE INTO settings (name, value) VALUES ('probe', randomblob(\(Self.probeBytes)))",
                "DELETE FROM settings WHERE name = 'probe'",
            ] {
                _ = try await commit.perform { database in
                    try database.execute(sql: statement)
                    return .known
                }
            }
        }
        guard try await read({ try Row.fetchOne($0, sql: "SELECT 1 FROM settings LIMIT 1") != nil }) else {
            throw .damaged
        }
        try await checkUntrusted()
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
            originalTransactions: counts[4], accountBindings: counts[5], skippedRows: skippedRows,
            pendingWrites: await commit.pending)
    }

    /// Rejects further writes, completes the accepted ones, and closes the database. Closing it again has no effect.
    ///
    /// Waits up to ten seconds for a database that is locked by another process; then the remaining writes fail.
    ///
    /// - Throws: The error of closing the database. Recorded data is on disk nevertheless.
    public func close() async throws(StoreError) {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        await commit.close()
        try? lookups?.close()
        // So that a copy of the database file alone is complete. Fails if another process reads the database.
        _ = try? await database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        do {
            try database.close()
        } catch {
            throw StoreError(error)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        guard !state.withLock({ $0.isClosed }) else { throw .closed }
        do {
            // Without a transaction, which would cost more than the query. The rows needn't be from one point in time,
            // because each is verified by itself.
            return try await database.unsafeRead(body)
        } catch {
            throw StoreError(error)
        }
    }
}
#endif
