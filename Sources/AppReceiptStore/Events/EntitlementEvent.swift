#if Server
import AppReceiptFoundation
import AppReceiptKit
package import AppReceiptSupport

/// A change of an entitlement.
///
/// Events are notices: they are stored unsigned, so entitlements decide about access.
package struct EntitlementEvent: Sendable, Hashable {
    /// The position: every later event has a greater one. 0 before the event is stored.
    package var cursor: Int64 = 0
    /// The kind of change.
    package let type: EntitlementEventType
    /// The date at which ``after`` applies.
    package let date: Int64
    /// The app and environment.
    package let scope: AppScope
    /// The account that owned the purchase then; nil for none, and if the account was forgotten.
    package var account: String?
    /// The account that owned the purchase before it was transferred; nil for none, and if it was forgotten.
    package var formerAccount: String?
    /// The product of ``after``.
    package var productIdentifier: String?
    /// The purchase.
    package var originalTransactionIdentifier: String?
    /// The JSON of the entitlement before; nil for the first event of a purchase.
    package var before: String?
    /// The JSON of the entitlement after.
    package var after: String?
    /// The cause.
    package let cause: EventCause

    /// Writes the members of the API.
    package func write(to writer: inout JSONWriter) {
        writer.member("cursor", String(cursor))
        writer.member("type", type.rawValue)
        writer.member("at", Date(milliseconds: date))
        writer.member("bundleIdentifier", scope.app)
        writer.member("environment", scope.environment.rawValue)
        writer.member("account", account)
        writer.member("formerAccount", formerAccount)
        writer.member("productIdentifier", productIdentifier)
        writer.member("originalTransactionIdentifier", originalTransactionIdentifier)
        writer.member("before", Self.json(before))
        writer.member("after", Self.json(after))
        writer.openObject("cause")
        writer.member("kind", cause.kind.rawValue)
        writer.member("notificationType", cause.notificationType)
        writer.member("notificationUUID", cause.notificationUUID)
        writer.closeObject()
    }

    private static func json(_ text: String?) -> AppStoreJSON {
        text.flatMap { try? AppStoreJSON(parsing: Array($0.utf8)[...]) } ?? .null
    }
}

/// The kinds of changes. The raw values are those of the API.
package enum EntitlementEventType: String, Sendable, CaseIterable {
    case activated, renewed, enteredGracePeriod, enteredBillingRetry, productChanged, renewalTurnedOff
    case renewalTurnedOn, expired, refunded, refundReversed, revoked, transferred, consentRescinded, seatsChanged
    /// Nothing that Apple signs states it today.
    case consumed
}

/// The cause of an event.
package struct EventCause: Sendable, Hashable {
    /// The kinds of causes. The raw values are those of the API.
    package enum Kind: String, Sendable, CaseIterable {
        case receipt, transaction, renewalInfo, notification, appStore, time, request
    }

    package let kind: Kind
    /// The type of the notification.
    package var notificationType: String?
    /// The UUID of the notification.
    package var notificationUUID: String?

    package init(_ kind: Kind, notificationType: String? = nil, notificationUUID: String? = nil) {
        self.kind = kind
        self.notificationType = notificationType
        self.notificationUUID = notificationUUID
    }

    /// Creates the cause of what a notification changes.
    init(_ notification: NotificationRow) {
        self.init(.notification, notificationType: notification.type, notificationUUID: notification.uuid)
    }
}

/// Some events, and where to continue.
package struct EventPage: Sendable, Hashable {
    /// The events in their order.
    package var events: [EntitlementEvent]
    /// The cursor after which the next page begins, also if there are no events.
    package var next: Int64

    package init(events: [EntitlementEvent], next: Int64) {
        self.events = events
        self.next = next
    }
}
#endif
