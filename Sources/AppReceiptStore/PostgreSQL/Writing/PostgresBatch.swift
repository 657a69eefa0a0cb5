#if Postgres
import AppReceiptKit

/// Submissions that are recorded together, none of which is about a purchase of another one.
///
/// It loads what is stored, has ``EvidenceRecording`` decide, and contains the statements that store the result.
struct PostgresBatch {
    /// A submission.
    struct Submission: Sendable {
        /// What it records, before anything is loaded.
        let recording: EvidenceRecording
        /// The original transaction in the queue of requests that it answers; nil for none.
        let answered: ScopedOriginal?

        /// The purchases in its evidence.
        var purchases: Set<ScopedOriginal> { recording.allPurchases }
    }

    private let verifier: StoredEvidenceVerifier
    private let answered: [ScopedOriginal?]
    private(set) var recordings: [EvidenceRecording]
    private var receipts = PostgresReceipts()
    /// The submissions that change which receipts are stored.
    private var replacing: Set<Int> = []
    /// The answered original transactions that are in the queue.
    private var requested: Set<ScopedOriginal> = []

    /// - Parameters:
    ///   - submissions: The submissions.
    ///   - verifier: Verifies what is stored.
    init(_ submissions: [Submission], verifier: StoredEvidenceVerifier) {
        self.verifier = verifier
        answered = submissions.map(\.answered)
        recordings = submissions.map(\.recording)
    }

    /// The results of the submissions, in their order.
    var results: [RecordResult] {
        recordings.indices.map { isIncluded($0) ? recordings[$0].result : .notStored }
    }

    /// Whether a submission changes nothing, so that its result needs no transaction.
    func isUnchanged(_ index: Int) -> Bool {
        !isIncluded(index) || recordings[index].isUnchanged && !replacing.contains(index)
    }

    /// Nothing is recorded about what was forgotten since it was requested.
    private func isIncluded(_ index: Int) -> Bool { answered[index].map(requested.contains) ?? true }

    // MARK: Locks

    /// The statements that lock the purchases, whose rows are created.
    var locks: [PostgresStatement] {
        let purchases = PostgresColumns(Array(allPurchases))
        return [purchases.insert(into: "purchases", keys: 3, update: false), purchases.lock("purchases")]
    }

    private var allPurchases: Set<ScopedOriginal> {
        recordings.reduce(into: []) { $0.formUnion($1.allPurchases) }
    }

    // MARK: Loading

    /// Loads what is stored, and decides.
    ///
    /// - Parameters:
    ///   - isLocked: Whether the purchases are locked, and the result is stored.
    ///   - run: Runs statements.
    mutating func decide(
        isLocked: Bool, running run: ([PostgresStatement]) throws(StoreError) -> [PostgresResult]
    ) throws(StoreError) {
        let purchases = isLocked ? allPurchases : recordings.reduce(into: []) { $0.formUnion($1.purchases) }
        let replaced = recordings.flatMap { $0.receipts.filter(\.isStored) }
        let tokens = Dictionary(grouping: recordings.flatMap(\.tokenRows), by: \.table)
        let transactions = recordings.flatMap(\.transactionRows)
        let statements: [PostgresStatement?] = [
            purchases.isEmpty ? nil : StoredPurchase.statement(of: purchases),
            replaced.isEmpty ? nil : PostgresReceipts.statement(of: replaced.flatMap(\.purchases)),
            transactions.isEmpty ? nil : TransactionRow.statement(of: transactions),
            tokens[.renewals].map { TokenRow.statement(of: $0, table: .renewals) },
            tokens[.statuses].map { TokenRow.statement(of: $0, table: .statuses) },
            NotificationRow.statement(of: recordings.flatMap(\.notificationRows)),
            Self.existing(recordings.flatMap(\.claimedOriginals), in: ["transactions", "receipt_originals"]),
            Self.existing(answered.compactMap(\.self), in: ["completions"]),
            replaced.isEmpty ? nil : PostgresReceipts.contents(for: replaced),
        ]
        var found = try run(statements.compactMap(\.self))[...]
        let results = statements.map { $0 == nil ? nil : found.popFirst() }
        receipts = PostgresReceipts(results[1], contents: results[8])
        var stored = Self.storedRows(results)
        requested = Set(results[7]?.rows.compactMap { ScopedOriginal($0) } ?? [])
        let known = results[0]?.rows.compactMap { StoredPurchase($0) } ?? []
        let byOriginal = Dictionary(known.map { ($0.original, $0) }) { first, _ in first }
        for index in recordings.indices where isIncluded(index) {
            for original in recordings[index].allPurchases where purchases.contains(original) {
                recordings[index].changes[original] = byOriginal[original] ?? StoredPurchase(original: original)
            }
            for (position, receipt) in recordings[index].receipts.enumerated() where receipt.isStored {
                let result = receipts.store(receipt, by: verifier)
                if !result.isEmpty { replacing.insert(index) }
                if !result.added.isEmpty { recordings[index].newReceipts.insert(position) }
            }
            recordings[index].stored = stored
            recordings[index].run()
            // The same notification, about no purchase, may be in several submissions.
            stored.notifications.formUnion(recordings[index].stored.notifications)
        }
    }

    private static func existing(_ originals: [ScopedOriginal], in tables: [String]) -> PostgresStatement? {
        originals.isEmpty ? nil : PostgresColumns(originals).existing(in: tables)
    }

    static func storedRows(_ results: [PostgresResult?]) -> StoredRows {
        var stored = StoredRows()
        for row in results[2]?.rows.compactMap({ TransactionRow($0) }) ?? [] { stored.transactions[row.key] = row }
        for (result, table) in [(results[3], TokenRow.Table.renewals), (results[4], .statuses)] {
            for row in result?.rows.compactMap({ TokenRow($0, of: table) }) ?? [] { stored.tokens[row.key] = row }
        }
        stored.notifications = Set(results[5]?.rows.compactMap { $0.text(3) } ?? [])
        stored.originals = Set(results[6]?.rows.compactMap { ScopedOriginal($0) } ?? [])
        return stored
    }

    // MARK: Storing

    /// The statements that store the evidence.
    func statements(receivedAt date: Int64) -> [PostgresStatement] {
        let transactions = recordings.flatMap(\.transactions)
        let tokens = Dictionary(grouping: recordings.flatMap(\.tokens), by: \.table)
        let notifications = recordings.flatMap(\.notifications)
        var statements = receipts.statements { _ in date }
        if !transactions.isEmpty { statements.append(TransactionRow.insertion(of: transactions) { _ in date }) }
        for (table, rows) in tokens.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            statements.append(TokenRow.insertion(of: rows, into: table) { _ in date })
        }
        if !notifications.isEmpty { statements.append(NotificationRow.insertion(of: notifications) { _ in date }) }
        return statements
    }
}

extension EvidenceRecording {
    /// The purchases in any of the evidence.
    fileprivate var allPurchases: Set<ScopedOriginal> { purchases.union(receipts.flatMap(\.purchases)) }

    /// Whether nothing is stored.
    fileprivate var isUnchanged: Bool {
        transactions.isEmpty && tokens.isEmpty && notifications.isEmpty && newReceipts.isEmpty
            && changes.originals.isEmpty && changes.boundPurchases.isEmpty
    }
}
#endif
