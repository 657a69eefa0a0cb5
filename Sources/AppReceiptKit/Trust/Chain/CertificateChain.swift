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
