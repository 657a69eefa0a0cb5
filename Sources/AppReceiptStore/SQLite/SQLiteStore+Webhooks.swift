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
                sql: "INSERT OR REPLACE INTO webhook_positions (webhook, number) VALUES (?, ?)",
                arguments: [webhook, last])
        }
    }

    package func takeDelivery(
        to webhook: String, at date: Int64, leasedUntil lease: Int64
    ) async throws(StoreError) -> WebhookDelivery? {
        let isDue = try await read { database in
            try Int.fetchOne(
                database, sql: "SELECT 1 FROM webhook_deliveries WHERE webhook = ? AND due <= ? LIMIT 1",
                arguments: [webhook, date]) != nil
        }
        guard isDue else { return nil }
        return try await write { database in
            let taken = try Self.deliveries(
                "webhook = ? AND due <= ? ORDER BY due, webhook_deliveries.number LIMIT 1",
                arguments: [webhook, date], in: database)
            guard let delivery = taken.first else { return nil }
            try database.execute(
                sql: "UPDATE webhook_deliveries SET due = ? WHERE number = ?", arguments: [lease, delivery.number])
            return delivery
        }
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

    package func deadDeliveries(limit: Int) async throws(StoreError) -> [WebhookDelivery] {
        try await read { database in
            try Self.deliveries(
                "due IS NULL ORDER BY webhook_deliveries.number LIMIT ?", arguments: [limit], in: database)
        }
    }

    package func replayDeadDeliveries(_ numbers: [Int64]?, at date: Int64) async throws(StoreError) -> Int {
        try await write { database in
            let isChosen = numbers == nil ? "" : "AND number IN (SELECT value FROM json_each(?2))"
            var arguments: StatementArguments = [date]
            if let numbers { arguments += ["[\(numbers.map { String($0) }.joined(separator: ","))]"] }
            try database.execute(
                sql: """
                    UPDATE webhook_deliveries SET attempts = 0, first_due = ?1, due = ?1 WHERE due IS NULL \(isChosen)
                    """, arguments: arguments)
            return database.changesCount
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
                SELECT webhook_deliveries.number, webhook, attempts, first_due, events.body, \(columns.joined(separator: ", ")),
                    failed, failure
                FROM webhook_deliveries JOIN events ON events.number = event WHERE \(condition)
                """, arguments: arguments
        ).compactMap { row in
            guard let number = Int64.fromDatabaseValue(row[0]), let webhook = String.fromDatabaseValue(row[1]),
                let attempts = Int.fromDatabaseValue(row[2]), let firstDue = Int64.fromDatabaseValue(row[3]),
                let event = Int64.fromDatabaseValue(row[5]), let app = String.fromDatabaseValue(row[8])
            else { return nil }
            let content: WebhookDelivery.Content
            if let body = Data.fromDatabaseValue(row[4]) {
                content = .notification(app: app, body: Array(body))
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
                number: number, webhook: webhook, event: event, attempts: attempts, firstDue: firstDue,
                content: content, failure: failure)
        }
    }
}
#endif
