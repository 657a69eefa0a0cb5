#if Server
import AppReceiptKit
import AppStoreSignedData
import GRDB

/// A row of `statuses`: a notification that states the status of a subscription.
struct StatusRow: Sendable, Hashable {
    let scope: AppScope
    let originalTransactionIdentifier: String
    let signed: Int64
    let token: String

    /// The row of a verified notification; nil if it isn't stored.
    init?(_ notification: VerifiedNotification) {
        guard notification.hasKnownStatus, let app = notification.claims.bundleIdentifier,
            let scope = AppScope(app: app, notification.environment),
            let original = notification.original, original.isStorable,
            let signed = notification.signedDate.milliseconds
        else { return nil }
        self.scope = scope
        originalTransactionIdentifier = original
        self.signed = signed
        token = notification.notification.token
    }

    static let columns = "original, signed, token"

    /// Creates the row from the database, unverified; nil if columns have the wrong types.
    init?(_ row: Row, in scope: AppScope) {
        guard let original = String.fromDatabaseValue(row[0]), let signed = Int64.fromDatabaseValue(row[1]),
            let token = String.fromDatabaseValue(row[2])
        else { return nil }
        self.scope = scope
        originalTransactionIdentifier = original
        self.signed = signed
        self.token = token
    }

    /// The verified notification; nil if it doesn't verify or differs from the other columns.
    func verified(by evidence: StoredEvidenceVerifier) -> VerifiedNotification? {
        guard let notification = evidence.notification(token), StatusRow(notification) == self else { return nil }
        return notification
    }
}
#endif
