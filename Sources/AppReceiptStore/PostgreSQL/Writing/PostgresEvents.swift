#if Postgres
import AppReceiptKit

/// The rows of events and forwarded notifications of a transaction, in their order.
struct PostgresEvents {
    fileprivate enum Row {
        case event(EntitlementEvent)
        case notification(ForwardedNotification, date: Int64)
    }

    private var rows: [Row] = []

    /// Adds events.
    mutating func add(_ events: [EntitlementEvent]) { rows += events.map { .event($0) } }

    /// Adds a notification that webhooks forward.
    mutating func add(_ notification: ForwardedNotification, at date: Int64) {
        rows.append(.notification(notification, date: date))
    }

    /// The statement that inserts them with the next numbers; nil without any.
    ///
    /// The row of the last number is locked until the end of the transaction, so that numbers become visible in their
    /// order. So this is one of its last statements.
    var statement: PostgresStatement? {
        guard !rows.isEmpty else { return nil }
        let (scopes, causes, events) = (rows.map(\.scope), rows.map(\.cause), rows.map(\.event))
        let texts: [[String?]] = [
            scopes.map(\.app), scopes.map(\.environment.rawValue), rows.map(\.original),
            events.map { Self.storable($0?.productIdentifier) }, events.map { $0?.account },
            events.map { $0?.formerAccount }, events.map { $0?.type.rawValue }, events.map { $0?.before },
            events.map { $0?.after }, causes.map(\.kind.rawValue), causes.map { Self.storable($0.notificationType) },
            causes.map { Self.storable($0.notificationUUID) },
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
            """, values: texts.map { .texts($0) } + [.integers(rows.map(\.date)), .manyBytes(rows.map(\.body))])
    }

    /// A text that isn't a key; nil if a database can't store it.
    private static func storable(_ text: String?) -> String? { text.flatMap { $0.isStorable ? $0 : nil } }
}

extension PostgresEvents.Row {
    /// The event; nil for a notification.
    fileprivate var event: EntitlementEvent? {
        if case .event(let event) = self { event } else { nil }
    }

    fileprivate var scope: AppScope {
        switch self {
        case .event(let event): event.scope
        case .notification(let notification, _): notification.scope
        }
    }

    fileprivate var original: String? {
        switch self {
        case .event(let event): event.originalTransactionIdentifier
        case .notification(let notification, _): notification.original
        }
    }

    fileprivate var cause: EventCause {
        switch self {
        case .event(let event): event.cause
        case .notification(let notification, _): notification.cause
        }
    }

    fileprivate var date: Int64 {
        switch self {
        case .event(let event): event.date
        case .notification(_, let date): date
        }
    }

    /// The body of a notification; nil for an event.
    fileprivate var body: [UInt8]? {
        if case .notification(let notification, _) = self { notification.body } else { nil }
    }
}
#endif
