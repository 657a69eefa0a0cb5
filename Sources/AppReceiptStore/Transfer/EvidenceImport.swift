#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData

/// What became of the rows of an import.
package struct ImportResult: Sendable, Hashable {
    /// The numbers of rows of each kind that changed something.
    package var stored: [StoredRow.Kind: Int] = [:]
    /// The numbers of rows of each kind that were known, or are older than what is known.
    package var known: [StoredRow.Kind: Int] = [:]
    /// The number of rows about purchases that the database forgot after they were received.
    package var forgotten = 0
    /// The positions of the rows that don't verify, and why.
    package var rejected: [Int: StoredRowVerifier.Rejection] = [:]

    package init() {}

    mutating func count(_ kind: StoredRow.Kind, isNew: Bool, rows: Int = 1) {
        guard rows > 0 else { return }
        if isNew { stored[kind, default: 0] += rows } else { known[kind, default: 0] += rows }
    }

    /// Adds the result of another page, without the rejected rows.
    package mutating func add(_ other: ImportResult) {
        stored.merge(other.stored, uniquingKeysWith: +)
        known.merge(other.known, uniquingKeysWith: +)
        forgotten += other.forgotten
    }
}

/// Whether rows of another database can be imported.
package enum ImportPreparation: Sendable, Hashable {
    /// The accounts and events are those of the other database: everything is imported. An open store has to be opened
    /// again, because the names of its accounts may have changed.
    case everything
    /// The database has evidence of its own: only evidence and accounts are imported.
    case evidence
    /// The accounts are hashes that this database can't compare.
    case otherAccounts
}

/// The import of rows in one commit, by the rules of recording: newer evidence replaces older, and a revocation stays.
///
/// No event is recorded. A purchase with new evidence is compared with what was reported of it when events are recorded
/// that are due: what is reported already isn't reported again.
///
/// An engine loads the purchases, stores the receipts, loads the stored rows, and stores what ``run()`` adds.
struct EvidenceImport: Sendable {
    /// A row, and when a server received it.
    struct Received<Row: Sendable>: Sendable {
        let row: Row
        let date: Int64
    }

    private let rows: [VerifiedRow]
    private let accounts: Accounts
    private let verifier: StoredEvidenceVerifier
    private let limits: StoreLimits
    /// The current time.
    private let date: Int64
    /// The purchases that were loaded, as the import changes them.
    private var purchases: [ScopedOriginal: StoredPurchase] = [:]
    /// The purchases that change.
    private var changed: Set<ScopedOriginal> = []

    /// The stored rows, with those that are added.
    var stored = StoredRows()
    /// The tombstones that are stored among ``tombstones``.
    var knownTombstones: Set<Tombstone> = []
    private(set) var transactions: [Received<TransactionRow>] = []
    private(set) var tokens: [Received<TokenRow>] = []
    private(set) var notifications: [Received<NotificationRow>] = []
    /// The tombstones that aren't stored.
    private(set) var newTombstones: [Tombstone] = []
    private(set) var result: ImportResult

    /// A tombstone.
    struct Tombstone: Sendable, Hashable {
        let original: ScopedOriginal
        let claims: String
    }

    /// - Parameters:
    ///   - rows: The rows.
    ///   - result: The rows that were rejected.
    init(
        _ rows: [VerifiedRow], result: ImportResult, accounts: Accounts, verifier: StoredEvidenceVerifier,
        limits: StoreLimits, at date: Int64
    ) {
        self.rows = rows
        self.result = result
        self.accounts = accounts
        self.verifier = verifier
        self.limits = limits
        self.date = date
    }

    /// Verifies rows.
    ///
    /// - Returns: Those that verify, and the positions of the others.
    static func verified(
        _ rows: [StoredRow], by verifier: StoredEvidenceVerifier
    ) -> (rows: [VerifiedRow], result: ImportResult) {
        var (verified, result): ([VerifiedRow], ImportResult) = ([], ImportResult())
        for (index, row) in rows.enumerated() {
            do throws(StoredRowVerifier.Rejection) {
                verified.append(try StoredRowVerifier(verifier).verified(row))
            } catch {
                result.rejected[index] = error
            }
        }
        return (verified, result)
    }

    // MARK: Rows to load

    /// The purchases that the rows are about.
    var originals: Set<ScopedOriginal> {
        rows.reduce(into: []) { originals, row in
            switch row {
            case .purchase(let purchase): originals.insert(purchase.original)
            case .tombstone(let original, _): originals.insert(original)
            case .transaction(let row, _, _): originals.insert(row.original)
            case .token(let row, _): originals.insert(row.original)
            case .receipt(let receipt, let own, _):
                guard let scope = AppScope(app: receipt.bundleIdentifier, receipt.environment) else { return }
                originals.formUnion(own.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) })
            case .notification(let row, _): if let purchase = row.purchase { originals.insert(purchase) }
            case .state: break
            }
        }
    }

    var transactionRows: [TransactionRow] {
        rows.compactMap { if case .transaction(let row, _, _) = $0 { row } else { nil } }
    }

    var tokenRows: [TokenRow] { rows.compactMap { if case .token(let row, _) = $0 { row } else { nil } } }

    var notificationRows: [NotificationRow] {
        rows.compactMap { if case .notification(let row, _) = $0 { row } else { nil } }
    }

    var tombstones: [Tombstone] {
        rows.compactMap {
            if case .tombstone(let original, let claims) = $0 {
                Tombstone(original: original, claims: claims)
            } else {
                nil
            }
        }
    }

    /// The rows that are stored as they are, by kind, with the accounts as this database names them.
    var stateRows: [StoredRow.Kind: [StoredRow]] {
        let rows = rows.compactMap { if case .state(let row) = $0 { row } else { nil } }
        return Dictionary(grouping: rows.map { $0.renamingAccounts { storedName($0) } }, by: \.kind)
    }

    private func storedName(_ account: String) -> String {
        accounts.areHashed ? accounts.hash(ofStored: account) : account
    }

    // MARK: Purchases

    /// Merges the rows of purchases with those that are stored.
    ///
    /// - Parameter known: The stored purchases among ``originals``.
    mutating func load(_ known: [StoredPurchase]) {
        for original in originals { purchases[original] = StoredPurchase(original: original) }
        for purchase in known { purchases[purchase.original] = purchase }
        for case .purchase(var purchase) in rows {
            let known = self[purchase.original]
            purchase.binding.token = purchase.binding.token.map(storedName)
            purchase.binding.account = purchase.binding.account.map(storedName)
            let merged = known.merged(with: purchase)
            purchases[purchase.original] = merged
            if merged != known { changed.insert(purchase.original) }
            result.count(.purchase, isNew: merged != known)
        }
    }

    private subscript(original: ScopedOriginal) -> StoredPurchase {
        purchases[original] ?? StoredPurchase(original: original)
    }

    /// Whether evidence isn't stored because the database forgot its purchase after it was received. A revocation is.
    private func isForgotten(_ original: ScopedOriginal, received: Int64, hasRevocation: Bool) -> Bool {
        !hasRevocation && received < self[original].state.forgotten ?? .min
    }

    /// The purchases that change.
    var changedPurchases: [StoredPurchase] { changed.sorted().map { self[$0] } }

    /// Has a purchase compared with what was reported of it.
    private mutating func touch(_ original: ScopedOriginal) {
        var purchase = self[original]
        purchase.state.makeDue(at: date)
        guard purchase != self[original] else { return }
        purchases[original] = purchase
        changed.insert(original)
    }

    // MARK: Receipts

    /// The receipts to store, and when they were received.
    var receipts: [Received<ReceiptReplacement>] {
        rows.compactMap { row in
            guard case .receipt(let receipt, let originals, let received) = row,
                var replacement = ReceiptReplacement(receipt, limits: limits), replacement.isStored
            else { return nil }
            let canceled = ReceiptRetention.ListedReceipt(receipt)
            replacement.restrict(
                to: replacement.purchases.filter { purchase in
                    let identifier = purchase.originalTransactionIdentifier
                    return originals.contains(identifier)
                        && !isForgotten(
                            purchase, received: received,
                            hasRevocation: canceled.hasCancellation(of: identifier))
                }.map(\.originalTransactionIdentifier))
            return Received(row: replacement, date: received)
        }
    }

    /// Counts a receipt.
    ///
    /// - Parameters:
    ///   - receipt: One of ``receipts``.
    ///   - isNew: Whether an original transaction needs it and didn't have it.
    mutating func count(_ receipt: ReceiptReplacement, isNew: Bool) {
        guard !receipt.originals.isEmpty else { return result.forgotten += 1 }
        if isNew { for purchase in receipt.purchases { touch(purchase) } }
        result.count(.receipt, isNew: isNew)
    }

    // MARK: The rest

    /// Determines the rows to store.
    mutating func run() {
        for row in rows {
            switch row {
            case .transaction(let row, let transaction, let received):
                guard !isForgotten(row.original, received: received, hasRevocation: row.isRevoked) else {
                    result.forgotten += 1
                    continue
                }
                let isNew = row.replaces(stored.transactions[row.key], with: transaction, by: verifier)
                result.count(.transaction, isNew: isNew)
                guard isNew else { continue }
                stored.transactions[row.key] = row
                transactions.append(Received(row: row, date: received))
                touch(row.original)
            case .token(let row, let received):
                guard !isForgotten(row.original, received: received, hasRevocation: false) else {
                    result.forgotten += 1
                    continue
                }
                let isNew = row.replaces(stored.tokens[row.key], by: verifier)
                result.count(row.table == .renewals ? .renewal : .status, isNew: isNew)
                guard isNew else { continue }
                stored.tokens[row.key] = row
                tokens.append(Received(row: row, date: received))
                touch(row.original)
            case .notification(let row, let received): add(row, received: received)
            case .tombstone(let original, let claims):
                let tombstone = Tombstone(original: original, claims: claims)
                let isNew = knownTombstones.insert(tombstone).inserted
                result.count(.tombstone, isNew: isNew)
                guard isNew else { continue }
                newTombstones.append(tombstone)
                touch(original)
            case .purchase, .receipt, .state: break
            }
        }
    }

    private mutating func add(_ notification: NotificationRow, received: Int64) {
        let isNew = stored.notifications.insert(notification.identifier).inserted
        result.count(.notification, isNew: isNew)
        guard isNew else { return }
        // Only the identifier stays of a forgotten purchase, so that a repetition isn't new.
        let isOutdated = notification.purchase.map { isForgotten($0, received: received, hasRevocation: false) }
        notifications.append(
            Received(row: isOutdated == true ? notification.forgotten : notification, date: received))
    }

    /// Counts rows that were stored as they are.
    mutating func count(_ kind: StoredRow.Kind, stored count: Int, of total: Int) {
        result.count(kind, isNew: true, rows: count)
        result.count(kind, isNew: false, rows: total - count)
    }
}

extension StoredRow {
    /// The row of an event with other names of its accounts.
    fileprivate func renamingAccounts(_ name: (String) -> String) -> StoredRow {
        guard kind == .event else { return self }
        return StoredRow(
            kind,
            values: zip(kind.columns, values).map { column, value in
                guard ["account", "formerAccount"].contains(column.name), case .text(let account) = value else {
                    return value
                }
                return .text(name(account))
            })
    }
}

extension NotificationRow {
    /// The identity of the notification alone.
    fileprivate var forgotten: NotificationRow {
        NotificationRow(
            identifier: identifier, signed: signed, type: nil, subtype: nil, original: nil, app: nil, environment: nil,
            uuid: uuid, hasRevocation: false)
    }
}

extension StoredPurchase {
    /// Merges the purchase with that of another database.
    ///
    /// What was forgotten stays forgotten, unless a later token names an account. The first account that submitted the
    /// purchase, and what was reported of it, are this database's, if it has them.
    fileprivate func merged(with other: StoredPurchase) -> StoredPurchase {
        var merged = self
        if let forgotten = state.forgotten, state.isForgotten {
            if other.binding.tokenSigned > forgotten { merged.binding.mergeToken(of: other.binding) }
            return merged
        }
        if other.state.isForgotten {
            guard binding.owner == nil, state.entitlements.isEmpty else { return merged }
            merged.state = other.state
            merged.binding.mergeToken(of: other.binding)
            return merged
        }
        merged.binding.mergeToken(of: other.binding)
        merged.binding.account = binding.account ?? other.binding.account
        if state.entitlements.isEmpty {
            merged.state = other.state
            if let due = state.due { merged.state.makeDue(at: due) }
        }
        return merged
    }
}
#endif
