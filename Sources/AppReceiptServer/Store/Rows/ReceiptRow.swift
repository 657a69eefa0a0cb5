#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import GRDB

/// A row of `receipts`. The container is stored without its unsigned parts.
struct ReceiptRow: Sendable, Hashable {
    /// Identifies the receipt.
    let digest: Data
    let scope: AppScope
    let created: Int64
    let der: [UInt8]

    /// The row of a verified receipt; nil if it isn't stored.
    init?(_ verified: VerifiedReceipt) {
        guard let scope = AppScope(app: verified.bundleIdentifier, verified.environment),
            let created = verified.creationDate.milliseconds
        else { return nil }
        digest = Data(ContentDigest.sha256(of: verified))
        self.scope = scope
        self.created = created
        der = verified.strippedContainer()
    }

    static let columns = "digest, app, environment, created, der"

    /// Creates the row from the database, unverified; nil if columns have the wrong types or another app.
    ///
    /// - Parameters:
    ///   - row: The row of the query.
    ///   - scope: The expected app and environment.
    ///   - column: The first column of the receipt.
    init?(_ row: Row, in scope: AppScope, from column: Int = 0) {
        guard let digest = Data.fromDatabaseValue(row[column]),
            String.fromDatabaseValue(row[column + 1]) == scope.app,
            String.fromDatabaseValue(row[column + 2]) == scope.environment,
            let created = Int64.fromDatabaseValue(row[column + 3]), let der = Data.fromDatabaseValue(row[column + 4])
        else { return nil }
        self.digest = digest
        self.scope = scope
        self.created = created
        self.der = Array(der)
    }

    /// The verified receipt; nil if it doesn't verify or differs from the other columns.
    func verified(by evidence: StoredEvidenceVerifier) -> VerifiedReceipt? {
        guard let receipt = evidence.receipt(der),
            AppScope(app: receipt.bundleIdentifier, receipt.environment) == scope,
            receipt.creationDate.milliseconds == created,
            Data(ContentDigest.sha256(of: receipt)) == digest
        else { return nil }
        return receipt
    }

    /// Whether the receipt states the cancellation of a purchase, and a root signed it that isn't trusted any more.
    ///
    /// - Parameters:
    ///   - originals: The original transactions of the purchases; nil for any.
    ///   - evidence: Verifies the receipt.
    func isUntrustedRevocation(ofAny originals: Set<String>? = nil, by evidence: StoredEvidenceVerifier) -> Bool {
        guard evidence.isUntrusted(receipt: der), let receipt = try? AppReceipt(parsing: der) else { return false }
        return receipt.purchases.contains { purchase in
            guard purchase.cancellationDate != nil, let original = purchase.original else { return false }
            return originals?.contains(original) ?? true
        }
    }
}
#endif
