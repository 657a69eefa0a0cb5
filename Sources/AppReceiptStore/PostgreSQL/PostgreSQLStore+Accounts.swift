#if Postgres
import AppReceiptKit

// The accounts of purchases, and what was seen of a purchase.
extension PostgreSQLStore {
    package func purchases(of account: String) async throws(StoreError) -> [ScopedOriginal] {
        guard let account = accounts.account(account) else { return [] }
        return try await purchases(of: account)
    }

    package func purchases(ofStored account: String) async throws(StoreError) -> [ScopedOriginal] {
        guard account.isStorable else { return [] }
        return try await purchases(of: Account(stored: account, hash: account))
    }

    private func purchases(of account: Account) async throws(StoreError) -> [ScopedOriginal] {
        try await read(
            """
            SELECT app, environment, original FROM purchases WHERE app_account_token IN ($1, $2)
            UNION SELECT app, environment, original FROM purchases
            WHERE account IN ($1, $2) AND app_account_token IS NULL
            """, values: [.text(account.stored), .text(account.hash)]
        ).rows.compactMap { ScopedOriginal($0) }.sorted()
    }

    package func accounts(of originals: [ScopedOriginal]) async throws(StoreError) -> [ScopedOriginal: String] {
        let statement = StoredPurchase.statement(of: originals.filter(\.originalTransactionIdentifier.isStorable))
        return try await read(statement.sql, values: statement.values).rows.compactMap { StoredPurchase($0) }
            .reduce(into: [:]) { $0[$1.original] = $1.binding.owner }
    }

    package func bind(_ original: ScopedOriginal, to account: String) async throws(StoreError) -> BindingOutcome {
        guard let account = accounts.account(account), original.originalTransactionIdentifier.isStorable else {
            return .unknown
        }
        return try await write { [writer] transaction throws(StoreError) in
            let key = PostgresColumns([original])
            // A purchase with evidence has a row.
            let results = try transaction.run([
                key.lock("purchases"), key.existing(in: ["transactions", "receipt_originals"]),
                StoredPurchase.statement(of: [original]),
            ])
            guard results[1].count > 0 else { return BindingOutcome.unknown }
            var changes = EvidenceChanges()
            changes[original] = results[2].first.flatMap { StoredPurchase($0) } ?? StoredPurchase(original: original)
            guard changes.rebind(original, to: account, because: EventCause(.request)) else { return .signed }
            try writer.record([changes], at: writer.now(), in: transaction)
            return .bound
        }
    }

    package func originals(of identifier: String) async throws(StoreError) -> [ScopedOriginal] {
        guard identifier.isStorable else { return [] }
        let match = "app = purchases.app AND environment = purchases.environment AND original = purchases.original"
        return try await read(
            """
            SELECT app, environment, original FROM transactions WHERE identifier = $1
            UNION SELECT app, environment, original FROM receipt_transactions WHERE identifier = $1
            UNION SELECT app, environment, original FROM purchases WHERE original = $1
            AND (EXISTS (SELECT 1 FROM transactions WHERE \(match)) OR EXISTS (SELECT 1 FROM receipt_originals WHERE \(match)))
            """, values: [.text(identifier)]
        ).rows.compactMap { ScopedOriginal($0) }.sorted()
    }

    package func sightings(
        of originals: [ScopedOriginal]
    ) async throws(StoreError) -> [ScopedOriginal: [EvidenceSighting]] {
        try state.checkOpen()
        let results = try await readers.read(originals.map(Self.sightings))
        var sightings: [ScopedOriginal: [EvidenceSighting]] = [:]
        for (original, result) in zip(originals, results) where result.count > 0 {
            sightings[original] = result.rows.compactMap { EvidenceSighting($0) }
        }
        return sightings
    }

    private static func sightings(of original: ScopedOriginal) -> PostgresStatement {
        let match = "app = $1 AND environment = $2 AND original = $3"
        return PostgresStatement(
            """
            SELECT 'transaction', signed, received, NULL, NULL FROM transactions WHERE \(match)
            UNION ALL SELECT 'renewalInfo', signed, received, NULL, NULL FROM renewals WHERE \(match)
            UNION ALL SELECT 'notification', signed, received, type, subtype FROM notifications WHERE \(match)
            UNION ALL SELECT 'receipt', receipts.created, receipts.received, NULL, NULL FROM receipt_originals AS own
            JOIN receipts ON receipts.app = own.app AND receipts.environment = own.environment
            AND receipts.original = own.home AND receipts.digest = own.digest
            WHERE own.app = $1 AND own.environment = $2 AND own.original = $3
            ORDER BY 2 DESC, 3 DESC, 1
            """, values: original.postgresValues)
    }
}

extension EvidenceSighting {
    fileprivate init?(_ row: PostgresRow) {
        guard let kind = row.text(0).flatMap(EvidenceKind.init(rawValue:)), let signed = row.integer(1),
            let received = row.integer(2)
        else { return nil }
        self.init(
            kind: kind, signed: signed, received: received, notificationType: row.text(3),
            notificationSubtype: row.text(4))
    }
}
#endif
