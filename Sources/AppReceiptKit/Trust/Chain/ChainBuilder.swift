package import AppReceiptFoundation
package import AppReceiptParsing
import AppReceiptSupport
package import SwiftASN1

/// Builds and validates the chain from a signer's certificate to a trust anchor.
///
/// A chain consists of the signer, one intermediate and one anchor. The builder tries each intermediate and anchor with
/// matching names, validates each candidate from the anchor down, and returns the first valid one. It doesn't cache
/// chains; `ChainValidator` does.
package struct ChainBuilder: Sendable {
    let anchors: TrustAnchors
    let policy: ChainPolicy

    package init(anchors: TrustAnchors, policy: ChainPolicy) {
        self.anchors = anchors
        self.policy = policy
    }

    /// Builds a chain in which every certificate is valid at a date.
    ///
    /// A receipt has at most six certificates, which limits the candidates to five for each anchor.
    ///
    /// - Parameters:
    ///   - signer: The certificate that the signer's identifier refers to.
    ///   - certificates: The possible intermediates. Self-issued ones are never used.
    ///   - date: The date at which every certificate must be valid.
    /// - Returns: The chain, and whether it may be cached: only if it was the first candidate. Otherwise another one
    ///   may be valid at another date.
    /// - Throws: The failure of the candidate that passed the most rules, as the most specific one.
    package func build(
        from signer: EncodedCertificate, intermediates certificates: [EncodedCertificate], at date: Date
    ) throws(ReceiptError) -> (chain: CertificateChain, isCacheable: Bool) {
        guard !signer.isSelfIssued else { throw ReceiptError(.signerSelfSigned) }
        // Checked first: otherwise a CA certificate fails as a chain of the wrong length, which hides the cause.
        guard !signer.isAuthority else { throw ReceiptError(.signerIsAuthority) }
        let issuers = certificates.filter { $0.subject == signer.issuer }
        var failure = RankedFailure(policy.intermediateMissing)
        if issuers.contains(where: \.isSelfIssued) || policy.infersShortChains && isAnchor(named: signer.issuer) {
            failure.record(ReceiptError(.chainTooShort), rank: .noIntermediate)
        }
        var isCacheable = true
        for intermediate in issuers where !intermediate.isSelfIssued {
            guard isAnchor(named: intermediate.issuer) else {
                let hasIssuer = certificates.contains { $0.subject == intermediate.issuer && !$0.isSelfIssued }
                failure.record(
                    hasIssuer
                        ? ReceiptError(.chainTooLong) : untrustedRoot(from: signer, through: intermediate, at: date),
                    rank: .noAnchor)
                continue
            }
            for anchor in anchors.anchors(named: intermediate.issuer) {
                var candidate = candidate(from: signer, through: intermediate, to: anchor, at: date)
                do throws(ReceiptError) {
                    return (try candidate.validate(), isCacheable)
                } catch {
                    failure.record(error, rank: .candidate(passedRules: candidate.passedRules))
                    isCacheable = false
                }
            }
        }
        throw failure.error
    }

    private func isAnchor(named name: ArraySlice<UInt8>) -> Bool { anchors.anchors(named: name).contains { _ in true } }

    private func candidate(
        from signer: EncodedCertificate, through intermediate: EncodedCertificate, to anchor: TrustAnchor,
        at date: Date
    ) -> CandidateChain {
        CandidateChain(
            signer: signer, intermediate: intermediate, anchor: anchor, policy: policy, date: date.roundedDownToSecond)
    }

    /// The error for a chain that ends at another root. Its message names the trusted roots, and says if the chain is
    /// Apple's.
    private func untrustedRoot(
        from signer: EncodedCertificate, through intermediate: EncodedCertificate, at date: Date
    ) -> ReceiptError {
        let isApples = TrustAnchors.apple.anchors(named: intermediate.issuer).contains { anchor in
            var candidate = candidate(from: signer, through: intermediate, to: anchor, at: date)
            return (try? candidate.validate()) != nil
        }
        return ReceiptError(
            .rootNotTrusted,
            isApples
                ? "The chain ends at Apple's root, which isn't trusted here. Trusted: \(anchors.names)."
                : "The chain doesn't end at a root that is trusted here. Trusted: \(anchors.names).")
    }

    /// The failure with the highest rank so far; of equal ranks, the first.
    private struct RankedFailure {
        private(set) var error: ReceiptError
        private var rank: Rank?

        init(_ error: ReceiptError) { self.error = error }

        mutating func record(_ error: ReceiptError, rank: Rank) {
            guard self.rank.map({ $0 < rank }) ?? true else { return }
            self.error = error
            self.rank = rank
        }

        /// The progress of the search, in ascending order.
        enum Rank: Comparable {
            case noIntermediate
            case noAnchor
            case candidate(passedRules: Int)
        }
    }
}

/// A validated certificate chain: the signer, one intermediate and a pinned anchor, or a trusted Xcode certificate
/// alone.
///
/// A class, because certificates are large values and a verified receipt keeps its chain.
package final class CertificateChain: Sendable {
    package let signer: EncodedCertificate
    package let signerKey: CertificateKey
    /// Nil for a trusted Xcode certificate.
    package let intermediate: EncodedCertificate?
    package let anchor: EncodedCertificate?
    /// The common name of the anchor.
    let anchorName: String?
    /// Whether the signer is a trusted Xcode certificate.
    package let isXcode: Bool

    init(
        signer: EncodedCertificate, signerKey: CertificateKey, intermediate: EncodedCertificate?,
        anchor: TrustAnchor?
    ) {
        self.signer = signer
        self.signerKey = signerKey
        self.intermediate = intermediate
        self.anchor = anchor?.certificate
        anchorName = anchor?.name
        isXcode = anchor == nil
    }
}

/// Two chains are equal if their certificates are equal.
extension CertificateChain: Hashable {
    package static func == (left: CertificateChain, right: CertificateChain) -> Bool {
        left === right
            || left.signer == right.signer && left.intermediate == right.intermediate && left.anchor == right.anchor
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(signer) }
}

/// The rules for certificate chains that depend on the kind of signed data.
///
/// `CandidateChain` has the rules that apply to every kind of data.
package struct ChainPolicy: Sendable {
    /// The extension that an intermediate must have, nil if none is required.
    let intermediateMarker: ASN1ObjectIdentifier?
    /// The extension that the signer's certificate must have.
    let signerMarker: ASN1ObjectIdentifier
    /// The code for a signer without the marker.
    let signerMarkerMissing: ReceiptError.Code
    /// The failure if none of the certificates issued the signer's certificate.
    let intermediateMissing: ReceiptError
    /// Whether a missing intermediate is reported as a short chain if an anchor has the name of the signer's issuer.
    let infersShortChains: Bool
    /// Reads the signer's key, and throws if the key isn't accepted.
    let signerKey: @Sendable (ASN1Node) throws(ReceiptError) -> CertificateKey

    package init(
        intermediateMarker: ASN1ObjectIdentifier?, signerMarker: ASN1ObjectIdentifier,
        signerMarkerMissing: ReceiptError.Code, intermediateMissing: ReceiptError, infersShortChains: Bool,
        signerKey: @escaping @Sendable (ASN1Node) throws(ReceiptError) -> CertificateKey
    ) {
        self.intermediateMarker = intermediateMarker
        self.signerMarker = signerMarker
        self.signerMarkerMissing = signerMarkerMissing
        self.intermediateMissing = intermediateMissing
        self.infersShortChains = infersShortChains
        self.signerKey = signerKey
    }

    /// The policy for receipts, which contain the intermediate among other certificates.
    static let receipt = appStore(intermediateMissing: ReceiptError(.intermediateMissing), infersShortChains: true)

    /// The policy for tokens, whose second certificate is the intermediate.
    static let token = appStore(
        intermediateMissing: ReceiptError(
            .intermediateMissing, "The token's second certificate isn't the issuer of its first."),
        infersShortChains: false)

    private static func appStore(intermediateMissing: ReceiptError, infersShortChains: Bool) -> ChainPolicy {
        ChainPolicy(
            intermediateMarker: AppleExtension.intermediateMarker,
            signerMarker: AppleExtension.signerMarker, signerMarkerMissing: .signerMarkerMissing,
            intermediateMissing: intermediateMissing, infersShortChains: infersShortChains
        ) { keyInfo throws(ReceiptError) in
            try CertificateKey(keyInfo, codes: .signer)
        }
    }
}
