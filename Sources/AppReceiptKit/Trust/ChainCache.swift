import AppReceiptParsing
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Chains that a verifier has judged good, so that the next receipt with the same certificates needs no new validation.
///
/// It never changes an answer:
/// - What is kept is a signer, its intermediate and its anchor, proven from a pinned anchor down, and how long all three
///   are valid. Nothing of a receipt is kept, no digest, no verdict, and no failure.
/// - A chain is known again only if every certificate of the container is one of its own, byte for byte, and the signer's
///   identifier names its signer. What else could be wrong with them does not depend on the date.
/// - The date is judged anew for each receipt; outside of the chain's validity the rules are walked from the start.
///
/// Only chains that the pinned anchors vouch for come in, each in one form: certificates beside a chain are no part of it,
/// and one whose signature is written in another way (of an elliptic signature anybody can write two) takes the place of
/// the same. So nobody but the anchors' owner can fill the cache or push something else out. Each verifier has a cache of
/// its own, because anchors are part of the validation.
final class ChainCache: Sendable {
    /// Many more than there are signers of receipts at one time; Apple has had about a dozen in as many years.
    static let maxChains = 64
    /// More than three certificates ever have; larger ones are judged anew each time.
    static let maxOctets = 32 << 10

    private let known = LockedValueBox<[KnownChain]>([])

    /// What a validation of this container at this date would give, if its chain is known and the date suits.
    func chain(of container: ReceiptContainer, at date: Date) -> CertificateChain? {
        // Looked through outside of the lock.
        let chains = known.withLock { $0 }
        return chains.first { $0.validity.contains(date) && $0.isChain(of: container) }?.chain
    }

    /// The same for a token, which names no signer but puts it first and its issuer second.
    func chain(signer: ArraySlice<UInt8>, intermediate: ArraySlice<UInt8>, at date: Date) -> CertificateChain? {
        let chains = known.withLock { $0 }
        return chains.first {
            $0.validity.contains(date) && signer.isSame(as: $0.chain.signer.der)
                && intermediate.isSame(as: $0.intermediate.der)
        }?.chain
    }

    /// Keeps a chain that was judged good, in place of the oldest if there are too many.
    ///
    /// - Parameter chain: must be the first that the rules try for its signer and intermediate, so that they would come
    ///   to the same one at any other date.
    func keep(_ chain: CertificateChain) {
        guard let kept = KnownChain(chain) else { return }
        known.withLock { chains in
            if let same = chains.firstIndex(where: { $0.certifiesTheSame(as: kept) }) {
                chains[same] = kept
                return
            }
            if chains.count == Self.maxChains { chains.removeFirst() }
            chains.append(kept)
        }
    }

    /// The chains that are kept, the oldest first.
    var chains: [CertificateChain] { known.withLock { $0 }.map(\.chain) }
}

/// A chain that was judged good, and when it is.
private struct KnownChain: Sendable {
    let chain: CertificateChain
    let intermediate: Certificate
    let anchor: Certificate
    let validity: ClosedRange<Date>

    /// - Returns: nil if it is too large, is no chain to an anchor, or could be ambiguous.
    init?(_ chain: CertificateChain) {
        guard let intermediate = chain.intermediate, let anchor = chain.anchor else { return nil }
        let octets = chain.signer.der.count + intermediate.der.count + anchor.der.count
        let from = max(chain.signer.notBefore, intermediate.notBefore, anchor.notBefore)
        let to = min(chain.signer.notAfter, intermediate.notAfter, anchor.notAfter)
        guard octets <= ChainCache.maxOctets, from <= to else { return nil }
        // An anchor of the signer's issuer could be taken for the signer where the container has it.
        guard anchor.issuer != chain.signer.issuer else { return nil }
        // The certificates of a receipt are slices of it, and would keep the whole of it.
        guard let ownSigner = Certificate(der: Array(chain.signer.der)[...]),
            let ownIntermediate = Certificate(der: Array(intermediate.der)[...])
        else { return nil }
        self.chain = CertificateChain(
            signer: ownSigner, signerKey: chain.signerKey, intermediate: ownIntermediate, anchor: anchor)
        self.intermediate = ownIntermediate
        self.anchor = anchor
        validity = from...to
    }

    /// Whether the same was certified, however the signatures over it are written.
    func certifiesTheSame(as other: KnownChain) -> Bool {
        chain.signer.toBeSigned == other.chain.signer.toBeSigned
            && intermediate.toBeSigned == other.intermediate.toBeSigned && anchor == other.anchor
    }

    /// Whether the container names this chain's signer, and carries signer and intermediate and nothing that is not of
    /// this chain. Other identifiers than Apple's, and certificates beside the chain, are left to the rules.
    func isChain(of container: ReceiptContainer) -> Bool {
        guard case .issuerAndSerialNumber(let issuer, let serialNumber) = container.signer.identifier,
            serialNumber.isSame(as: chain.signer.serialNumber), issuer.isSame(as: chain.signer.issuer)
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
