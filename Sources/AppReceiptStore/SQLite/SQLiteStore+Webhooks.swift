#if Server
import AppReceiptFoundation
import AppReceiptKit
import GRDB

// What is sent to webhooks. A delivery refers to its event, so what is sent is what is stored then: an account that was
// forgotten isn't sent.
extension SQLiteStore {
    package func enqueueDeliveries(
        to webhook: String, app: String, includesNotifications: Bool, at date: Int64
    ) async throws(StoreError) {
        let isBehind = try await read { database in
            let last = try Int64.fetchOne(database, sql: "SELECT MAX(number) FROM events") ?? 0
            let position = try Int64.fetchOne(
                database, sql: "SELECT number FROM webhook_positions WHERE webhook = ?", arguments: [webhook])
            return position.map { $0 < last } ?? true
        }
        guard isBehind else { return }
        try await write { database in
            let last = try Int64.fetchOne(database, sql: "SELECT MAX(number) FROM events") ?? 0
            let position = try Int64.fetchOne(
                database, sql: "SELECT number FROM webhook_positions WHERE webhook = ?", arguments: [webhook])
            if let position {
                try database.execute(
                    sql: """
                        INSERT INTO webhook_deliveries (webhook, event, attempts, first_due, due)
                        SELECT ?1, number, 0, ?2, ?2 FROM events WHERE number > ?3 AND number <= ?4 AND app = ?5
                        AND (type IS NOT NULL OR ?6) ORDER BY number
                        """, arguments: [webhook, date, position, last, app, includesNotifications])
            }
            try database.execute(
                sql: """
                    INSERT INTO webhook_positions (webhook, number) VALUES (?, ?)
                    ON CONFLICT (webhook) DO UPDATE SET number = excluded.number
                    """, arguments: [webhook, last])
        }
    }

    package func takeDeliveries(
        to webhook: String, at date: Int64, leasedUntil lease: Int64, limit: Int
    ) async throws(StoreError) -> [WebhookDelivery] {
        let isDue = try await read { database in
            try Int.fetchOne(
                database, sql: "SELECT 1 FROM webhook_deliveries WHERE webhook = ? AND due <= ? LIMIT 1",
                arguments: [webhook, date]) != nil
        }
        guard isDue else { return [] }
        return try await write { database in
            let numbers = try Int64.fetchAll(
                database,
                sql:
                    "SELECT number FROM webhook_deliveries WHERE webhook = ? AND due <= ? ORDER BY due, number LIMIT ?",
                arguments: [webhook, date, limit])
            let taken = try Self.deliveries(
                "webhook_deliveries.number IN (SELECT value FROM json_each(?)) ORDER BY due, webhook_deliveries.number",
                arguments: [Self.list(numbers)], in: database)
            try database.execute(
                sql: "UPDATE webhook_deliveries SET due = ? WHERE number IN (SELECT value FROM json_each(?))",
                arguments: [lease, Self.list(numbers)])
            // What can't be read must not stay before what follows it.
            let unreadable = Set(numbers).subtracting(taken.map(\.number))
            if !unreadable.isEmpty {
                try database.execute(
                    sql: """
                        UPDATE webhook_deliveries SET due = NULL, failed = ?, failure = 'the event can''t be read'
                        WHERE number IN (SELECT value FROM json_each(?))
                        """, arguments: [date, Self.list(unreadable)])
            }
            return taken
        }
    }

    package func release(_ deliveries: [WebhookDelivery]) async throws(StoreError) {
        guard !deliveries.isEmpty else { return }
        try await write { database in
            try database.execute(
                sql: "UPDATE webhook_deliveries SET due = first_due WHERE number IN (SELECT value FROM json_each(?))",
                arguments: [Self.list(deliveries.map(\.number))])
        }
    }

    /// Numbers as a JSON array, for a statement.
    private static func list(_ numbers: some Sequence<Int64>) -> String {
        "[\(numbers.map { String($0) }.joined(separator: ","))]"
    }

    package func finish(
        _ delivery: WebhookDelivery, as outcome: DeliveryOutcome, because failure: DeliveryFailure?
    ) async throws(StoreError) {
        try await write { database in
            let due: Int64?
            switch outcome {
            case .delivered:
                return try database.execute(
                    sql: "DELETE FROM webhook_deliveries WHERE number = ?", arguments: [delivery.number])
            case .postponed(let date): due = date
            case .dead: due = nil
            }
            try database.execute(
                sql: """
                    UPDATE webhook_deliveries SET attempts = attempts + 1, due = ?, failed = ?, failure = ?
                    WHERE number = ?
                    """, arguments: [due, failure?.date, failure?.reason, delivery.number])
        }
    }

    package func failedDeliveries(limit: Int) async throws(StoreError) -> [WebhookDelivery] {
        try await read { database in
            try Self.deliveries(
                "(due IS NULL OR failed IS NOT NULL) ORDER BY webhook_deliveries.number LIMIT ?", arguments: [limit],
                in: database)
        }
    }

    package func replayFailedDeliveries(
        _ numbers: [Int64]?, at date: Int64
    ) async throws(StoreError) -> ReplayResult {
        try await write { database in
            let isChosen = numbers == nil ? "" : "AND webhook_deliveries.number IN (SELECT value FROM json_each(?))"
            let failed = try Row.fetchAll(
                database,
                sql: """
                    SELECT webhook_deliveries.number, removed IS NOT NULL FROM webhook_deliveries
                    LEFT JOIN webhook_positions USING (webhook) WHERE (due IS NULL OR failed IS NOT NULL) \(isChosen)
                    ORDER BY webhook_deliveries.number
                    """, arguments: numbers.map { [Self.list($0)] } ?? [])
            var result = ReplayResult(replayed: [], removed: [])
            for row in failed {
                guard let number = Int64.fromDatabaseValue(row[0]) else { continue }
                if row[1] as Bool { result.removed.append(number) } else { result.replayed.append(number) }
            }
            try database.execute(
                sql: """
                    UPDATE webhook_deliveries SET attempts = 0, first_due = ?1, due = ?1
                    WHERE number IN (SELECT value FROM json_each(?2))
                    """, arguments: [date, Self.list(result.replayed)])
            return result
        }
    }

    package func setWebhooks(_ webhooks: Set<String>, at date: Int64) async throws(StoreError) {
        let known = try await self.webhooks()
        let added = known.filter { $0.removed != nil && webhooks.contains($0.webhook) }
        let removed = known.filter { $0.removed == nil && !webhooks.contains($0.webhook) }
        guard !added.isEmpty || !removed.isEmpty else { return }
        try await write { database in
            for (statuses, date) in [(added, nil), (removed, date)] {
                for status in statuses {
                    try database.execute(
                        sql: "UPDATE webhook_positions SET removed = ? WHERE webhook = ?",
                        arguments: [date, status.webhook])
                }
            }
        }
    }

    package func webhooks() async throws(StoreError) -> [WebhookStatus] {
        try await read { try Self.webhooks(in: $0) }
    }

    static func webhooks(in database: Database) throws -> [WebhookStatus] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT webhook, removed, IFNULL(waiting, 0), IFNULL(dead, 0) FROM webhook_positions LEFT JOIN (
                    SELECT webhook, COUNT(due) AS waiting, COUNT(*) - COUNT(due) AS dead
                    FROM webhook_deliveries GROUP BY webhook
                ) USING (webhook) ORDER BY webhook
                """
        ).compactMap { row in
            guard let webhook = String.fromDatabaseValue(row[0]), let waiting = Int.fromDatabaseValue(row[2]),
                let dead = Int.fromDatabaseValue(row[3])
            else { return nil }
            return WebhookStatus(
                webhook: webhook, waiting: waiting, dead: dead, removed: Int64.fromDatabaseValue(row[1]))
        }
    }

    /// Reads deliveries. One whose event was deleted is left out.
    private static func deliveries(
        _ condition: String, arguments: StatementArguments, in database: Database
    ) throws -> [WebhookDelivery] {
        let columns = EntitlementEvent.columns.split(separator: ",").map {
            "events." + $0.drop { $0 == " " || $0 == "\n" }
        }
        return try Row.fetchAll(
            database,
            sql: """
                SELECT webhook_deliveries.number, webhook, attempts, first_due, events.body,
                    \(columns.joined(separator: ", ")), failed, failure, due
                FROM webhook_deliveries JOIN events ON events.number = event WHERE \(condition)
                """, arguments: arguments
        ).compactMap { row in
            guard let number = Int64.fromDatabaseValue(row[0]), let webhook = String.fromDatabaseValue(row[1]),
                let attempts = Int.fromDatabaseValue(row[2]), let firstDue = Int64.fromDatabaseValue(row[3]),
                let event = Int64.fromDatabaseValue(row[5])
            else { return nil }
            let content: WebhookDelivery.Content
            if let body = Data.fromDatabaseValue(row[4]) {
                content = .notification(Array(body))
            } else if let event = EntitlementEvent(row, from: 5) {
                content = .event(event)
            } else {
                return nil
            }
            var failure: DeliveryFailure?
            if let date = Int64.fromDatabaseValue(row["failed"]), let reason = String.fromDatabaseValue(row["failure"])
            {
                failure = DeliveryFailure(date: date, reason: reason)
            }
            return WebhookDelivery(
                number: number, webhook: webhook, event: event, original: String.fromDatabaseValue(row["original"]),
                attempts: attempts, firstDue: firstDue, due: Int64.fromDatabaseValue(row["due"]), content: content,
                failure: failure)
        }
    }
}
#endif
