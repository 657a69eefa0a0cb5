public import AppReceiptParsing
import AppReceiptSupport
public import X509

/// The root certificates that a verifier trusts. Trust is configuration: certificates in a receipt never become anchors.
public struct TrustAnchors: Sendable {
    let anchors: [TrustAnchor]

    /// Apple's three published roots, embedded in this library. Receipts chain to the first today; Apple doesn't guarantee
    /// any of them, so all three are trusted.
    public static let apple: TrustAnchors = {
        let roots = [AppleRootCertificates.appleInc, AppleRootCertificates.g2, AppleRootCertificates.g3]
        let decoded = roots.compactMap { try? Base64.decode(ArraySlice($0.utf8)) }
        guard decoded.count == roots.count, let anchors = try? TrustAnchors(certificates: decoded) else {
            preconditionFailure("An embedded root certificate is malformed.")
        }
        return anchors
    }()

    /// Creates anchors from certificates.
    ///
    /// - Parameter certificates: Each as DER or PEM; a PEM text may contain several.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or if there is none. A certificate with a key that isn't accepted
    ///   is no error here; every receipt that chains to it fails with a code of its own.
    public init(certificates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var anchors: [TrustAnchor] = []
        for certificate in certificates {
            for der in try CertificateFile.certificates(in: Array(certificate)) {
                anchors.append(try TrustAnchor(der: der))
            }
        }
        guard !anchors.isEmpty else {
            throw ReceiptError(.trustAnchorMalformed, "There is no certificate to use as a trust anchor.")
        }
        self.anchors = anchors
    }

    /// Creates anchors from certificates.
    ///
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded, or if there is none.
    public init(certificates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(certificates: CertificateFile.encoded(certificates))
    }

    /// Creates anchors from the certificates in a PEM text.
    ///
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or if there is none. A certificate with a key that isn't accepted
    ///   is no error here; every receipt that chains to it fails with a code of its own.
    public init(pem: String) throws(ReceiptError) { try self.init(certificates: [Array(pem.utf8)]) }

    /// The certificates, each as DER.
    public var certificates: [[UInt8]] { anchors.map { Array($0.certificate.der) } }
}
