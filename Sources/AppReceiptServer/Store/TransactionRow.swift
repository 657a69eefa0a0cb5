#if Server
import AppReceiptKit
import AppStoreSignedData
import GRDB
import VerifyReceipt

/// A row of `transactions`.
struct TransactionRow: Sendable, Hashable {
    let scope: AppScope
    let identifier: String
    let originalTransactionIdentifier: String
    let signed: Int64
    let token: String
    /// Whether the token states a revocation. It determines which rows are read first and is unproven.
    let isRevoked: Bool

    /// The row of a verified transaction; nil if it isn't stored.
    init?(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        guard let scope = AppScope(app: claims.bundleIdentifier, transaction.environment),
            let identifier = claims.transactionIdentifier, identifier.isStorable,
            let originalTransactionIdentifier = transaction.original, originalTransactionIdentifier.isStorable,
            let signed = transaction.signedDate.milliseconds
        else { return nil }
        self.scope = scope
        self.identifier = identifier
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.signed = signed
        token = transaction.token
        isRevoked = claims.revocationDate != nil
    }

    static let columns = "identifier, original, signed, token, revoked"

    /// Creates the row from the database, unverified; nil if columns have the wrong types.
    init?(_ row: Row, _ scope: AppScope) {
        guard let identifier = String.fromDatabaseValue(row[0]),
            let originalTransactionIdentifier = String.fromDatabaseValue(row[1]),
            let signed = Int64.fromDatabaseValue(row[2]), let token = String.fromDatabaseValue(row[3]),
            let revoked = Int64.fromDatabaseValue(row[4])
        else { return nil }
        self.scope = scope
        self.identifier = identifier
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.signed = signed
        self.token = token
        isRevoked = revoked != 0
    }

    /// The verified transaction in the token; nil if it doesn't verify or differs from the other columns.
    func verified(by evidence: StoredEvidenceVerifier) -> VerifiedTransaction? {
        guard let transaction = evidence.transaction(token), let row = TransactionRow(transaction),
            row.scope == scope, row.identifier == identifier,
            row.originalTransactionIdentifier == originalTransactionIdentifier, row.signed == signed
        else { return nil }
        return transaction
    }
}
#endif
