#if Server
import AppReceiptFoundation
import AppReceiptKit
import GRDB

// The accounts of purchases, and what was seen of a purchase.
extension SQLiteStore {
    package func purchases(of account: String) async throws(StoreError) -> [ScopedOriginal] {
        guard let account = accounts.account(account) else { return [] }
        return try await read { try Self.purchases(of: account, in: $0) }
    }

    package func purchases(ofStored account: String) async throws(StoreError) -> [ScopedOriginal] {
        guard account.isStorable else { return [] }
        return try await read { try Self.purchases(of: Account(stored: account, hash: account), in: $0) }
    }

    static func purchases(of account: Account, in database: Database) throws -> [ScopedOriginal] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT app, environment, original FROM account_bindings WHERE app_account_token IN (?1, ?2)
                UNION SELECT app, environment, original FROM account_bindings
                WHERE account IN (?1, ?2) AND app_account_token IS NULL
                """,
            arguments: [account.stored, account.hash]
        ).compactMap { ScopedOriginal($0) }.sorted()
    }

    package func accounts(of originals: [ScopedOriginal]) async throws(StoreError) -> [ScopedOriginal: String] {
        try await read { database in
            var accounts: [ScopedOriginal: String] = [:]
            for (scope, originals) in Dictionary(grouping: originals, by: \.scope) {
                let identifiers = originals.map(\.originalTransactionIdentifier).filter(\.isStorable)
                for purchase in try StoredPurchase.purchases(of: identifiers, in: scope, from: database) {
                    accounts[purchase.original] = purchase.binding.owner
                }
            }
            return accounts
        }
    }

    package func bind(
        _ original: ScopedOriginal, to account: String
    ) async throws(StoreError) -> BindingOutcome {
        guard let account = accounts.account(account) else { return .unknown }
        return try await write { [writer] database in
            guard try writer.containsEvidence(of: original, in: database) else { return BindingOutcome.unknown }
            var changes = EvidenceChanges()
            try writer.load([original], into: &changes, from: database)
            guard changes.rebind(original, to: account, because: EventCause(.request)) else { return .signed }
            try writer.record(changes, at: writer.now(), in: database)
            return .bound
        }
    }

    package func originals(of identifier: String) async throws(StoreError) -> [ScopedOriginal] {
        guard identifier.isStorable else { return [] }
        return try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT app, environment, original FROM transactions WHERE identifier = ?1
                    UNION SELECT app, environment, original FROM transactions WHERE original = ?1
                    UNION SELECT app, environment, original FROM receipt_originals WHERE original = ?1
                    UNION SELECT app, environment, original FROM receipt_transactions WHERE identifier = ?1
                    """,
                arguments: [identifier]
            ).compactMap { ScopedOriginal($0) }.sorted()
        }
    }

    package func sightings(
        of originals: [ScopedOriginal]
    ) async throws(StoreError) -> [ScopedOriginal: [EvidenceSighting]] {
        try await read { database in
            var sightings: [ScopedOriginal: [EvidenceSighting]] = [:]
            for original in originals {
                let seen = try EvidenceSighting.all(of: original, in: database)
                if !seen.isEmpty { sightings[original] = seen }
            }
            return sightings
        }
    }
}

extension EvidenceSighting {
    fileprivate static func all(of original: ScopedOriginal, in database: Database) throws -> [EvidenceSighting] {
        let match = "app = ?1 AND environment = ?2 AND original = ?3"
        return try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT 'transaction', signed, received, NULL, NULL FROM transactions WHERE \(match)
                    UNION ALL SELECT 'renewalInfo', signed, received, NULL, NULL FROM renewals WHERE \(match)
                    UNION ALL SELECT 'notification', signed, received, type, subtype FROM notifications WHERE \(match)
                    UNION ALL SELECT 'receipt', created, received, NULL, NULL FROM receipts WHERE number IN (
                        SELECT receipt FROM receipt_originals WHERE \(match))
                    ORDER BY 2 DESC, 3 DESC, 1
                    """), arguments: original.arguments
        ).compactMap { EvidenceSighting($0) }
    }

    fileprivate init?(_ row: Row) {
        guard let kind = String.fromDatabaseValue(row[0]).flatMap(EvidenceKind.init(rawValue:)),
            let signed = Int64.fromDatabaseValue(row[1]), let received = Int64.fromDatabaseValue(row[2])
        else { return nil }
        self.init(
            kind: kind, signed: signed, received: received, notificationType: String.fromDatabaseValue(row[3]),
            notificationSubtype: String.fromDatabaseValue(row[4]))
    }
}
#endif
