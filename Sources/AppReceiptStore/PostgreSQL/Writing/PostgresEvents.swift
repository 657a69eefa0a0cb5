#if Postgres
import AppReceiptKit

/// The rows of events and forwarded notifications of a transaction, in their order.
struct PostgresEvents {
    private var events: [EntitlementEvent] = []
    /// The bodies of the forwarded notifications, by position. Their types are null.
    private var bodies: [[UInt8]?] = []

    /// Adds events.
    mutating func add(_ new: [EntitlementEvent]) {
        events += new
        bodies += new.map { _ in nil }
    }

    /// Adds a notification that webhooks forward.
    mutating func add(_ notification: ForwardedNotification, at date: Int64) {
        // The type isn't written.
        events.append(
            EntitlementEvent(
                type: .activated, date: date, scope: notification.scope,
                originalTransactionIdentifier: notification.original, cause: notification.cause))
        bodies.append(notification.body)
    }

    /// The statement that inserts them with the next numbers; nil without any.
    ///
    /// The row of the last number is locked until the end of the transaction, so that numbers become visible in their
    /// order. So this is one of its last statements.
    var statement: PostgresStatement? {
        guard !events.isEmpty else { return nil }
        let texts: [[String?]] = [
            events.map(\.scope.app), events.map(\.scope.environment.rawValue),
            events.map(\.originalTransactionIdentifier), events.map { Self.storable($0.productIdentifier) },
            events.map(\.account), events.map(\.formerAccount),
            zip(events, bodies).map { $1 == nil ? $0.type.rawValue : nil }, events.map(\.before), events.map(\.after),
            events.map(\.cause.kind.rawValue), events.map { Self.storable($0.cause.notificationType) },
            events.map { Self.storable($0.cause.notificationUUID) },
        ]
        return PostgresStatement(
            """
            WITH last AS (
                UPDATE counters SET value = value + cardinality($1::text[]) WHERE name = 'events' RETURNING value
            )
            INSERT INTO events (
                number, app, environment, original, product, account, former_account, type, before, after, cause,
                notification_type, notification_uuid, date, body)
            SELECT last.value - cardinality($1) + added.position, added.app, added.environment, added.original,
                added.product, added.account, added.former_account, added.type, added.before, added.after, added.cause,
                added.notification_type, added.notification_uuid, added.date, added.body
            FROM last, unnest(
                $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bytea[]
            ) WITH ORDINALITY AS added (
                app, environment, original, product, account, former_account, type, before, after, cause,
                notification_type, notification_uuid, date, body, position)
            """, values: texts.map { .texts($0) } + [.integers(events.map(\.date)), .manyBytes(bodies)])
    }

    /// A text that isn't a key; nil if a database can't store it.
    private static func storable(_ text: String?) -> String? { text.flatMap { $0.isStorable ? $0 : nil } }
}
#endif
