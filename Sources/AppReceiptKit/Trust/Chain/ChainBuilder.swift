package import AppReceiptFoundation
package import AppReceiptParsing
import AppReceiptSupport

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

    /// Returns the error for a chain that ends at another root. Its message names the trusted roots, and says if the
    /// chain is Apple's.
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
