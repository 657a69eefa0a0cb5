#if Postgres
import AppReceiptFoundation
import AppReceiptKit

/// Writes evidence in transactions of PostgreSQL. Everything has the same effect if it runs again.
struct PostgresWriter: Sendable {
    let verifier: StoredEvidenceVerifier
    let limits: StoreLimits
    /// Returns the current time.
    let now: @Sendable () -> Int64

    /// Stores submissions in one transaction, binds their original transactions to the accounts, and records what
    /// changed.
    ///
    /// What changes nothing is only read, because even a lock is a write.
    ///
    /// - Parameters:
    ///   - submissions: Submissions, none of which is about a purchase of another one.
    ///   - session: The session.
    /// - Returns: Their results, which are on disk.
    func write(
        _ submissions: [PostgresBatch.Submission], with session: PostgresSession
    ) throws(StoreError) -> [RecordResult] {
        var known = PostgresBatch(submissions, verifier: verifier)
        try known.decide(isLocked: false) { statements throws(StoreError) in try session.read(statements) }
        let changed = submissions.indices.filter { !known.isUnchanged($0) }
        guard !changed.isEmpty else { return known.results }
        let written = try session.write { transaction throws(StoreError) in
            var batch = PostgresBatch(changed.map { submissions[$0] }, verifier: verifier)
            let (locks, date) = (batch.locks, now())
            var isFirst = true
            try batch.decide(isLocked: true) { statements throws(StoreError) in
                defer { isFirst = false }
                guard isFirst else { return try transaction.run(statements) }
                return Array(try transaction.run(locks + statements).dropFirst(locks.count))
            }
            try record(
                batch.recordings.map(\.changes), forwarding: batch.recordings.map(\.forwarded),
                after: batch.statements(receivedAt: date), at: date, in: transaction)
            return batch.results
        }
        var results = known.results
        for (index, result) in zip(changed, written) { results[index] = result }
        return results
    }

    /// Records what changed beside the evidence: the accounts, the events, and the states that were reported.
    ///
    /// - Parameters:
    ///   - changes: The changes, whose purchases are locked and loaded, with those of one submission at a time.
    ///   - notifications: The notifications that are forwarded, of each submission.
    ///   - statements: The statements to run before the evidence is read.
    ///   - date: The current time.
    ///   - transaction: The transaction, which gets the statements to run last.
    func record(
        _ changes: [EvidenceChanges], forwarding notifications: [[ForwardedNotification]] = [],
        after statements: [PostgresStatement] = [], at date: Int64, in transaction: PostgresTransaction
    ) throws(StoreError) {
        var purchases: [ScopedOriginal: StoredPurchase] = [:]
        var events = changes.map { $0.events(at: date) }
        var comparisons = changes.map { $0.comparison(at: date) }
        for purchase in changes.flatMap(\.boundPurchases) { purchases[purchase.original] = purchase }
        var statements = statements
        while true {
            let parts = comparisons.indices.compactMap { index in comparisons[index].next().map { (index, $0) } }
            guard !parts.isEmpty || !statements.isEmpty else { break }
            var results = try transaction.run(
                statements
                    + parts.flatMap { EvidenceRows.statements(of: $1.originals, scope: $1.scope, limits: limits) }
            ).dropFirst(statements.count)
            statements = []
            for (index, part) in parts {
                let own = results.prefix(EvidenceRows.postgresStatementCount)
                results = results.dropFirst(own.count)
                let (reported, new) = try comparisons[index].report(part, from: verified(own, of: part))
                events[index] += new
                for purchase in reported { purchases[purchase.original] = purchase }
            }
        }
        if !purchases.isEmpty {
            transaction.lastStatements.append(
                StoredPurchase.update(purchases.values.sorted { $0.original < $1.original }))
        }
        var rows = PostgresEvents()
        for index in events.indices {
            if index < notifications.count {
                for notification in notifications[index] { rows.add(notification, at: date) }
            }
            rows.add(events[index])
        }
        if let statement = rows.statement { transaction.lastStatements.append(statement) }
    }

    private func verified(
        _ results: ArraySlice<PostgresResult>, of part: PurchaseComparison.Part
    ) -> Result<StoredEvidence, StoreError> {
        do throws(StoreError) {
            return .success(
                try EvidenceRows(results, of: part.originals, limits: limits)
                    .verified(by: verifier, for: part.originals, in: part.scope))
        } catch {
            return .failure(error)
        }
    }

    /// Records what only time changed.
    ///
    /// - Parameters:
    ///   - date: The current time.
    ///   - limit: The largest number of purchases.
    ///   - session: The session.
    /// - Returns: When the next change is due; nil for never.
    func recordDueEvents(
        until date: Int64, limit: Int64, with session: PostgresSession
    ) throws(StoreError) -> Int64? {
        let next = PostgresStatement("SELECT min(due) FROM purchases WHERE due IS NOT NULL")
        guard let due = try session.read([next]).first?.integer else { return nil }
        guard due <= date else { return due }
        try session.write { transaction throws(StoreError) in
            // Postponed first, otherwise a row that can't be read would be due forever. Those that another server has
            // locked are skipped.
            let rows = try transaction.run(
                """
                WITH locked AS (
                    SELECT app, environment, original FROM purchases WHERE due <= $1 ORDER BY due LIMIT $2
                    FOR UPDATE SKIP LOCKED
                )
                UPDATE purchases SET due = $3 FROM locked WHERE purchases.app = locked.app
                AND purchases.environment = locked.environment AND purchases.original = locked.original
                RETURNING \(StoredPurchase.postgresColumns)
                """, values: [.integer(date), .integer(limit), .integer(date + PurchaseState.pause)])
            var changes = EvidenceChanges()
            for purchase in rows.rows.compactMap({ StoredPurchase($0) }) {
                changes[purchase.original] = purchase
                changes.touch(purchase.original, because: EventCause(.time))
            }
            try record([changes], at: date, in: transaction)
        }
        return try session.read([next]).first?.integer
    }
}
#endif
