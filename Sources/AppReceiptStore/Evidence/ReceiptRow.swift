#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// A stored receipt, without the unsigned parts of its container.
struct ReceiptRow: Sendable, Hashable {
    /// Identifies the receipt.
    let digest: Data
    let scope: AppScope
    let created: Int64
    let der: [UInt8]
}

extension ReceiptRow {
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

    /// The verified receipt; nil if it doesn't verify or differs from the other columns.
    func verified(by verifier: StoredEvidenceVerifier) -> VerifiedReceipt? {
        guard let receipt = verifier.receipt(der),
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
    ///   - verifier: Verifies the receipt.
    func isUntrustedRevocation(ofAny originals: Set<String>? = nil, by verifier: StoredEvidenceVerifier) -> Bool {
        guard verifier.isUntrusted(receipt: der), let receipt = try? AppReceipt(parsing: der) else { return false }
        return receipt.purchases.contains { purchase in
            guard purchase.cancellationDate != nil, let original = purchase.original else { return false }
            return originals?.contains(original) ?? true
        }
    }
}

extension VerifiedReceipt {
    /// The transactions in the receipt that aren't original ones, with their original transactions, by which purchases
    /// are found.
    var listedTransactions: [(identifier: String, original: String)] {
        purchases.compactMap { purchase in
            guard let identifier = purchase.transactionIdentifier, let original = purchase.original,
                identifier != original, identifier.isStorable, original.isStorable
            else { return nil }
            return (identifier, original)
        }
    }
}
#endif
