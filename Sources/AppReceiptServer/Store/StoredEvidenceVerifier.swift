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

/// Verifies what comes out of the database, every time as if it came from a stranger: whoever can write the file must not
/// be able to say what Apple signed, and what was trusted when it went in may not be any more.
///
/// What was verified is remembered by its digest, within bounds, for as long as the process runs and so under the same
/// roots. What was refused is not.
struct StoredEvidenceVerifier: Sendable {
    private let receipts: ReceiptVerifier
    private let signedData: SignedDataVerifier
    private let known: LockedValueBox<GenerationalCache<SHA256Digest, Verified>>

    private enum Verified: Sendable {
        case transaction(VerifiedTransaction)
        case renewal(VerifiedRenewalInfo)
        case receipt(VerifiedReceipt)
    }

    /// - Parameter cachedBytes: how many bytes of tokens and receipts are remembered.
    init(receipts: ReceiptVerifier, signedData: SignedDataVerifier, cachedBytes: Int) {
        self.receipts = receipts
        self.signedData = signedData
        known = LockedValueBox(GenerationalCache(capacity: cachedBytes))
    }

    /// The transaction in a token, nil if it is none that is trusted.
    func transaction(_ token: String) -> VerifiedTransaction? {
        let digest = ContentDigest.of(.transaction, token.utf8)
        if case .transaction(let transaction) = remembered(digest) { return transaction }
        guard let transaction = try? signedData.verifyTransaction(token, expecting: Self.anything) else { return nil }
        remember(.transaction(transaction), digest, token.utf8.count)
        return transaction
    }

    /// The renewal information in a token, nil if it is none that is trusted.
    func renewal(_ token: String) -> VerifiedRenewalInfo? {
        let digest = ContentDigest.of(.renewal, token.utf8)
        if case .renewal(let renewal) = remembered(digest) { return renewal }
        guard let renewal = try? signedData.verifyRenewalInfo(token, expecting: Self.anything) else { return nil }
        remember(.renewal(renewal), digest, token.utf8.count)
        return renewal
    }

    /// The receipt in these bytes, nil if it is none that is trusted.
    func receipt(_ der: [UInt8]) -> VerifiedReceipt? {
        let digest = ContentDigest.of(.receipt, der)
        if case .receipt(let receipt) = remembered(digest) { return receipt }
        // Whether a volume purchase expired is for the client to decide, as in verifyReceipt answers.
        guard
            let receipt = try? receipts.verify(
                der, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
                now: .distantPast)
        else { return nil }
        remember(.receipt(receipt), digest, der.count)
        return receipt
    }

    /// App and environment are compared by who asks, who knows what they must be.
    private static let anything = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

    private func remembered(_ digest: SHA256Digest) -> Verified? { known.withLock { $0.value(for: digest) } }

    private func remember(_ verified: Verified, _ digest: SHA256Digest, _ octets: Int) {
        known.withLock { $0.insert(verified, for: digest, cost: octets) }
    }
}

/// By what things are told apart without keeping them.
enum ContentDigest {
    /// What the bytes are, so that the same bytes are not taken for something else.
    enum Kind: UInt8 {
        case transaction = 1
        case renewal
        case notification
        case receipt
    }

    static func of(_ kind: Kind, _ octets: some Collection<UInt8>) -> SHA256Digest {
        var hash = SHA256()
        hash.update(data: [kind.rawValue])
        if octets.withContiguousStorageIfAvailable({ unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0)) })
            == nil
        {
            hash.update(data: Array(octets))
        }
        return hash.finalize()
    }
}
#endif
