#if Server
import AppReceiptSupport
import GRDB

/// The receipts in `sole_receipts` that were found there recently, so that most requests don't read the database.
///
/// A receipt is removed when a commit of this process removes it from the table. Commits of other processes remove all receipts, because it
/// isn't known what they wrote.
final class SoleReceipts: Sendable {
    /// What the table contained when its reading began.
    struct Version: Sendable, Equatable {
        /// The header of the write-ahead log's index; nil for a database in memory.
        fileprivate var header: WALIndex.Header?
        /// Counts the commits of this process.
        fileprivate var commits = 0
    }

    private struct State: Sendable {
        var index: WALIndex?
        var version: Version
        var rows: [EvidenceIdentity: Int64] = [:]
        var receipts: [Int64: EvidenceIdentity] = [:]
        /// The rows that the transaction in progress removes.
        var removed: [Int64] = []
        /// Whether the header may show a commit of this process whose `removed` rows aren't removed yet.
        var isCommitting = false

        /// Whether no process has committed since the version.
        var isCurrent: Bool { version.header == index?.header }

        mutating func removeAll() {
            rows = [:]
            receipts = [:]
        }

        /// Removes all receipts if another process has committed.
        mutating func update() {
            guard !isCurrent else { return }
            removeAll()
            version.header = index?.header
        }
    }

    private let capacity: Int
    private let state: LockedValueBox<State>

    /// - Parameters:
    ///   - index: The index of the write-ahead log; nil for a database in memory, which has one connection.
    ///   - capacity: The maximum number of receipts.
    init(index: WALIndex?, capacity: Int) {
        self.capacity = capacity
        state = LockedValueBox(State(index: index, version: Version(header: index?.header)))
    }

    /// Whether the table contains the receipt. False if that isn't known.
    func contains(_ receipt: EvidenceIdentity) -> Bool {
        state.withLock { $0.rows[receipt] != nil && $0.isCurrent }
    }

    /// The version of the table that is read from now on.
    var version: Version {
        state.withLock { state in
            if !state.isCommitting { state.update() }
            return state.version
        }
    }

    /// Adds a receipt, unless there was a commit after the version.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - row: Its number in the table.
    ///   - version: The version before the table was read.
    func insert(_ receipt: EvidenceIdentity, row: Int64, readAt version: Version) {
        state.withLock { state in
            guard state.version == version, state.isCurrent else { return }
            if state.rows.count >= capacity { state.removeAll() }
            if let previous = state.receipts.updateValue(receipt, forKey: row) { state.rows[previous] = nil }
            state.rows[receipt] = row
        }
    }

    /// Removes all receipts, and doesn't use the index any more. Must be called before the database is closed.
    func close() {
        state.withLock { state in
            state.index = nil
            state.removeAll()
        }
    }
}

extension SoleReceipts: TransactionObserver {
    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        if case .delete(tableName: "sole_receipts") = kind { true } else { false }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        state.withLock { $0.removed.append(event.rowID) }
    }

    func databaseWillCommit() {
        state.withLock { state in
            // No other process can commit between here and the commit.
            state.update()
            state.isCommitting = true
        }
    }

    func databaseDidCommit(_: Database) {
        state.withLock { state in
            for row in state.removed {
                if let receipt = state.receipts.removeValue(forKey: row) { state.rows[receipt] = nil }
            }
            state.version.commits += 1
            let header = state.index?.header
            // A transaction that changes nothing leaves the header as it is.
            if let header, let previous = state.version.header, header.commits == previous.commits &+ 1 {
                state.version.header = header
            }
            state.update()
            state.removed = []
            state.isCommitting = false
        }
    }

    func databaseDidRollback(_: Database) {
        state.withLock { state in
            state.removed = []
            state.isCommitting = false
        }
    }
}
#endif
