public import AppReceiptParsing
public import X509

/// The certificates of Xcode's local testing that a verifier trusts. By default it trusts none.
///
/// Anyone with Xcode has their private keys, so a receipt verified with one proves nothing about a purchase. Trust one in debug builds
/// and tests only. It must match exactly, is trusted only for receipts that claim to come from Xcode, and the result is never
/// production or sandbox.
public struct XcodeTrust: Sendable {
    private let certificates: [ArraySlice<UInt8>]

    /// Doesn't trust any Xcode certificate.
    public static let disabled = XcodeTrust(exactly: [])

    /// Creates trust in exactly these certificates.
    ///
    /// - Parameter certificates: Each as DER or PEM, as Xcode exports them.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate.
    public init(certificates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var trusted: [ArraySlice<UInt8>] = []
        for file in certificates {
            for der in try CertificateFile.certificates(in: Array(file)) {
                guard EncodedCertificate(der: der) != nil else { throw ReceiptError(.trustAnchorMalformed) }
                trusted.append(der)
            }
        }
        self.certificates = trusted
    }

    /// Creates trust in exactly these certificates.
    ///
    /// - Parameter certificates: The certificates that Xcode signs with.
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded.
    public init(certificates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(certificates: CertificateFile.encoded(certificates))
    }

    /// Whether no certificate is trusted.
    package var isDisabled: Bool { certificates.isEmpty }

    private init(exactly certificates: [ArraySlice<UInt8>]) { self.certificates = certificates }

    /// Whether exactly this certificate is trusted.
    func trusts(_ certificate: EncodedCertificate) -> Bool { certificates.contains(certificate.der) }
}
