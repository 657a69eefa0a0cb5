#if Server
import AppReceiptFoundation
public import AppReceiptKit
public import AppStoreSignedData
import GRDB

extension SQLiteStore {
    /// Returns the stored evidence of these original transactions that still verifies.
    ///
    /// ``StoreLimits`` never hide a revocation: only older transactions that weren't revoked are left out.
    ///
    /// - Throws: `tooMuchEvidence` if the required rows exceed the limits, otherwise the error of reading.
    public func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) async throws(StoreError) -> CustomerEvidence {
        guard let scope = AppScope(app: app, environment) else { return CustomerEvidence() }
        return try evidence(of: originals, in: scope).evidence
    }

    package func evidence(of originals: Set<String>, in scope: AppScope) throws(StoreError) -> StoredEvidence {
        guard !originals.isEmpty else { return StoredEvidence() }
        return try evidence(of: originals, in: scope, excluding: nil)
    }

    /// Reads without changing threads, which takes longer than reading the evidence about most customers.
    package func evidence(beside receipt: VerifiedReceipt) throws(StoreError) -> StoredEvidence {
        guard receipt.hasOriginals, let scope = AppScope(app: receipt.bundleIdentifier, receipt.environment)
        else { return StoredEvidence() }
        return try evidence(
            of: receipt.originals, in: scope, excluding: Data(ContentDigest.sha256(of: receipt)))
    }

    /// One indexed look-up for most customers, instead of four for each original transaction: budget, 89 KB.
    package func isSole(_ receipt: VerifiedReceipt) throws(StoreError) -> Bool {
        try state.checkOpen()
        let digest = Data(ContentDigest.sha256(of: receipt))
        do {
            return try (lookups ?? database).unsafeRead { database in
                try Int.fetchOne(
                    database.cachedStatement(
                        sql: "SELECT 1 FROM receipts INDEXED BY receipts_sole WHERE digest = ? AND sole = 1"),
                    arguments: [digest])
                    != nil
            }
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    /// Reads rows and verifies them.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: Their app and environment.
    ///   - digest: The digest of a receipt that is left out; nil for none.
    private func evidence(
        of originals: Set<String>, in scope: AppScope, excluding digest: Data?
    ) throws(StoreError) -> StoredEvidence {
        try state.checkOpen()
        let rows: EvidenceRows
        do {
            // Without a transaction, as in `read`.
            rows = try database.unsafeRead {
                try EvidenceRows(of: originals, scope: scope, excluding: digest, limits: limits, in: $0)
            }
        } catch {
            throw StoreError(sqlite: error)
        }
        return try state.verified(rows, by: verifier, for: originals, in: scope)
    }

    package var untrustedOriginals: [ScopedOriginal] { state.untrustedOriginals }
}
#endif
