#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// A stored token, the newest of its kind and original transaction.
struct TokenRow: Sendable, Hashable {
    /// The table of the token.
    enum Table: String, Sendable {
        /// Renewal information.
        case renewals
        /// Notifications that state the status of a subscription.
        case statuses
    }

    let table: Table
    let original: ScopedOriginal
    let signed: Int64
    let token: String
}

extension TokenRow {
    /// The values of which a store has one row.
    struct Key: Hashable, Sendable {
        let table: Table
        let original: ScopedOriginal
    }

    var key: Key { Key(table: table, original: original) }

    /// The row of verified renewal information; nil if it isn't stored. Renewal information doesn't contain the app.
    init?(_ renewal: VerifiedRenewalInfo, app: String) {
        guard let scope = AppScope(app: app, renewal.environment),
            let original = renewal.claims.originalTransactionIdentifier, original.isStorable,
            let signed = renewal.signedDate.milliseconds
        else { return nil }
        table = .renewals
        self.original = ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
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
        self.original = ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
        self.signed = signed
        token = notification.notification.token
    }

    /// The verified renewal information in the token; nil if it doesn't verify or differs from the other columns.
    ///
    /// The app can't be verified, but original transaction identifiers aren't reused across apps.
    func verifiedRenewal(by verifier: StoredEvidenceVerifier) -> VerifiedRenewalInfo? {
        guard let renewal = verifier.renewal(token), TokenRow(renewal, app: original.scope.app) == self else {
            return nil
        }
        return renewal
    }

    /// The verified notification in the token; nil if it doesn't verify or differs from the other columns.
    func verifiedNotification(by verifier: StoredEvidenceVerifier) -> VerifiedNotification? {
        guard let notification = verifier.notification(token), TokenRow(notification) == self else { return nil }
        return notification
    }

    /// Whether the row of a verified token replaces the one that is stored of the same original transaction. As with
    /// transactions, a newer row stays only if it verifies.
    func replaces(_ known: TokenRow?, by verifier: StoredEvidenceVerifier) -> Bool {
        guard let known, known != self else { return known == nil }
        return known.order <= order || !known.isVerified(by: verifier)
    }

    private var order: EvidenceOrder { EvidenceOrder(signedDate: Date(milliseconds: signed), token: token) }

    /// Whether the token verifies and equals the other columns.
    private func isVerified(by verifier: StoredEvidenceVerifier) -> Bool {
        switch table {
        case .renewals: verifiedRenewal(by: verifier) != nil
        case .statuses: verifiedNotification(by: verifier) != nil
        }
    }
}
#endif
