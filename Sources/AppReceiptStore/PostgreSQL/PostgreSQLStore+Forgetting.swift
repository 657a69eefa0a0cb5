#if Postgres
import AppReceiptFoundation
import AppReceiptSupport
import AppStoreSignedData

// Deletes what is known about an account.
extension PostgreSQLStore {
    /// The number of purchases that are forgotten in one commit, so that others needn't wait long.
    private static let maxPurchasesPerCommit = 100

    package func forget(_ name: String, in apps: Set<String>?) async throws(StoreError) -> ForgottenPurchases? {
        guard let account = accounts.account(name) else { return nil }
        let exact = apps.map { Set($0.map { ExactString($0) }) }
        var remaining = try await purchases(of: name).filter {
            exact?.contains(ExactString($0.scope.app)) ?? true
        }[...]
        var (count, event): (Int, Int64?) = (0, nil)
        while !remaining.isEmpty {
            let part = Array(remaining.prefix(Self.maxPurchasesPerCommit))
            remaining = remaining.dropFirst(part.count)
            let forgotten = try await write(patience: PostgresSession.longPatience) {
                [self] transaction throws(StoreError) in
                (
                    count: try forget(part, of: account, in: transaction),
                    event: try transaction.run(Self.lastEvent).integer ?? 0
                )
            }
            count += forgotten.count
            event = forgotten.event
        }
        // Also of purchases that belong to another account now.
        let names: [PostgresValue] = [.text(account.stored), .text(account.hash)]
        let chosen: [PostgresValue] = [.boolean(apps == nil), .texts(apps?.filter(\.isStorable).sorted() ?? [])]
        let (named, last) = try await write(patience: PostgresSession.longPatience) { transaction throws(StoreError) in
            var named: Int64 = 0
            for column in ["account", "former_account"] {
                named +=
                    try transaction.run(
                        """
                        WITH renamed AS (
                            UPDATE events SET \(column) = NULL WHERE \(column) IN ($1, $2) AND ($3 OR app = ANY($4))
                            RETURNING number
                        )
                        SELECT count(*) FROM renamed
                        """, values: names + chosen
                    ).integer ?? 0
            }
            return (named, try transaction.run(Self.lastEvent).integer ?? 0)
        }
        return count > 0 || named > 0 ? ForgottenPurchases(count: count, event: event ?? last) : nil
    }

    package func forget(_ purchase: ScopedOriginal) async throws(StoreError) -> ForgottenPurchases? {
        guard purchase.originalTransactionIdentifier.isStorable else { return nil }
        let forgotten = try await write(patience: PostgresSession.longPatience) {
            [self] transaction throws(StoreError) in
            ForgottenPurchases(
                count: try forget([purchase], of: nil, in: transaction),
                event: try transaction.run(Self.lastEvent).integer ?? 0)
        }
        return forgotten.count > 0 ? forgotten : nil
    }

    private static let lastEvent = "SELECT value FROM counters WHERE name = 'events'"

    /// Forgets those of the purchases that still belong to the account.
    ///
    /// - Parameters:
    ///   - purchases: The purchases.
    ///   - account: The account; nil if their accounts have no effect. Then those about which nothing is known are left
    ///     out.
    ///   - transaction: The transaction.
    /// - Returns: Their number.
    private func forget(
        _ purchases: [ScopedOriginal], of account: Account?, in transaction: PostgresTransaction
    ) throws(StoreError) -> Int {
        let key = PostgresColumns(purchases)
        let results = try transaction.run([
            key.lock("purchases"), StoredPurchase.statement(of: purchases),
            key.existing(in: ["transactions", "receipt_originals"]),
        ])
        let proven = Set(results[2].rows.compactMap { ScopedOriginal($0) })
        var owned = results[1].rows.compactMap { StoredPurchase($0) }.filter { purchase in
            account.map { purchase.binding.isOwned(by: $0) } ?? (purchase.isKnown || proven.contains(purchase.original))
        }
        guard !owned.isEmpty else { return 0 }
        var tombstones: [(purchase: ScopedOriginal, text: String)] = []
        for (scope, purchases) in Dictionary(grouping: owned, by: \.original.scope) {
            let originals = purchases.map(\.original.originalTransactionIdentifier)
            for tombstone in try self.tombstones(of: originals, in: scope, reading: transaction) {
                guard let original = tombstone.original else { continue }
                tombstones.append(
                    (ScopedOriginal(scope: scope, originalTransactionIdentifier: original), tombstone.text))
            }
        }
        for index in owned.indices {
            owned[index].binding = AccountBinding()
            owned[index].state = .forgotten(at: writer.now())
        }
        _ = try transaction.run(try deletion(of: owned.map(\.original), account: account, in: transaction))
        var statements = [
            StoredPurchase.update(owned),
            PostgresStatement("UPDATE counters SET value = value + 1 WHERE name = 'forgotten'"),
        ]
        if !tombstones.isEmpty {
            statements.append(
                PostgresColumns(tombstones.map(\.purchase))
                    .with(
                        "digest",
                        .manyBytes(tombstones.map { Array(ContentDigest.sha256(of: $0.text.utf8, kind: .batch)) })
                    )
                    .with("claims", .texts(tombstones.map(\.text))).insert(into: "tombstones", keys: 4, update: false))
        }
        transaction.lastStatements += statements
        return owned.count
    }

    /// The tombstones of original transactions. Limits don't prevent that an account is forgotten, so what exceeds them
    /// is read in parts.
    private func tombstones(
        of originals: [String], in scope: AppScope, reading transaction: PostgresTransaction
    ) throws(StoreError) -> [TransactionTombstone] {
        var tombstones: [TransactionTombstone] = []
        var parts = [originals]
        while let part = parts.popLast() {
            let requested = Set(part)
            let results = try transaction.run(EvidenceRows.statements(of: requested, scope: scope, limits: limits))
            do throws(StoreError) {
                tombstones += try EvidenceRows(results, of: requested, limits: limits)
                    .tombstones(by: verifier, for: requested, in: scope)
            } catch {
                guard error == .tooMuchEvidence else { throw error }
                guard part.count == 1, let original = part.first else {
                    parts += part.halves
                    continue
                }
                var known: [TransactionTombstone] = []
                try EvidenceRows.forEachPart(
                    of: ScopedOriginal(scope: scope, originalTransactionIdentifier: original), in: transaction
                ) { rows throws(StoreError) in
                    known = try rows.tombstones(by: verifier, for: requested, in: scope, adding: known)
                }
                tombstones += known
            }
        }
        return tombstones
    }

    /// The statements that delete everything about purchases, whose rows are locked. A receipt that is stored for other
    /// purchases too stays for those.
    private func deletion(
        of purchases: [ScopedOriginal], account: Account?, in transaction: PostgresTransaction
    ) throws(StoreError) -> [PostgresStatement] {
        let keys = PostgresColumns(purchases)
        var homes: [ScopedOriginal] = []
        var digests: [[UInt8]?] = []
        let select = keys.select(
            "DISTINCT receipt_originals.app, receipt_originals.environment, home, digest", from: "receipt_originals")
        for row in try transaction.run([select]).first?.rows ?? [] {
            guard let home = ScopedOriginal(row) else { continue }
            homes.append(home)
            digests.append(row.bytes(3))
        }
        let receipts = PostgresColumns(homes).with("digest", .manyBytes(digests))
        let tables = [
            "transactions", "renewals", "statuses", "receipt_transactions", "completions", "tombstones",
        ]
        return PostgresReceipts.removal(of: receipts, deleting: [keys.delete(from: "receipt_originals")])
            + tables.map { keys.delete(from: $0) } + keys.forgettingEvents(of: account)
    }
}

extension PostgresColumns {
    /// The statements that remove an account, or all of them, from the events of these purchases, and what
    /// notifications contain.
    fileprivate func forgettingEvents(of account: Account?) -> [PostgresStatement] {
        // The names of its other accounts, before and after this one, are theirs.
        let names = ["account", "former_account"].map { column in
            update(
                "events", set: "\(column) = NULL", where: "($4::text[] = '{}' OR \(column) = ANY($4))",
                values: [.texts(account.map { [$0.stored, $0.hash] } ?? [])])
        }
        return names + [
            // Forwarded notifications contain evidence, so they are neither kept nor sent any more.
            delete(
                from: "events", where: "events.type IS NULL",
                then: "DELETE FROM webhook_deliveries WHERE event IN (SELECT number FROM deleted)",
                returning: ["number"]),
            // The identifiers stay, so that a repetition isn't new.
            delete(
                from: "notifications",
                then: """
                    INSERT INTO notifications SELECT '', '', '', identifier, signed, received, NULL, NULL FROM deleted
                    ON CONFLICT DO NOTHING
                    """, returning: ["identifier", "signed", "received"]),
        ]
    }
}
#endif
