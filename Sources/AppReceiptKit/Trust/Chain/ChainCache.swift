import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

/// A bounded cache of validated certificate chains.
///
/// An entry contains the signer, the intermediate, the anchor, and the interval in which all three are valid. A lookup
/// succeeds only if the container's certificates match an entry byte for byte, its signer's identifier matches the
/// entry's signer, and the date is in that interval. Failures, receipts, digests and results are never cached.
///
/// Only chains that end at a pinned anchor are added, so an attacker can't fill or evict the cache. An entry doesn't
/// contain other certificates of the container. A chain that differs only in its signatures replaces the entry, because
/// anyone can compute a second encoding of an elliptic-curve signature. Each verifier has its own cache, because a
/// chain depends on the anchors.
final class ChainCache: Sendable {
    /// The maximum number of chains. Apple has used about a dozen signers in as many years.
    static let maxChains = 64
    /// The maximum size of a chain, larger than any genuine one. Larger chains are validated each time.
    static let maxBytes = 32 << 10

    private let entries = LockedValueBox<[Entry]>([])

    /// Returns the chain of a container, nil if it isn't cached or isn't valid at the date.
    func chain(of container: ReceiptContainer, at date: Date) -> CertificateChain? {
        // Copy under the lock, compare outside of it.
        let entries = entries.withLock { $0 }
        return entries.first { $0.validity.contains(date) && $0.isChain(of: container) }?.chain
    }

    /// Returns the chain of a token, whose first certificate is the signer and whose second is the intermediate.
    func chain(signer: ArraySlice<UInt8>, intermediate: ArraySlice<UInt8>, at date: Date) -> CertificateChain? {
        let entries = entries.withLock { $0 }
        return entries.first {
            $0.validity.contains(date) && signer.isSame(as: $0.chain.signer.der)
                && intermediate.isSame(as: $0.intermediate.der)
        }?.chain
    }

    /// Adds a validated chain, and removes the oldest one if the cache is full.
    ///
    /// - Parameter chain: The first candidate for its signer and intermediate, so that a search at any other date has
    ///   the same result.
    func insert(_ chain: CertificateChain) {
        guard let entry = Entry(chain) else { return }
        entries.withLock { entries in
            if let same = entries.firstIndex(where: { $0.hasSameContents(as: entry) }) {
                entries[same] = entry
                return
            }
            if entries.count == Self.maxChains { entries.removeFirst() }
            entries.append(entry)
        }
    }

    /// The cached chains, the oldest first.
    var chains: [CertificateChain] { entries.withLock { $0 }.map(\.chain) }
}

/// A validated chain, and the interval in which it is valid.
private struct Entry: Sendable {
    let chain: CertificateChain
    let intermediate: EncodedCertificate
    let anchor: EncodedCertificate
    let validity: ClosedRange<Date>

    /// - Returns: `nil` if the chain is too large, doesn't end at an anchor, or could be ambiguous.
    init?(_ chain: CertificateChain) {
        guard let intermediate = chain.intermediate, let anchor = chain.anchor else { return nil }
        let bytes = chain.signer.der.count + intermediate.der.count + anchor.der.count
        let from = max(chain.signer.notBefore, intermediate.notBefore, anchor.notBefore)
        let to = min(chain.signer.notAfter, intermediate.notAfter, anchor.notAfter)
        guard bytes <= ChainCache.maxBytes, from <= to else { return nil }
        // A container with such an anchor could identify it as the signer.
        guard anchor.issuer != chain.signer.issuer else { return nil }
        self.chain = chain
        self.intermediate = intermediate
        self.anchor = anchor
        validity = from...to
    }

    /// Returns whether the certificates are equal except for their signatures.
    func hasSameContents(as other: Entry) -> Bool {
        chain.signer.toBeSigned == other.chain.signer.toBeSigned
            && intermediate.toBeSigned == other.intermediate.toBeSigned && anchor == other.anchor
    }

    /// Returns whether the container identifies this chain's signer, and contains its signer, its intermediate and no
    /// other certificates except the anchor.
    ///
    /// Containers with another form of identifier, or with additional certificates, never match.
    func isChain(of container: ReceiptContainer) -> Bool {
        guard case .issuerAndSerialNumber(let issuer, let serialNumber) = container.signer.identifier,
            serialNumber == chain.signer.serialNumber, issuer == chain.signer.issuer
        else { return false }
        var hasSigner = false
        var hasIntermediate = false
        for certificate in container.certificates {
            if certificate.isSame(as: chain.signer.der) {
                hasSigner = true
            } else if certificate.isSame(as: intermediate.der) {
                hasIntermediate = true
            } else if !certificate.isSame(as: anchor.der) {
                return false
            }
        }
        return hasSigner && hasIntermediate
    }
}
