#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import GRDB

extension SQLiteWriter {
    /// Records the events of what a write changed.
    ///
    /// Each purchase is compared with what was reported last, so nothing is reported twice, in any order of arrival.
    func recordEvents(of changes: EvidenceChanges, in database: Database) throws {
        for (scope, cause) in changes.rescinded {
            try insert(.consentRescinded, in: scope, cause: cause, into: database)
        }
        // First, so that a purchase without an account has one before it changes, and what is new isn't transferred.
        for (original, transfer) in changes.transferred.sorted(by: { $0.key < $1.key }) {
            guard case .reported(let reported) = try state(of: original, in: database) else { continue }
            for entitlement in reported {
                try insert(
                    .transferred, of: original, from: entitlement, to: entitlement, in: original.scope,
                    formerAccount: transfer.formerAccount, cause: transfer.cause, into: database)
            }
        }
        let date = Date(timeIntervalSince1970: Double(now()) / 1000)
        try recordChanges(
            of: changes.touched, submitted: changes.submitted, at: date, isByTime: false, in: database)
    }

    /// Stores a notification to forward.
    ///
    /// - Parameters:
    ///   - body: What is forwarded.
    ///   - original: The original transaction that it is about; nil for none.
    ///   - scope: The app and environment.
    ///   - cause: The notification.
    ///   - database: The database.
    func forward(
        _ body: [UInt8], about original: String?, in scope: AppScope, because cause: EventCause, in database: Database
    ) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO events (app, environment, original, date, cause, notification_type, notification_uuid, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: scope.arguments + [
                original, now(), cause.kind.rawValue, cause.notificationType, cause.notificationUUID, Data(body),
            ])
    }

    /// Records what only time changed.
    ///
    /// - Parameters:
    ///   - date: The current time.
    ///   - limit: The largest number of purchases.
    ///   - database: The database.
    /// - Returns: When the next change is due; nil for never.
    func recordDueEvents(until date: Date, limit: Int, in database: Database) throws -> Int64? {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT app, environment, original FROM purchase_states WHERE due <= ? ORDER BY due LIMIT ?",
            arguments: [date.milliseconds ?? 0, limit])
        // Otherwise a row that can't be read would be due forever.
        for row in rows {
            try database.cachedStatement(
                sql: "UPDATE purchase_states SET due = ? WHERE app = ? AND environment = ? AND original = ?"
            ).execute(
                arguments: [
                    (date + Self.pause).milliseconds, row[0] as DatabaseValue, row[1] as DatabaseValue,
                    row[2] as DatabaseValue,
                ])
        }
        let due = rows.compactMap { ScopedOriginal($0) }
        try recordChanges(
            of: Dictionary(due.map { ($0, EventCause(.time)) }, uniquingKeysWith: { first, _ in first }),
            submitted: [], at: date, isByTime: true, in: database)
        return try Int64.fetchOne(database, sql: "SELECT MIN(due) FROM purchase_states WHERE due IS NOT NULL")
    }

    /// - Parameters:
    ///   - touched: The purchases, and why they may have changed.
    ///   - submitted: Those that an account submits, so that they are reported even if they were forgotten.
    ///   - date: The current time.
    ///   - isByTime: Whether only time may have changed them.
    ///   - database: The database.
    private func recordChanges(
        of touched: [ScopedOriginal: EventCause], submitted: Set<ScopedOriginal>, at date: Date, isByTime: Bool,
        in database: Database
    ) throws {
        for (scope, purchases) in Dictionary(grouping: touched.keys, by: \.scope).sorted(by: { $0.key < $1.key }) {
            var states = try states(of: purchases.map(\.originalTransactionIdentifier), in: scope, from: database)
            let purchases = purchases.filter { purchase in
                if case .forgotten = states[purchase.originalTransactionIdentifier] {
                    return submitted.contains(purchase)
                }
                return true
            }.sorted()
            guard !purchases.isEmpty else { continue }
            let originals = Set(purchases.map(\.originalTransactionIdentifier))
            guard let current = try current(originals, in: scope, at: date, from: database) else {
                guard purchases.count > 1 else {
                    // The evidence can't be read now. The purchase stays as it was reported.
                    try postpone(purchases[0], until: date + Self.pause, in: database)
                    continue
                }
                // One purchase doesn't hide the changes of others.
                let middle = purchases.count / 2
                for part in [purchases[..<middle], purchases[middle...]] {
                    let pairs = part.compactMap { purchase in touched[purchase].map { (purchase, $0) } }
                    try recordChanges(
                        of: Dictionary(pairs, uniquingKeysWith: { first, _ in first }), submitted: submitted, at: date,
                        isByTime: isByTime, in: database)
                }
                continue
            }
            for original in purchases {
                let identifier = original.originalTransactionIdentifier
                guard let cause = touched[original], let entitlements = current.purchases.byOriginal[identifier] else {
                    // Its evidence doesn't verify under the current roots, or there is none of a transaction.
                    if isByTime || current.hasSkippedRows {
                        try postpone(original, until: date + Self.pause, in: database)
                    }
                    continue
                }
                var known = states.removeValue(forKey: identifier)?.entitlements ?? []
                for after in entitlements.map({ ReportedEntitlement($0) }) {
                    let position = after.position(in: known)
                    let before = position.map { known[$0] }
                    for type in EntitlementChange.types(from: before, to: after, isByTime: isByTime) {
                        try insert(
                            type, of: original, from: before, to: after, in: scope, date: current.purchases.date,
                            cause: cause, into: database)
                    }
                    if let position {
                        known[position] = after
                    } else if after.state != .notStarted {
                        known.append(after)
                    }
                }
                try store(known, due: current.purchases.nextChanges[identifier], of: original, in: database)
            }
        }
    }

    /// When a purchase whose evidence can't be read is read again.
    private static let pause: Double = 3600

    /// The entitlements of purchases now, and whether stored evidence doesn't verify; nil if it can't be read.
    private func current(
        _ originals: Set<String>, in scope: AppScope, at date: Date, from database: Database
    ) throws -> (purchases: PurchaseEntitlements, hasSkippedRows: Bool)? {
        do {
            let stored = try EvidenceRows(of: originals, scope: scope, limits: limits, in: database)
                .verified(by: evidence, for: originals, in: scope)
            let ledger = PurchaseLedger(
                stored.evidence, app: scope.app, environment: scope.environment, originals: originals)
            return (PurchaseEntitlements(ledger, now: date), stored.skippedRows > 0)
        } catch let error as StoreError where error == .tooMuchEvidence || error == .untrustedRevocation {
            return nil
        }
    }

    /// What was reported of a purchase.
    private enum PurchaseState {
        /// The entitlements that were reported last.
        case reported([ReportedEntitlement])
        /// Its account was forgotten, and no account submitted it since.
        case forgotten

        var entitlements: [ReportedEntitlement] {
            if case .reported(let entitlements) = self { entitlements } else { [] }
        }
    }

    private func state(of original: ScopedOriginal, in database: Database) throws -> PurchaseState? {
        let identifier = original.originalTransactionIdentifier
        return try states(of: [identifier], in: original.scope, from: database)[identifier]
    }

    /// Whether nothing is reported of a purchase until an account submits it.
    func isForgotten(_ original: ScopedOriginal, in database: Database) throws -> Bool {
        if case .forgotten = try state(of: original, in: database) { true } else { false }
    }

    /// Whether a purchase was forgotten after a date, and no account has submitted it since.
    func wasForgotten(_ original: ScopedOriginal, after date: Int64, in database: Database) throws -> Bool {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT 1 FROM purchase_states WHERE app = ? AND environment = ? AND original = ? AND forgotten > ?
                    """),
            arguments: original.arguments + [date]) != nil
    }

    /// The states of the purchases that have one, by original transaction.
    private func states(
        of originals: [String], in scope: AppScope, from database: Database
    ) throws -> [String: PurchaseState] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT original, entitlements FROM json_each(?) AS requested CROSS JOIN purchase_states
                    ON app = ? AND environment = ? AND original = requested.value
                    """),
            arguments: [originals.sorted().jsonArray] + scope.arguments)
        var states: [String: PurchaseState] = [:]
        for row in rows {
            guard let original = String.fromDatabaseValue(row[0]) else { continue }
            guard let text = String.fromDatabaseValue(row[1]) else {
                states[original] = .forgotten
                continue
            }
            let values = (try? AppStoreJSON(parsing: Array(text.utf8)[...]))?.array
            states[original] = values.map { .reported($0.map { ReportedEntitlement(stored: $0) }) }
        }
        return states
    }

    private func store(
        _ entitlements: [ReportedEntitlement], due: Date?, of original: ScopedOriginal, in database: Database
    ) throws {
        let text = String(decoding: AppStoreJSON.array(entitlements.map(\.json)).text(), as: UTF8.self)
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO purchase_states (app, environment, original, entitlements, due)
                VALUES (?, ?, ?, ?, ?)
                """
        ).execute(arguments: original.arguments + [text, due?.milliseconds])
    }

    /// Has a purchase read again. One that wasn't reported yet has its first events then.
    private func postpone(_ original: ScopedOriginal, until date: Date, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO purchase_states (app, environment, original, entitlements, due) VALUES (?, ?, ?, '[]', ?)
                ON CONFLICT DO UPDATE
                SET due = excluded.due, entitlements = COALESCE(entitlements, '[]'), forgotten = NULL
                """,
            arguments: original.arguments + [date.milliseconds])
    }

    private func insert(
        _ type: EntitlementEventType, of original: ScopedOriginal? = nil, from before: ReportedEntitlement? = nil,
        to after: ReportedEntitlement? = nil, in scope: AppScope, date: Date? = nil, formerAccount: String? = nil,
        cause: EventCause, into database: Database
    ) throws {
        let account = try original.flatMap { try AccountBinding(of: $0, from: database).owner }
        let texts = [before, after].map { $0.map { String(decoding: $0.json.text(), as: UTF8.self) } }
        try database.cachedStatement(
            sql: """
                INSERT INTO events (app, environment, original, product, account, former_account, type, date, before,
                    after, cause, notification_type, notification_uuid)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: scope.arguments + [
                original?.originalTransactionIdentifier, after?.product, account, formerAccount, type.rawValue,
                date?.milliseconds ?? now(), texts[0], texts[1], cause.kind.rawValue, cause.notificationType,
                cause.notificationUUID,
            ])
    }
}
#endif
