#if Server
public import AppReceiptKit
public import AppStoreSignedData
import Crypto
import GRDB
public import VerifyReceipt
import AppReceiptSupport

/// What is known of customers beyond the receipt that they send, kept in SQLite: signed transactions, renewal
/// information, which notifications have come, the newest receipt of each line, and whose each line is.
///
/// What is kept are the proofs themselves, tokens and receipts; whatever is read is verified again with the verifiers
/// that the store was made with, so that who can write the database cannot say what Apple signed. What does not verify
/// any more, or is not what its row says, is passed over and counted. Rows that were deleted or put back cannot be noticed.
///
/// A write is on disk when its function returns (write-ahead log, synchronized at each commit), and writes that come
/// together are committed together. Of copies of the same data the one that was signed last is kept, in whatever order
/// they come. What Xcode signs is never stored.
///
/// Accounts are stored as HMAC-SHA256 under a random key in the same database: without the database nobody can tell who
/// they are; with it names that can be guessed can be confirmed.
public final class TransactionStore: TransactionHistory, Sendable {
    let database: any DatabaseWriter
    private let file: DatabaseFile?
    private let limits: StoreLimits
    private let evidence: StoredEvidenceVerifier
    private let accounts: Accounts
    private let writing: StoreWriting
    private let commit: GroupCommit
    private let recorded: LockedValueBox<GenerationalCache<SHA256Digest, Bool>>
    private let state = LockedValueBox(State())

    private struct State: Sendable {
        var passedOver = 0
        var isClosed = false
    }

    /// Opens the store, makes its file (readable by its owner only) if there is none, and brings an older one up to date.
    /// A file that everybody could read or write becomes its owner's alone, if the process may change it.
    ///
    /// - Parameters:
    ///   - path: the database's file; nil for a store in memory, which is gone with the process.
    ///   - receipts: verifies the receipts that are read.
    ///   - signedData: verifies the tokens that are read.
    ///   - limits: how much the store takes on.
    /// - Throws: among others `newerDatabase`, `foreignDatabase`, `notADatabase`, `cannotOpen` and `notWritable`.
    public init(
        path: String?, receipts: ReceiptVerifier, signedData: SignedDataVerifier, limits: StoreLimits = .default
    ) throws(StoreError) {
        let database = try StoreDatabase.writer(at: path)
        do {
            accounts = try database.write { try Accounts($0) }
        } catch {
            throw StoreError(error)
        }
        self.database = database
        file = if let path { try DatabaseFile(path) } else { nil }
        self.limits = limits
        evidence = StoredEvidenceVerifier(receipts: receipts, signedData: signedData, cachedBytes: limits.cachedBytes)
        writing = StoreWriting(evidence: evidence, accounts: accounts, receiptBytes: limits.receiptBytes)
        commit = GroupCommit(database, file: file, limits: limits)
        recorded = LockedValueBox(GenerationalCache(capacity: limits.rememberedWrites))
    }

    /// Rows that were read since the start and did not count, because what they hold does not verify or is not what their
    /// other columns say.
    public var passedOver: Int { state.withLock { $0.passedOver } }

    // MARK: Recording

    /// Keeps a transaction and binds its line to the `appAccountToken` in it and to the account, unless it is bound.
    ///
    /// - Parameters:
    ///   - transaction: one without identifier, app or known environment, or from Xcode, is not stored.
    ///   - account: who presents it, as the back end names its customers; nil for nobody. A UUID is compared with the
    ///     `appAccountToken` of the line, which counts before the account that came first.
    /// - Throws: `busy` if too many writes wait; otherwise what kept it from being written.
    @discardableResult
    public func record(
        _ transaction: VerifiedTransaction, account: String? = nil
    ) async throws(StoreError) -> RecordResult {
        let account = accounts.account(account)
        let writing = writing
        return try await record(.transaction, transaction.token.utf8, account) {
            try writing.write(transaction, for: account, $0)
        }
    }

    /// Keeps the state of a subscription's renewal.
    ///
    /// - Parameters:
    ///   - renewal: one without line or known environment, or from Xcode, is not stored.
    ///   - app: the app whose subscription it is, which renewal information does not say and nobody can check later.
    ///   - ofKnownLinesOnly: whether it is passed over if nothing else is known of the line in this app. Say true if
    ///     whoever presents it says what app it is of, and may say anything.
    /// - Throws: as for ``record(_:account:)-(VerifiedTransaction,_)``.
    @discardableResult
    public func record(
        _ renewal: VerifiedRenewalInfo, app: String, ofKnownLinesOnly: Bool = false
    ) async throws(StoreError) -> RecordResult {
        let writing = writing
        // A line that is not known may be known later: then the same is not the same again.
        if ofKnownLinesOnly {
            return try await commit { try writing.write(renewal, app: app, ofKnownLinesOnly: true, $0) }
        }
        return try await record(.renewal, Array(renewal.token.utf8) + [0] + Array(app.utf8), nil) {
            try writing.write(renewal, app: app, $0)
        }
    }

    /// Stores what a notification contains.
    ///
    /// The order of arrival has no effect. A notification whose UUID is known is merged like any other, because it may contain newer
    /// data. No account submits a notification, so nothing in it counts as a replay.
    ///
    /// - Throws: as for ``record(_:account:)-(VerifiedTransaction,_)``.
    @discardableResult
    public func record(_ notification: VerifiedNotification) async throws(StoreError) -> RecordResult {
        let writing = writing
        return try await record(.notification, notification.notification.token.utf8, nil) {
            try writing.write(notification, $0)
        }
    }

    /// Keeps a receipt for those of its lines of which it is the newest, and binds its lines to the account.
    ///
    /// - Parameters:
    ///   - receipt: one without purchases, larger than ``StoreLimits/receiptBytes`` or from Xcode is not stored.
    ///   - account: who presents it; nil for nobody.
    /// - Throws: as for ``record(_:account:)-(VerifiedTransaction,_)``.
    @discardableResult
    public func record(_ receipt: VerifiedReceipt, account: String? = nil) async throws(StoreError) -> RecordResult {
        let account = accounts.account(account)
        let writing = writing
        return try await record(.receipt, receipt.container, account) {
            try writing.write(receipt, for: account, $0)
        }
    }

    /// Binds the purchase in a receipt from before iOS 7 to the account. The receipt itself isn't stored.
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
        let writing = writing
        return try await commit { try writing.write(receipt, for: account, $0) }
    }

    /// Writes, unless the very same was written a short while ago and was nobody else's: clients send the same receipt at
    /// every start. What came of that cannot have changed, because a line stays with its first account.
    ///
    /// For accounts that are UUIDs it can: an `appAccountToken` that comes later, to this process or another one on the same
    /// file, takes the line from them. They are looked up every time.
    private func record(
        _ kind: ContentDigest.Kind, _ octets: some Collection<UInt8>, _ account: Account?,
        _ write: @escaping GroupCommit.Write
    ) async throws(StoreError) -> RecordResult {
        if account?.isUUID == true { return try await commit(write) }
        var hash = SHA256()
        hash.update(data: Array(ContentDigest.of(kind, octets)))
        if let account { hash.update(data: account.digest) }
        let digest = hash.finalize()
        if recorded.withLock({ $0.value(for: digest) }) == true {
            guard !state.withLock({ $0.isClosed }) else { throw .closed }
            guard file?.isInPlace != false else { throw .fileGone }
            return .known
        }
        let result = try await commit(write)
        if result.replays.isEmpty, result.isStored { recorded.withLock { $0.insert(true, for: digest, cost: 1) } }
        return result
    }

    // MARK: Asking

    /// Returns what is known of these original transactions and still verifies.
    ///
    /// ``StoreLimits`` never hide a revocation: only older transactions that weren't revoked are left out.
    ///
    /// - Throws: `tooMuchEvidence` if what is needed exceeds the limits, or what prevents reading.
    public func history(
        of lines: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws(StoreError) -> CustomerHistory {
        guard let scope = AppScope(app: app, environment), !lines.isEmpty else { return CustomerHistory() }
        let limits = limits
        let reading = try await read { try StoreReading(lines, scope, limits: limits, $0) }
        let (history, passedOver) = reading.proven(by: evidence, for: lines)
        if passedOver > 0 { state.withLock { $0.passedOver += passedOver } }
        return history
    }

    private static let probeBytes = 128 << 10

    /// Whether the store can be asked, and written: if the last write failed, one as long as a large receipt is tried.
    ///
    /// - Throws: what keeps it from answering or from writing.
    public func check() async throws(StoreError) {
        guard file?.isInPlace != false else { throw .fileGone }
        if await commit.hasFailed {
            // SQLite writes nothing for what is the same already, and on a full disk there may be room for little.
            for statement in [
                "INSERT OR REPLACE INTO settings (name, value) VALUES ('probe', randomblob(\(Self.probeBytes)))",
                "DELETE FROM settings WHERE name = 'probe'",
            ] {
                _ = try await commit { database in
                    try database.execute(sql: statement)
                    return .known
                }
            }
        }
        guard try await read({ try Row.fetchOne($0, sql: "SELECT 1 FROM settings LIMIT 1") != nil }) else {
            throw .damaged
        }
    }

    /// How much there is in it. Every table is counted: ask once in a while.
    ///
    /// - Throws: what keeps it from answering.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        let tables = [
            "transactions", "renewals", "notifications", "receipts",
            "(SELECT DISTINCT app, environment, line FROM receipt_lines)", "line_owners",
        ]
        let counts = try await read { database in
            try tables.map { try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0 }
        }
        return StoreStatistics(
            transactions: counts[0], renewals: counts[1], notifications: counts[2], receipts: counts[3],
            lines: counts[4], owners: counts[5], passedOver: passedOver, pendingWrites: await commit.pending)
    }

    /// Takes no more writes, makes those that it took, and closes the database. To close it again does nothing.
    ///
    /// A database that another process holds is waited for, ten seconds in all; what could not be written then fails.
    ///
    /// - Throws: what kept the database from closing; what was recorded is on disk all the same.
    public func close() async throws(StoreError) {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        await commit.close()
        do {
            try database.close()
        } catch {
            throw StoreError(error)
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        guard !state.withLock({ $0.isClosed }) else { throw .closed }
        do {
            // Without a transaction around it, which would cost more than what is asked: what is read need not be of one
            // instant, because each row is proven by itself.
            return try await database.unsafeRead(body)
        } catch {
            throw StoreError(error)
        }
    }
}
#endif
