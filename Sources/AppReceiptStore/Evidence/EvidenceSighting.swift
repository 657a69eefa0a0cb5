#if Server
package import AppReceiptKit

/// Evidence of a purchase, and when it was seen.
package struct EvidenceSighting: Sendable, Hashable {
    package let kind: EvidenceKind
    /// The date when Apple signed it.
    package let signed: Int64
    /// The date when the newest copy was received.
    package let received: Int64
    /// The type of a notification.
    package let notificationType: String?
    /// The subtype of a notification; nil if it has none.
    package let notificationSubtype: String?

    package init(
        kind: EvidenceKind, signed: Int64, received: Int64, notificationType: String?, notificationSubtype: String?
    ) {
        self.kind = kind
        self.signed = signed
        self.received = received
        self.notificationType = notificationType
        self.notificationSubtype = notificationSubtype
    }
}
#endif
