#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The stored values of a notification, by which a repetition is recognized. Its contents are stored as other rows.
struct NotificationRow: Sendable, Hashable {
    /// The UUID. A notification without one, which Apple doesn't send, is identified by its bytes.
    let identifier: String
    let signed: Int64
    let type: String?
    let subtype: String?
    /// The original transaction; nil if the notification is about none.
    let original: String?
    let app: String?
    /// The environment; nil if the notification is about something that isn't known yet.
    let environment: AppStoreEnvironment?
    let uuid: String?
    /// Whether the notification contains a revocation.
    let hasRevocation: Bool
}

extension NotificationRow {
    /// The row of a verified notification; nil if it isn't stored.
    init?(_ notification: VerifiedNotification) {
        let claims = notification.claims
        environment = notification.environment
        guard environment != .xcode, environment != nil || claims.hasOtherSubject,
            let signed = notification.signedDate.milliseconds
        else { return nil }
        let token = ContentDigest.sha256(of: notification.notification.token.utf8, kind: .notification)
        uuid = claims.notificationUUID.flatMap { $0.isStorable ? $0 : nil }
        identifier = uuid ?? "token \(token)"
        self.signed = signed
        type = claims.notificationType?.rawValue
        subtype = claims.subtype?.rawValue
        original = notification.original.flatMap { $0.isStorable ? $0 : nil }
        app = (claims.bundleIdentifier ?? notification.transaction?.claims.bundleIdentifier)
            .flatMap { $0.isStorable ? $0 : nil }
        hasRevocation = notification.transaction?.claims.revocationDate != nil
    }

    /// The app and environment; nil if nothing in them is stored.
    var scope: AppScope? { AppScope(app: app, environment) }

    /// The purchase that the notification is about; nil for none.
    var purchase: ScopedOriginal? {
        guard let scope, let original else { return nil }
        return ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
    }
}
#endif
