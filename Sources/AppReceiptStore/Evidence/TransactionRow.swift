#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// A stored transaction.
struct TransactionRow: Sendable, Hashable {
    let original: ScopedOriginal
    let identifier: String
    let signed: Int64
    let token: String
    /// Whether the token states a revocation. It determines which rows are read first and is unproven.
    let isRevoked: Bool
    /// The end of the period, or the date of a one-time purchase, in milliseconds since 1970. It determines which rows
    /// are read first and is unproven.
    let ended: Int64
}

extension TransactionRow {
    /// The values of which a store has one row.
    struct Key: Hashable, Sendable {
        let scope: AppScope
        let identifier: String
    }

    var key: Key { Key(scope: original.scope, identifier: identifier) }

    /// The row of a verified transaction; nil if it isn't stored.
    init?(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        guard let scope = AppScope(app: claims.bundleIdentifier, transaction.environment),
            let identifier = claims.transactionIdentifier, identifier.isStorable,
            let original = transaction.original, original.isStorable,
            let signed = transaction.signedDate.milliseconds
        else { return nil }
        self.original = ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
        self.identifier = identifier
        self.signed = signed
        token = transaction.token
        isRevoked = claims.revocationDate != nil
        ended = (claims.expirationDate ?? claims.purchaseDate)?.milliseconds ?? 0
    }

    /// The verified transaction in the token; nil if it doesn't verify or differs from the other columns.
    func verified(by verifier: StoredEvidenceVerifier) -> VerifiedTransaction? {
        guard let transaction = verifier.transaction(token), let row = TransactionRow(transaction),
            row.original == original, row.identifier == identifier, row.signed == signed
        else { return nil }
        return transaction
    }

    /// Whether the row of a verified transaction replaces the one that is stored of the same transaction.
    ///
    /// A stored row that claims to be newer stays only if it verifies. Otherwise, an attacker who can edit the database
    /// could prevent genuine data from being stored.
    ///
    /// - Parameters:
    ///   - known: The stored row; nil for none.
    ///   - transaction: The verified transaction of this row.
    ///   - verifier: Verifies the stored row.
    func replaces(
        _ known: TransactionRow?, with transaction: VerifiedTransaction, by verifier: StoredEvidenceVerifier
    ) -> Bool {
        guard let known, known != self else { return known == nil }
        guard known.signed >= signed else { return true }
        // Nothing older replaces a revocation, even if its root isn't trusted any more.
        guard let other = known.verified(by: verifier) else { return !known.isUntrustedRevocation(by: verifier) }
        return !other.isNewer(than: transaction)
    }

    /// Whether the token states a revocation or an upgrade, and a root signed it that isn't trusted any more.
    func isUntrustedRevocation(by verifier: StoredEvidenceVerifier) -> Bool {
        (isRevoked || isUpgraded) && verifier.isUntrusted(token: token)
    }

    /// Whether the token, which may be forged, states an upgrade.
    private var isUpgraded: Bool {
        guard case .transaction(let claims) = (try? UnverifiedSignedData(parsing: token))?.claims else { return false }
        return claims.isUpgraded == true
    }
}
#endif
