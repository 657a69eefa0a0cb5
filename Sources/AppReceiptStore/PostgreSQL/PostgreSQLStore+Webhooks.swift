#if Postgres
import AppReceiptFoundation
import AppReceiptKit

// What is sent to webhooks. A delivery refers to its event, so what is sent is what is stored then: an account that was
// forgotten isn't sent.
extension PostgreSQLStore {
    package func enqueueDeliveries(
        to webhook: String, app: String, includesNotifications: Bool, at date: Int64
    ) async throws(StoreError) {
        let isBehind =
            try await read(
                """
                SELECT 1 FROM counters LEFT JOIN webhook_positions ON webhook = $1
                WHERE name = 'events' AND (number IS NULL OR number < value)
                """, values: [.text(webhook)]
            ).count > 0
        guard isBehind else { return }
        try await write { transaction throws(StoreError) in
            // Of servers that enqueue at once, each continues where the one before it ended.
            let results = try transaction.run([
                PostgresStatement(
                    "SELECT number FROM webhook_positions WHERE webhook = $1 FOR UPDATE", values: [.text(webhook)]),
                PostgresStatement("SELECT value FROM counters WHERE name = 'events'"),
            ])
            let (position, last) = (results[0].integer, results[1].integer ?? 0)
            guard let position else {
                transaction.lastStatements.append(
                    PostgresStatement(
                        "INSERT INTO webhook_positions (webhook, number) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                        values: [.text(webhook), .integer(last)]))
                return
            }
            transaction.lastStatements += [
                PostgresStatement(
                    """
                    INSERT INTO webhook_deliveries (webhook, event, attempts, first_due, due)
                    SELECT $1, number, 0, $2, $2 FROM events WHERE number > $3 AND number <= $4 AND app = $5
                    AND (type IS NOT NULL OR $6) ORDER BY number
                    """,
                    values: [
                        .text(webhook), .integer(date), .integer(position), .integer(last), .text(app),
                        .boolean(includesNotifications),
                    ]),
                PostgresStatement(
                    "UPDATE webhook_positions SET number = $2 WHERE webhook = $1",
                    values: [.text(webhook), .integer(last)]),
            ]
        }
    }

    package func takeDeliveries(
        to webhook: String, at date: Int64, leasedUntil lease: Int64, limit: Int
    ) async throws(StoreError) -> [WebhookDelivery] {
        let isDue =
            try await read(
                "SELECT 1 FROM webhook_deliveries WHERE webhook = $1 AND due <= $2 LIMIT 1",
                values: [.text(webhook), .integer(date)]
            ).count > 0
        guard isDue else { return [] }
        return try await write { transaction throws(StoreError) in
            let numbers = try transaction.run(
                """
                SELECT number FROM webhook_deliveries WHERE webhook = $1 AND due <= $2 ORDER BY due, number LIMIT $3
                FOR UPDATE SKIP LOCKED
                """, values: [.text(webhook), .integer(date), .integer(Int64(limit))]
            ).rows.compactMap { $0.integer(0) }
            let taken =
                try transaction.run([
                    Self.deliveries(
                        "deliveries.number = ANY($1) ORDER BY deliveries.due, deliveries.number",
                        values: [.integers(numbers)])
                ]).first.map { Self.deliveries($0) } ?? []
            // What can't be read must not stay before what follows it.
            let unreadable = Set(numbers).subtracting(taken.map(\.number)).sorted()
            transaction.lastStatements += [
                PostgresStatement(
                    "UPDATE webhook_deliveries SET due = $2 WHERE number = ANY($1)",
                    values: [.integers(numbers), .integer(lease)]),
                PostgresStatement(
                    """
                    UPDATE webhook_deliveries SET due = NULL, failed = $2, failure = 'the event can''t be read'
                    WHERE number = ANY($1)
                    """, values: [.integers(unreadable), .integer(date)]),
            ]
            return taken
        }
    }

    package func release(_ deliveries: [WebhookDelivery]) async throws(StoreError) {
        guard !deliveries.isEmpty else { return }
        try await write { transaction throws(StoreError) in
            transaction.lastStatements.append(
                PostgresStatement(
                    "UPDATE webhook_deliveries SET due = first_due WHERE number = ANY($1)",
                    values: [.integers(deliveries.map(\.number))]))
        }
    }

    package func finish(
        _ delivery: WebhookDelivery, as outcome: DeliveryOutcome, because failure: DeliveryFailure?
    ) async throws(StoreError) {
        let due: Int64?
        switch outcome {
        case .delivered:
            return try await write { transaction throws(StoreError) in
                transaction.lastStatements.append(
                    PostgresStatement(
                        "DELETE FROM webhook_deliveries WHERE number = $1", values: [.integer(delivery.number)]))
            }
        case .postponed(let date): due = date
        case .dead: due = nil
        }
        try await write { transaction throws(StoreError) in
            transaction.lastStatements.append(
                PostgresStatement(
                    """
                    UPDATE webhook_deliveries SET attempts = attempts + 1, due = $2, failed = $3, failure = $4
                    WHERE number = $1
                    """,
                    values: [
                        .integer(delivery.number), .integer(due), .integer(failure?.date), .text(failure?.reason),
                    ]))
        }
    }

    package func failedDeliveries(limit: Int) async throws(StoreError) -> [WebhookDelivery] {
        let statement = Self.deliveries(
            "(deliveries.due IS NULL OR failed IS NOT NULL) ORDER BY deliveries.number LIMIT $1",
            values: [.integer(Int64(limit))])
        return Self.deliveries(try await read(statement.sql, values: statement.values))
    }

    package func replayFailedDeliveries(_ numbers: [Int64]?, at date: Int64) async throws(StoreError) -> ReplayResult {
        try await write { transaction throws(StoreError) in
            let failed = try transaction.run(
                """
                SELECT deliveries.number, removed IS NOT NULL FROM webhook_deliveries AS deliveries
                LEFT JOIN webhook_positions USING (webhook) WHERE (due IS NULL OR failed IS NOT NULL)
                AND ($1 OR deliveries.number = ANY($2)) ORDER BY deliveries.number FOR UPDATE OF deliveries
                """, values: [.boolean(numbers == nil), .integers(numbers ?? [])])
            var result = ReplayResult(replayed: [], removed: [])
            for row in failed.rows {
                guard let number = row.integer(0) else { continue }
                if row.boolean(1) { result.removed.append(number) } else { result.replayed.append(number) }
            }
            transaction.lastStatements.append(
                PostgresStatement(
                    "UPDATE webhook_deliveries SET attempts = 0, first_due = $2, due = $2 WHERE number = ANY($1)",
                    values: [.integers(result.replayed), .integer(date)]))
            return result
        }
    }

    package func setWebhooks(_ webhooks: Set<String>, at date: Int64) async throws(StoreError) {
        let known = try await self.webhooks()
        let added = known.filter { $0.removed != nil && webhooks.contains($0.webhook) }.map(\.webhook)
        let removed = known.filter { $0.removed == nil && !webhooks.contains($0.webhook) }.map(\.webhook)
        guard !added.isEmpty || !removed.isEmpty else { return }
        try await write { transaction throws(StoreError) in
            for (webhooks, date) in [(added, nil), (removed, date)] as [([String], Int64?)] {
                transaction.lastStatements.append(
                    PostgresStatement(
                        "UPDATE webhook_positions SET removed = $2 WHERE webhook = ANY($1)",
                        values: [.texts(webhooks.sorted()), .integer(date)]))
            }
        }
    }

    package func webhooks() async throws(StoreError) -> [WebhookStatus] {
        try await read(
            """
            SELECT webhook, removed, coalesce(waiting, 0), coalesce(dead, 0) FROM webhook_positions LEFT JOIN (
                SELECT webhook, count(due) AS waiting, count(*) - count(due) AS dead
                FROM webhook_deliveries GROUP BY webhook
            ) AS counts USING (webhook) ORDER BY webhook
            """
        ).rows.compactMap { row in
            guard let webhook = row.text(0), let waiting = row.integer(2), let dead = row.integer(3) else { return nil }
            return WebhookStatus(
                webhook: webhook, waiting: Int(waiting), dead: Int(dead), removed: row.integer(1))
        }
    }

    /// Reads deliveries. One whose event was deleted is left out.
    private static func deliveries(_ condition: String, values: [PostgresValue]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT deliveries.number, webhook, attempts, first_due, deliveries.due, failed, failure, body,
                \(EntitlementEvent.postgresColumns)
            FROM webhook_deliveries AS deliveries JOIN events ON events.number = event WHERE \(condition)
            """, values: values)
    }

    /// - Parameter result: The result of ``deliveries(_:values:)``.
    private static func deliveries(_ result: PostgresResult) -> [WebhookDelivery] {
        result.rows.compactMap { row in
            guard let number = row.integer(0), let webhook = row.text(1), let attempts = row.integer(2),
                let firstDue = row.integer(3), let event = row.integer(8)
            else { return nil }
            let content: WebhookDelivery.Content
            if let body = row.bytes(7) {
                content = .notification(body)
            } else if let event = EntitlementEvent(row, from: 8) {
                content = .event(event)
            } else {
                return nil
            }
            var failure: DeliveryFailure?
            if let date = row.integer(5), let reason = row.text(6) {
                failure = DeliveryFailure(date: date, reason: reason)
            }
            return WebhookDelivery(
                number: number, webhook: webhook, event: event, original: row.text(15), attempts: Int(attempts),
                firstDue: firstDue, due: row.integer(4), content: content, failure: failure)
        }
    }
}
#endif
