#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import Crypto
import AppReceiptSupport

/// Verifies stored evidence when it is read.
///
/// The database is untrusted: an attacker may be able to write the file, and trust may have changed since the data was
/// stored. Verified values are cached by their digest, within bounds, as long as the process runs, and therefore under
/// the same roots. Failures aren't cached.
struct StoredEvidenceVerifier: Sendable {
    private let receipts: ReceiptVerifier
    private let signedData: SignedDataVerifier
    private let cache: LockedValueBox<GenerationalCache<SHA256Digest, Verified>>

    private enum Verified: Sendable {
        case transaction(VerifiedTransaction)
        case renewal(VerifiedRenewalInfo)
        case notification(VerifiedNotification)
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

    /// Identifies the trusted roots.
    var trust: Data {
        let roots = [receipts.anchors, signedData.anchors].map { anchors in
            anchors.certificates.sorted { $0.lexicographicallyPrecedes($1) }
        }
        var hash = SHA256()
        for (number, certificates) in roots.enumerated() {
            for certificate in certificates {
                hash.update(data: [UInt8(number)])
                hash.update(data: SHA256.hash(data: certificate).map(\.self))
            }
        }
        return Data(hash.finalize())
    }

    /// Whether a token doesn't verify because of its certificates: the trusted roots changed since it was stored.
    func isUntrusted(token: String) -> Bool {
        do throws(ReceiptError) {
            _ = try signedData.verifyTransaction(token, expecting: Self.anything)
            return false
        } catch {
            return error.check == .certificateChain
        }
    }

    /// Whether a receipt doesn't verify because of its certificates.
    func isUntrusted(receipt der: [UInt8]) -> Bool {
        do throws(ReceiptError) {
            _ = try verify(der)
            return false
        } catch {
            return error.check == .certificateChain
        }
    }

    /// The verified transaction in a token; nil if it doesn't verify.
    func transaction(_ token: String) -> VerifiedTransaction? {
        let digest = ContentDigest.sha256(of: token.utf8, kind: .transaction)
        if case .transaction(let transaction) = cached(digest) { return transaction }
        guard let transaction = try? signedData.verifyTransaction(token, expecting: Self.anything) else { return nil }
        insert(.transaction(transaction), for: digest, size: token.utf8.count)
        return transaction
    }

    /// The verified renewal information in a token; nil if it doesn't verify.
    func renewal(_ token: String) -> VerifiedRenewalInfo? {
        let digest = ContentDigest.sha256(of: token.utf8, kind: .renewal)
        if case .renewal(let renewal) = cached(digest) { return renewal }
        guard let renewal = try? signedData.verifyRenewalInfo(token, expecting: Self.anything) else { return nil }
        insert(.renewal(renewal), for: digest, size: token.utf8.count)
        return renewal
    }

    /// The verified notification in a token; nil if it doesn't verify.
    func notification(_ token: String) -> VerifiedNotification? {
        let digest = ContentDigest.sha256(of: token.utf8, kind: .notification)
        if case .notification(let notification) = cached(digest) { return notification }
        guard let notification = try? signedData.verifyNotification(token, expecting: Self.anything) else { return nil }
        insert(.notification(notification), for: digest, size: token.utf8.count)
        return notification
    }

    /// The verified receipt; nil if it doesn't verify.
    func receipt(_ der: [UInt8]) -> VerifiedReceipt? {
        let digest = ContentDigest.sha256(of: der, kind: .container)
        if case .receipt(let receipt) = cached(digest) { return receipt }
        guard let receipt = try? verify(der) else { return nil }
        insert(.receipt(receipt), for: digest, size: der.count)
        return receipt
    }

    private func verify(_ der: [UInt8]) throws(ReceiptError) -> VerifiedReceipt {
        // Clients decide whether a volume purchase has expired, as in verifyReceipt answers.
        try receipts.verify(
            der, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: .distantPast)
    }

    /// The caller compares app and environment.
    private static let anything = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

    private func cached(_ digest: SHA256Digest) -> Verified? { cache.withLock { $0.value(for: digest) } }

    private func insert(_ verified: Verified, for digest: SHA256Digest, size: Int) {
        cache.withLock { $0.insert(verified, for: digest, cost: size) }
    }
}
#endif
