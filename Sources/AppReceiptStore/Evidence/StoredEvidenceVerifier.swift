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
    /// By a digest that depends on the kind, so that each value has the type that is read.
    private let cache: LockedValueBox<GenerationalCache<SHA256Digest, any Sendable>>

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
        isUntrusted { () throws(ReceiptError) in _ = try verifiedTransaction(token) }
    }

    /// Whether a receipt doesn't verify because of its certificates.
    func isUntrusted(receipt der: [UInt8]) -> Bool {
        isUntrusted { () throws(ReceiptError) in _ = try verifiedReceipt(der) }
    }

    private func isUntrusted(_ verify: () throws(ReceiptError) -> Void) -> Bool {
        do throws(ReceiptError) {
            try verify()
            return false
        } catch {
            return error.check == .certificateChain
        }
    }

    /// The verified transaction in a token; nil if it doesn't verify.
    func transaction(_ token: String) -> VerifiedTransaction? {
        cached(token.utf8, kind: .transaction) { try verifiedTransaction(token) }
    }

    /// The verified renewal information in a token; nil if it doesn't verify.
    func renewal(_ token: String) -> VerifiedRenewalInfo? {
        cached(token.utf8, kind: .renewal) { try verifiedRenewal(token) }
    }

    /// The verified notification in a token; nil if it doesn't verify.
    func notification(_ token: String) -> VerifiedNotification? {
        cached(token.utf8, kind: .notification) { try verifiedNotification(token) }
    }

    /// The verified receipt; nil if it doesn't verify.
    func receipt(_ der: [UInt8]) -> VerifiedReceipt? {
        cached(der, kind: .container) { try verifiedReceipt(der) }
    }

    // MARK: Without the cache

    /// The transaction in a token, or why it doesn't verify.
    func verifiedTransaction(_ token: String) throws(ReceiptError) -> VerifiedTransaction {
        try signedData.verifyTransaction(token, expecting: Self.anything)
    }

    /// The renewal information in a token, or why it doesn't verify.
    func verifiedRenewal(_ token: String) throws(ReceiptError) -> VerifiedRenewalInfo {
        try signedData.verifyRenewalInfo(token, expecting: Self.anything)
    }

    /// The notification in a token, or why it doesn't verify.
    func verifiedNotification(_ token: String) throws(ReceiptError) -> VerifiedNotification {
        try signedData.verifyNotification(token, expecting: Self.anything)
    }

    /// The receipt, or why it doesn't verify.
    func verifiedReceipt(_ der: [UInt8]) throws(ReceiptError) -> VerifiedReceipt {
        // Clients decide whether a volume purchase has expired, as in verifyReceipt answers.
        try receipts.verify(
            der, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: .distantPast)
    }

    // MARK: The cache

    /// Remembers what was verified before it was written, so that reading it doesn't verify it again. What chains to a
    /// root that isn't trusted here is verified when it is read.
    func remember(_ evidence: CustomerEvidence) {
        for receipt in evidence.receipts where Self.isTrusted(receipt.chain, by: receipts.anchors) {
            let container = receipt.strippedContainer()
            if let stripped = receipt.stripped(to: container) { remember(stripped, as: container, kind: .container) }
        }
        for transaction in evidence.transactions { remember(transaction, kind: .transaction) }
        for renewal in evidence.renewals { remember(renewal, kind: .renewal) }
        for notification in evidence.notifications {
            guard Self.isTrusted(notification.notification.chain, by: signedData.anchors) else { continue }
            remember(notification, as: Array(notification.notification.token.utf8), kind: .notification)
            if let transaction = notification.transaction { remember(transaction, kind: .transaction) }
            if let renewal = notification.renewalInfo { remember(renewal, kind: .renewal) }
        }
    }

    private func remember<Claims>(_ data: VerifiedData<Claims>, kind: ContentDigest.Kind) {
        guard Self.isTrusted(data.chain, by: signedData.anchors) else { return }
        remember(data, as: Array(data.token.utf8), kind: kind)
    }

    private func remember(_ verified: some Sendable, as bytes: [UInt8], kind: ContentDigest.Kind) {
        let digest = ContentDigest.sha256(of: bytes, kind: kind)
        cache.withLock { $0.insert(verified, for: digest, cost: bytes.count) }
    }

    private static func isTrusted(_ chain: CertificateChain, by anchors: TrustAnchors) -> Bool {
        chain.anchor.map { root in anchors.certificates.contains { $0[...] == root.der } } ?? false
    }

    private func cached<Verified: Sendable>(
        _ bytes: some Collection<UInt8>, kind: ContentDigest.Kind, verify: () throws -> Verified
    ) -> Verified? {
        let digest = ContentDigest.sha256(of: bytes, kind: kind)
        if let known = cache.withLock({ $0.value(for: digest) }) as? Verified { return known }
        guard let verified = try? verify() else { return nil }
        cache.withLock { $0.insert(verified, for: digest, cost: bytes.count) }
        return verified
    }

    /// The caller compares app and environment.
    private static let anything = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
}
#endif
