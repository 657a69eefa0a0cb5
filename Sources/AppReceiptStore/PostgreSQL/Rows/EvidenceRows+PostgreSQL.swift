#if Postgres
import AppReceiptFoundation

extension EvidenceRows {
    /// The number of statements that read the rows of some original transactions.
    static let postgresStatementCount = 5

    /// The statements that read the rows of these original transactions, in one round trip.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: Their app and environment.
    ///   - digest: The digest of a receipt that is left out; nil for none.
    ///   - limits: The limits of the store.
    static func statements(
        of originals: Set<String>, scope: AppScope, excluding digest: Data? = nil, limits: StoreLimits
    ) -> [PostgresStatement] {
        let values = scope.postgresValues + [.texts(originals.filter(\.isStorable).sorted())]
        // One more row than the limit shows whether rows are left out.
        let perOriginal = Int64(bounded(limits.maxTransactionsPerOriginal)) + 1
        let total = Int64(bounded(limits.maxTransactionsPerReceipt) + originals.count) + 1
        let transactions = PostgresStatement(
            """
            SELECT newest.* FROM unnest($3::text[]) AS keys (original) CROSS JOIN LATERAL (
                SELECT app, environment, original, \(TransactionRow.postgresColumns) FROM transactions
                WHERE app = $1 AND environment = $2 AND original = keys.original
                ORDER BY revoked DESC, ended DESC, signed DESC, identifier DESC LIMIT $4
            ) AS newest LIMIT $5
            """, values: values + [.integer(perOriginal), .integer(total)])
        let tokens = [TokenRow.Table.renewals, .statuses].map { table in
            PostgresStatement(
                """
                SELECT app, environment, original, signed, token FROM \(table.rawValue)
                WHERE app = $1 AND environment = $2 AND original = ANY($3)
                """, values: values)
        }
        let tombstones = PostgresStatement(
            "SELECT claims FROM tombstones WHERE app = $1 AND environment = $2 AND original = ANY($3)", values: values)
        let receipts = PostgresStatement(
            """
            SELECT receipts.app, receipts.environment, receipts.digest, receipts.created, der FROM (
                SELECT DISTINCT home, digest FROM receipt_originals
                WHERE app = $1 AND environment = $2 AND original = ANY($3) AND digest IS DISTINCT FROM $4 LIMIT $5
            ) AS keys JOIN receipts ON receipts.app = $1 AND receipts.environment = $2 AND receipts.original = home
            AND receipts.digest = keys.digest
            """,
            values: values + [
                .bytes(digest.map { Array($0) }), .integer(Int64(limits.maxReceiptsPerReceipt) + 1),
            ])
        return [transactions] + tokens + [tombstones, receipts]
    }

    /// Creates the rows from the results of ``statements(of:scope:excluding:limits:)``.
    ///
    /// - Throws: `tooMuchEvidence` if the rows that are needed exceed a limit.
    init(
        _ results: some Collection<PostgresResult>, of originals: Set<String>, limits: StoreLimits
    ) throws(StoreError) {
        let results = Array(results)
        guard results.count == Self.postgresStatementCount else { throw .failed }
        guard results[0].count <= Self.bounded(limits.maxTransactionsPerReceipt) + originals.count,
            results[4].count <= limits.maxReceiptsPerReceipt
        else { throw .tooMuchEvidence }
        transactions = try Self.limited(
            results[0].rows.compactMap { TransactionRow($0) },
            perOriginal: Self.bounded(limits.maxTransactionsPerOriginal))
        guard transactions.count <= Self.bounded(limits.maxTransactionsPerReceipt) else { throw .tooMuchEvidence }
        renewals = results[1].rows.compactMap { TokenRow($0, of: .renewals) }
        statuses = results[2].rows.compactMap { TokenRow($0, of: .statuses) }
        tombstones = results[3].rows.compactMap { $0.text(0) }
        receipts = results[4].rows.compactMap { ReceiptRow($0) }
    }

    private static let maxTransactionsPerPart = 500
    private static let maxReceiptsPerPart = 16

    /// Reads the transactions, receipts and tombstones of an original transaction without limits, in parts.
    static func forEachPart(
        of original: ScopedOriginal, in transaction: PostgresTransaction,
        _ body: (EvidenceRows) throws(StoreError) -> Void
    ) throws(StoreError) {
        let match = "app = $1 AND environment = $2 AND original = $3"
        var part = EvidenceRows()
        part.tombstones = try transaction.run(
            "SELECT claims FROM tombstones WHERE \(match)", values: original.postgresValues
        ).rows.compactMap { $0.text(0) }
        try body(part)
        var last: PostgresValue? = .text("")
        while let after = last {
            let rows = try transaction.run(
                """
                SELECT app, environment, original, \(TransactionRow.postgresColumns) FROM transactions
                WHERE \(match) AND identifier > $4 ORDER BY identifier LIMIT \(maxTransactionsPerPart)
                """, values: original.postgresValues + [after]
            ).rows.compactMap { TransactionRow($0) }
            last = rows.last.map { .text($0.identifier) }
            part = EvidenceRows()
            part.transactions = rows
            try body(part)
        }
        last = .bytes([])
        while let after = last {
            let rows = try transaction.run(
                """
                SELECT receipts.app, receipts.environment, receipts.digest, receipts.created, der FROM receipt_originals
                JOIN receipts USING (app, environment, digest)
                WHERE app = $1 AND environment = $2 AND receipt_originals.original = $3 AND receipts.original = home
                AND digest > $4 ORDER BY digest LIMIT \(maxReceiptsPerPart)
                """, values: original.postgresValues + [after]
            ).rows.compactMap { ReceiptRow($0) }
            last = rows.last.map { .bytes(Array($0.digest)) }
            part = EvidenceRows()
            part.receipts = rows
            try body(part)
        }
    }
}
#endif
