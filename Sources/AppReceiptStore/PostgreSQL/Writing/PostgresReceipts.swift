#if Postgres
import AppReceiptFoundation

/// The receipts that are stored for some purchases, and how a transaction changes them.
struct PostgresReceipts {
    /// The key of a receipt. Its home is its first original transaction.
    private struct Key: Hashable {
        let home: ScopedOriginal
        let digest: Data
    }

    private struct Assignment: Hashable {
        let purchase: ScopedOriginal
        let number: Int64
    }

    /// The keys of the receipts that occur, by their numbers, which have a meaning only here.
    private var keys: [Key] = []
    private var numbers: [Key: Int64] = [:]
    /// The receipts that are stored for each purchase.
    private var assigned: [ScopedOriginal: [AssignedReceipt]] = [:]
    /// The contents that decide.
    private var rows: [Int64: ReceiptRow] = [:]
    private var removed: Set<Assignment> = []
    private var added: [Assignment: AssignedReceipt] = [:]
    /// The receipts of which something was added.
    private var new: [Int64: ReceiptReplacement] = [:]

    // MARK: Loading

    /// Reads which receipts are stored for purchases.
    static func statement(of purchases: [ScopedOriginal]) -> PostgresStatement {
        let columns = ["app", "environment", "original", "home", "digest", "created", "canceled"]
        return PostgresColumns(purchases).select(
            columns.map { "receipt_originals.\($0)" }.joined(separator: ", "), from: "receipt_originals")
    }

    /// Reads the receipts whose contents decide, as ``ReceiptReplacement/numbersToRead`` does.
    static func contents(for replacements: [ReceiptReplacement]) -> PostgresStatement {
        let purchases = replacements.flatMap { replacement in
            replacement.purchases.map { (original: $0, created: replacement.row.created) }
        }
        return PostgresStatement(
            """
            SELECT receipts.app, receipts.environment, receipts.digest, receipts.created, der, receipts.original FROM (
                SELECT DISTINCT app, environment, home, digest FROM unnest(
                    $1::text[], $2::text[], $3::text[], $4::bigint[]
                ) AS keys (app, environment, original, since)
                JOIN receipt_originals USING (app, environment, original) WHERE created >= since OR canceled
            ) AS decisive JOIN receipts ON receipts.app = decisive.app AND receipts.environment = decisive.environment
            AND receipts.original = home AND receipts.digest = decisive.digest
            """,
            values: PostgresColumns(purchases.map(\.original)).values + [.integers(purchases.map(\.created))])
    }

    init() {}

    /// - Parameters:
    ///   - assignments: The result of ``statement(of:)``.
    ///   - contents: The result of ``contents(for:)``.
    init(_ assignments: PostgresResult?, contents: PostgresResult?) {
        for row in assignments?.rows ?? [] {
            guard let purchase = ScopedOriginal(row), let home = row.text(3), let digest = row.bytes(4) else {
                continue
            }
            let key = Key(
                home: ScopedOriginal(scope: purchase.scope, originalTransactionIdentifier: home), digest: Data(digest))
            assigned[purchase, default: []].append(
                AssignedReceipt(
                    original: purchase.originalTransactionIdentifier, number: number(of: key),
                    created: row.integer(5) ?? .min, hasCancellation: row.boolean(6)))
        }
        for row in contents?.rows ?? [] {
            guard let receipt = ReceiptRow(row), let home = row.text(5) else { continue }
            let key = Key(
                home: ScopedOriginal(scope: receipt.scope, originalTransactionIdentifier: home), digest: receipt.digest)
            rows[number(of: key)] = receipt
        }
    }

    private mutating func number(of key: Key) -> Int64 {
        if let number = numbers[key] { return number }
        let number = Int64(keys.count)
        keys.append(key)
        numbers[key] = number
        return number
    }

    private func withStored(_ replacement: ReceiptReplacement) -> ReceiptReplacement {
        var replacement = replacement
        replacement.stored = replacement.purchases.flatMap { assigned[$0] ?? [] }
        return replacement
    }

    // MARK: Replacing

    /// Stores a receipt for those of its original transactions that need it.
    ///
    /// - Returns: What changes.
    mutating func store(
        _ replacement: ReceiptReplacement, by verifier: StoredEvidenceVerifier
    ) -> ReceiptReplacement.Result {
        let replacement = withStored(replacement)
        let scope = replacement.row.scope
        func purchase(_ original: String) -> ScopedOriginal {
            ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
        }
        let needed = replacement.numbersToRead
        let result = replacement.result(reading: rows.filter { needed.contains($0.key) }, by: verifier)
        for receipt in result.removed {
            let assignment = Assignment(purchase: purchase(receipt.original), number: receipt.number)
            assigned[assignment.purchase]?.removeAll { $0.number == receipt.number }
            added[assignment] = nil
            removed.insert(assignment)
        }
        guard !result.added.isEmpty, let home = replacement.allOriginals.first else { return result }
        let number = number(of: Key(home: purchase(home), digest: replacement.row.digest))
        rows[number] = replacement.row
        new[number] = replacement
        for addition in result.added {
            let receipt = AssignedReceipt(
                original: addition.original, number: number, created: replacement.row.created,
                hasCancellation: addition.hasCancellation)
            let assignment = Assignment(purchase: purchase(addition.original), number: number)
            assigned[assignment.purchase, default: []].append(receipt)
            added[assignment] = receipt
            removed.remove(assignment)
        }
        return result
    }

    // MARK: Writing

    /// The statements that write the changes.
    ///
    /// - Parameter date: Returns when a receipt was received.
    func statements(receivedAt date: (ReceiptRow) -> Int64) -> [PostgresStatement] {
        var statements: [PostgresStatement] = []
        let inserted = Set(added.keys.map(\.number)).sorted()
        let contents = inserted.compactMap { rows[$0] }
        if !inserted.isEmpty, contents.count == inserted.count {
            let additions = added.map(\.self)
            let transactions = inserted.compactMap { new[$0] }.flatMap { replacement in
                replacement.listedTransactions.map { listed in
                    (
                        original: ScopedOriginal(
                            scope: replacement.row.scope, originalTransactionIdentifier: listed.original),
                        identifier: listed.identifier
                    )
                }
            }
            statements += [
                columns(of: inserted).with("created", .integers(contents.map(\.created)))
                    .with("received", .integers(contents.map(date)))
                    .with("der", .manyBytes(contents.map(\.der))).insert(into: "receipts", keys: 4, update: true),
                assignments(additions.map(\.key)).with("created", .integers(additions.map(\.value.created)))
                    .with("canceled", .booleans(additions.map(\.value.hasCancellation)))
                    .insert(into: "receipt_originals", keys: 5, update: true),
                PostgresColumns(transactions.map(\.original))
                    .with("identifier", .texts(transactions.map(\.identifier)))
                    .insert(into: "receipt_transactions", keys: 4, update: false),
            ]
        }
        guard !removed.isEmpty else { return statements }
        let receipts = Set(removed.map(\.number)).sorted()
        return statements
            + Self.removal(
                of: columns(of: receipts), deleting: [assignments(Array(removed)).delete(from: "receipt_originals")])
    }

    /// The statements that remove assignments, and the receipts that aren't stored for any purchase any more.
    ///
    /// The receipts are locked first, because another transaction may remove the last other assignment meanwhile.
    static func removal(of receipts: PostgresColumns, deleting assignments: [PostgresStatement]) -> [PostgresStatement]
    {
        [receipts.lock("receipts")] + assignments + [
            receipts.delete(
                from: "receipts",
                where: """
                    NOT EXISTS (
                        SELECT 1 FROM receipt_originals AS other WHERE other.app = receipts.app
                        AND other.environment = receipts.environment AND other.home = receipts.original
                        AND other.digest = receipts.digest)
                    """)
        ]
    }

    private func columns(of numbers: [Int64]) -> PostgresColumns {
        let keys = numbers.map { self.keys[Int($0)] }
        return PostgresColumns(keys.map(\.home)).with("digest", .manyBytes(keys.map { Array($0.digest) }))
    }

    private func assignments(_ assignments: [Assignment]) -> PostgresColumns {
        let keys = assignments.map { self.keys[Int($0.number)] }
        return PostgresColumns(assignments.map(\.purchase))
            .with("home", .texts(keys.map(\.home.originalTransactionIdentifier)))
            .with("digest", .manyBytes(keys.map { Array($0.digest) }))
    }
}
#endif
