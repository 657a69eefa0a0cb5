#if Server
import AppReceiptKit
import AppStoreSignedData
import GRDB
import VerifyReceipt

/// A row of a table with the newest token of each original transaction.
struct TokenRow: Sendable, Hashable {
    enum Table: String, Sendable {
        /// Renewal information.
        case renewals
        /// Notifications that state the status of a subscription.
        case statuses
    }

    let table: Table
    let scope: AppScope
    let originalTransactionIdentifier: String
    let signed: Int64
    let token: String

    /// The row of verified renewal information; nil if it isn't stored. Renewal information doesn't contain the app.
    init?(_ renewal: VerifiedRenewalInfo, app: String) {
        guard let scope = AppScope(app: app, renewal.environment),
            let original = renewal.claims.originalTransactionIdentifier, original.isStorable,
            let signed = renewal.signedDate.milliseconds
        else { return nil }
        table = .renewals
        self.scope = scope
        originalTransactionIdentifier = original
        self.signed = signed
        token = renewal.token
    }

    /// The row of a verified notification; nil if it isn't stored.
    init?(_ notification: VerifiedNotification) {
        guard notification.hasKnownStatus, let app = notification.claims.bundleIdentifier,
            let scope = AppScope(app: app, notification.environment),
            let original = notification.original, original.isStorable,
            let signed = notification.signedDate.milliseconds
        else { return nil }
        table = .statuses
        self.scope = scope
        originalTransactionIdentifier = original
        self.signed = signed
        token = notification.notification.token
    }

    static let columns = "original, signed, token"

    /// Creates the row from the database, unverified; nil if columns have the wrong types.
    init?(_ row: Row, of table: Table, in scope: AppScope) {
        guard let original = String.fromDatabaseValue(row[0]), let signed = Int64.fromDatabaseValue(row[1]),
            let token = String.fromDatabaseValue(row[2])
        else { return nil }
        self.table = table
        self.scope = scope
        originalTransactionIdentifier = original
        self.signed = signed
        self.token = token
    }

    /// The verified renewal information in the token; nil if it doesn't verify or differs from the other columns.
    ///
    /// The app can't be verified, but original transaction identifiers aren't reused across apps.
    func verifiedRenewal(by evidence: StoredEvidenceVerifier) -> VerifiedRenewalInfo? {
        guard let renewal = evidence.renewal(token), TokenRow(renewal, app: scope.app) == self else { return nil }
        return renewal
    }

    /// The verified notification in the token; nil if it doesn't verify or differs from the other columns.
    func verifiedNotification(by evidence: StoredEvidenceVerifier) -> VerifiedNotification? {
        guard let notification = evidence.notification(token), TokenRow(notification) == self else { return nil }
        return notification
    }

    /// Whether the token verifies and equals the other columns.
    func isVerified(by evidence: StoredEvidenceVerifier) -> Bool {
        switch table {
        case .renewals: verifiedRenewal(by: evidence) != nil
        case .statuses: verifiedNotification(by: evidence) != nil
        }
    }
}
#endif
