package import AppReceiptParsing
package import SwiftASN1

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
