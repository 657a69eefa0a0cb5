#if Server
import AppReceiptKit
import AppStoreSignedData

/// The rows of some original transactions, before they are verified.
///
/// Limits never hide a revocation: the required rows are read completely, or not at all.
struct EvidenceRows: Sendable {
    var transactions: [TransactionRow] = []
    var renewals: [TokenRow] = []
    var statuses: [TokenRow] = []
    var receipts: [ReceiptRow] = []
    /// The texts of the tombstones.
    var tombstones: [String] = []
    /// The number of rows whose columns have the wrong types.
    var malformed = 0

    /// Drops the periods of each original that ended first, beyond the limit. Throws an error if revocations leave no
    /// room for the newest one.
    static func limited(_ rows: [TransactionRow], perOriginal limit: Int) throws(StoreError) -> [TransactionRow] {
        var kept: [TransactionRow] = []
        for (_, var rows) in Dictionary(grouping: rows, by: \.original).sorted(by: { $0.key < $1.key }) {
            rows.sort { left, right in
                if left.isRevoked != right.isRevoked { return left.isRevoked }
                return (left.ended, left.signed, left.identifier) > (right.ended, right.signed, right.identifier)
            }
            if rows.count > limit {
                guard !rows[limit - 1].isRevoked else { throw .tooMuchEvidence }
                rows.removeLast(rows.count - limit)
            }
            kept += rows
        }
        return kept
    }

    /// Returns the limit, at least 1, so that known transactions aren't reported as unknown, and at most 2^40, so that
    /// sums don't overflow.
    static func bounded(_ limit: Int) -> Int { min(max(limit, 1), 1 << 40) }

    /// Returns the rows that verify, and the number of those that don't.
    ///
    /// - Throws: `untrustedRevocation` if a root that isn't trusted any more signed a revocation or upgrade of these
    ///   originals: to skip it would grant what was refunded.
    func verified(
        by verifier: StoredEvidenceVerifier, for originals: Set<String>, in scope: AppScope
    ) throws(StoreError) -> StoredEvidence {
        var verified = CustomerEvidence(
            renewals: renewals.compactMap { $0.verifiedRenewal(by: verifier) },
            notifications: statuses.compactMap { $0.verifiedNotification(by: verifier) })
        for row in transactions {
            if let transaction = row.verified(by: verifier) {
                verified.transactions.append(transaction)
            } else if row.isUntrustedRevocation(by: verifier) {
                throw .untrustedRevocation
            }
        }
        for row in receipts {
            if let receipt = row.verified(by: verifier) {
                if receipt.contains(anyOf: originals) { verified.receipts.append(receipt) }
            } else if row.isUntrustedRevocation(ofAny: originals, by: verifier) {
                throw .untrustedRevocation
            }
        }
        verified.tombstones = tombstones.compactMap {
            TransactionTombstone(parsing: $0, app: scope.app, environment: scope.environment)
        }
        let rows = transactions.count + renewals.count + statuses.count + receipts.count + malformed
        let count =
            verified.transactions.count + verified.renewals.count + verified.notifications.count
            + verified.receipts.count
        return StoredEvidence(evidence: verified, skippedRows: rows - count)
    }

    /// Returns the tombstones of the transactions in these rows that verify, and in others that were read before.
    ///
    /// - Throws: As for ``verified(by:for:in:)``.
    func tombstones(
        by verifier: StoredEvidenceVerifier, for originals: Set<String>, in scope: AppScope,
        adding known: [TransactionTombstone] = []
    ) throws(StoreError) -> [TransactionTombstone] {
        var evidence = try verified(by: verifier, for: originals, in: scope).evidence
        evidence.tombstones += known
        return evidence.tombstones(app: scope.app, environment: scope.environment, originals: originals)
    }
}
#endif
