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
        let date = Date(timeIntervalSince1970: Double(now()) / 1000)
        try recordChanges(of: changes.touched, at: date, isByTime: false, in: database)
        for (original, cause) in changes.transferred.sorted(by: { $0.key < $1.key }) {
            guard
                let reported = try reported(
                    [original.originalTransactionIdentifier], in: original.scope, from: database)[
                        original.originalTransactionIdentifier]
            else { continue }
            for entitlement in reported {
                try insert(
                    .transferred, of: original, from: entitlement, to: entitlement, in: original.scope, cause: cause,
                    into: database)
            }
        }
    }

    /// Stores a notification to forward.
    func forward(_ body: [UInt8], in scope: AppScope, because cause: EventCause, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO events (app, environment, date, cause, notification_type, notification_uuid, body)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: scope.arguments + [
                now(), cause.kind.rawValue, cause.notificationType, cause.notificationUUID, Data(body),
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
        let due = try Row.fetchAll(
            database,
            sql: "SELECT app, environment, original FROM purchase_states WHERE due <= ? ORDER BY due LIMIT ?",
            arguments: [date.milliseconds ?? 0, limit]
        ).compactMap { ScopedOriginal($0) }
        try recordChanges(
            of: Dictionary(due.map { ($0, EventCause(.time)) }, uniquingKeysWith: { first, _ in first }),
            at: date, isByTime: true, in: database)
        return try Int64.fetchOne(database, sql: "SELECT MIN(due) FROM purchase_states WHERE due IS NOT NULL")
    }

    private func recordChanges(
        of touched: [ScopedOriginal: EventCause], at date: Date, isByTime: Bool, in database: Database
    ) throws {
        for (scope, purchases) in Dictionary(grouping: touched.keys, by: \.scope).sorted(by: { $0.key < $1.key }) {
            let originals = purchases.map(\.originalTransactionIdentifier).sorted()
            guard let current = try current(Set(originals), in: scope, at: date, from: database) else {
                // One purchase doesn't hide the changes of others.
                for purchase in purchases where purchases.count > 1 {
                    try recordChanges(
                        of: touched.filter { $0.key == purchase }, at: date, isByTime: isByTime, in: database)
                }
                // The evidence can't be read now. The purchase stays as it was reported.
                if isByTime, purchases.count == 1 {
                    try postpone(originals, in: scope, until: date + 3600, from: database)
                }
                continue
            }
            var reported = try reported(originals, in: scope, from: database)
            for identifier in originals {
                let original = ScopedOriginal(scope: scope, originalTransactionIdentifier: identifier)
                guard let cause = touched[original], let entitlements = current.byOriginal[identifier] else {
                    // Its evidence doesn't verify under the current roots.
                    if isByTime { try postpone([identifier], in: scope, until: date + 3600, from: database) }
                    continue
                }
                var known = reported.removeValue(forKey: identifier) ?? []
                for after in entitlements.map({ ReportedEntitlement($0) }) {
                    let position = known.firstIndex { $0.key == after.key }
                    let before = position.map { known[$0] }
                    for type in EntitlementChange.types(from: before, to: after, isByTime: isByTime) {
                        try insert(
                            type, of: original, from: before, to: after, in: scope, date: current.date, cause: cause,
                            into: database)
                    }
                    if let position {
                        known[position] = after
                    } else if after.state != .notStarted {
                        known.append(after)
                    }
                }
                try store(known, due: current.nextChanges[identifier], of: original, in: database)
            }
        }
    }

    /// The entitlements of purchases now; nil if their evidence can't be read.
    private func current(
        _ originals: Set<String>, in scope: AppScope, at date: Date, from database: Database
    ) throws -> PurchaseEntitlements? {
        do {
            let stored = try EvidenceRows(of: originals, scope: scope, limits: limits, in: database)
                .verified(by: evidence, for: originals, in: scope)
            let ledger = PurchaseLedger(
                stored.evidence, app: scope.app, environment: scope.environment, originals: originals)
            return PurchaseEntitlements(ledger, now: date)
        } catch let error as StoreError where error == .tooMuchEvidence || error == .untrustedRevocation {
            return nil
        }
    }

    /// The entitlements that were reported last, by original transaction.
    private func reported(
        _ originals: [String], in scope: AppScope, from database: Database
    ) throws -> [String: [ReportedEntitlement]] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT original, entitlements FROM json_each(?) AS requested CROSS JOIN purchase_states
                    ON app = ? AND environment = ? AND original = requested.value
                    """),
            arguments: [originals.jsonArray] + scope.arguments)
        var reported: [String: [ReportedEntitlement]] = [:]
        for row in rows {
            guard let original = String.fromDatabaseValue(row[0]), let text = String.fromDatabaseValue(row[1]),
                let values = (try? AppStoreJSON(parsing: Array(text.utf8)[...]))?.array
            else { continue }
            reported[original] = values.map { ReportedEntitlement(stored: $0) }
        }
        return reported
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

    private func postpone(
        _ originals: [String], in scope: AppScope, until date: Date, from database: Database
    ) throws {
        for original in originals {
            try database.execute(
                sql: "UPDATE purchase_states SET due = ? WHERE app = ? AND environment = ? AND original = ?",
                arguments: [date.milliseconds] + scope.arguments + [original])
        }
    }

    private func insert(
        _ type: EntitlementEventType, of original: ScopedOriginal? = nil, from before: ReportedEntitlement? = nil,
        to after: ReportedEntitlement? = nil, in scope: AppScope, date: Date? = nil, cause: EventCause,
        into database: Database
    ) throws {
        let account = try original.flatMap { try AccountBinding(of: $0, from: database).owner }
        let texts = [before, after].map { $0.map { String(decoding: $0.json.text(), as: UTF8.self) } }
        try database.cachedStatement(
            sql: """
                INSERT INTO events (app, environment, original, product, account, type, date, before, after, cause,
                    notification_type, notification_uuid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: scope.arguments + [
                original?.originalTransactionIdentifier, after?.product, account, type.rawValue,
                date?.milliseconds ?? now(), texts[0], texts[1], cause.kind.rawValue, cause.notificationType,
                cause.notificationUUID,
            ])
    }
}
#endif
