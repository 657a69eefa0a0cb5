#if Server
import AppReceiptKit
import AppStoreSignedData
import GRDB

/// A row of `renewals`.
struct RenewalRow: Sendable, Hashable {
    let scope: AppScope
    let originalTransactionIdentifier: String
    let signed: Int64
    let token: String

    /// The row of verified renewal information; nil if it isn't stored. Renewal information doesn't contain the app.
    init?(_ renewal: VerifiedRenewalInfo, app: String) {
        guard let scope = AppScope(app: app, renewal.environment),
            let originalTransactionIdentifier = renewal.claims.originalTransactionIdentifier,
            originalTransactionIdentifier.isStorable, let signed = renewal.signedDate.milliseconds
        else { return nil }
        self.scope = scope
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.signed = signed
        token = renewal.token
    }

    static let columns = "original, signed, token"

    /// Creates the row from the database, unverified; nil if columns have the wrong types.
    init?(_ row: Row, in scope: AppScope) {
        guard let originalTransactionIdentifier = String.fromDatabaseValue(row[0]),
            let signed = Int64.fromDatabaseValue(row[1]),
            let token = String.fromDatabaseValue(row[2])
        else { return nil }
        self.scope = scope
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.signed = signed
        self.token = token
    }

    /// The verified renewal information in the token; nil if it doesn't verify or differs from the other columns.
    ///
    /// The app can't be verified, but original transaction identifiers aren't reused across apps.
    func verified(by evidence: StoredEvidenceVerifier) -> VerifiedRenewalInfo? {
        guard let renewal = evidence.renewal(token), RenewalRow(renewal, app: scope.app) == self else { return nil }
        return renewal
    }
}
#endif
