#if Server
import AppReceiptKit
import AppStoreSignedData
import Crypto
import VerifyReceipt
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Verifies stored evidence when it is read.
///
/// The database is untrusted: an attacker may be able to write the file, and trust may have changed since the data was stored. Verified
/// values are cached by their digest, within bounds, as long as the process runs, and therefore under the same roots. Failures aren't cached.
struct StoredEvidenceVerifier: Sendable {
    private let receipts: ReceiptVerifier
    private let signedData: SignedDataVerifier
    private let cache: LockedValueBox<GenerationalCache<SHA256Digest, Verified>>

    private enum Verified: Sendable {
        case transaction(VerifiedTransaction)
        case renewal(VerifiedRenewalInfo)
        case receipt(VerifiedReceipt)
    }

    /// - Parameters:
    ///   - receipts: Verifies receipts.
    ///   - signedData: Verifies tokens.
    ///   - maxCachedBytes: The total size of the cached tokens and receipts in bytes.
    init(receipts: ReceiptVerifier, signedData: SignedDataVerifier, maxCachedBytes: Int) {
        self.receipts = receipts
        self.signedData = signedData
        cache = LockedValueBox(GenerationalCache(capacity: maxCachedBytes))
    }

    /// The verified transaction in a token; nil if it doesn't verify.
    func transaction(_ token: String) -> VerifiedTransaction? {
        let digest = ContentDigest.sha256(of: token.utf8, kind: .transaction)
        if case .transaction(let transaction) = cached(digest) { return transaction }
        guard let transaction = try? signedData.verifyTransaction(token, expecting: Self.anything) else { return nil }
        insert(.transaction(transaction), digest, token.utf8.count)
        return transaction
    }

    /// The verified renewal information in a token; nil if it doesn't verify.
    func renewal(_ token: String) -> VerifiedRenewalInfo? {
        let digest = ContentDigest.sha256(of: token.utf8, kind: .renewal)
        if case .renewal(let renewal) = cached(digest) { return renewal }
        guard let renewal = try? signedData.verifyRenewalInfo(token, expecting: Self.anything) else { return nil }
        insert(.renewal(renewal), digest, token.utf8.count)
        return renewal
    }

    /// The verified receipt; nil if it doesn't verify.
    func receipt(_ der: [UInt8]) -> VerifiedReceipt? {
        let digest = ContentDigest.sha256(of: der, kind: .receipt)
        if case .receipt(let receipt) = cached(digest) { return receipt }
        // Clients decide whether a volume purchase has expired, as in verifyReceipt answers.
        guard
            let receipt = try? receipts.verify(
                der, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
                now: .distantPast)
        else { return nil }
        insert(.receipt(receipt), digest, der.count)
        return receipt
    }

    /// The caller compares app and environment.
    private static let anything = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

    private func cached(_ digest: SHA256Digest) -> Verified? { cache.withLock { $0.value(for: digest) } }

    private func insert(_ verified: Verified, _ digest: SHA256Digest, _ size: Int) {
        cache.withLock { $0.insert(verified, for: digest, cost: size) }
    }
}
#endif
