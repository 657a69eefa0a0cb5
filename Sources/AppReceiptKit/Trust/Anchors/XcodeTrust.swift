public import AppReceiptParsing
public import X509

/// The certificates of Xcode's local testing that a verifier trusts. By default it trusts none.
///
/// Anyone with Xcode has their private keys, so a receipt verified with one proves nothing about a purchase. Trust one
/// in debug builds and tests only. It must match exactly, is trusted only for receipts that claim to come from Xcode,
/// and the result is never production or sandbox.
public struct XcodeTrust: Sendable, Equatable {
    private let certificates: [ArraySlice<UInt8>]

    /// Doesn't trust any Xcode certificate.
    public static let disabled = XcodeTrust(exactly: [])

    /// Creates trust in exactly these certificates in DER.
    ///
    /// - Parameter certificates: Each as DER, as Xcode exports them.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate.
    public init(der certificates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var trusted: [ArraySlice<UInt8>] = []
        for certificate in certificates {
            let der = Array(certificate)[...]
            guard EncodedCertificate(der: der) != nil else { throw ReceiptError(.trustAnchorMalformed) }
            trusted.append(der)
        }
        self.init(exactly: trusted)
    }

    /// Creates trust in exactly the certificates in a PEM text.
    ///
    /// - Parameter pem: One or more certificates as PEM.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or if there is none.
    public init(pem: String) throws(ReceiptError) { try self.init(der: CertificateFile.certificates(inPEM: pem.utf8)) }

    /// Creates trust in exactly these certificates.
    ///
    /// - Parameter certificates: The certificates that Xcode signs with.
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded.
    public init(_ certificates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(der: CertificateFile.encoded(certificates))
    }

    /// Creates trust in exactly the certificates in files, each DER or PEM.
    package init(files: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        try self.init(der: CertificateFile.certificates(inFiles: files))
    }

    /// Whether no certificate is trusted.
    package var isDisabled: Bool { certificates.isEmpty }

    private init(exactly certificates: [ArraySlice<UInt8>]) { self.certificates = certificates }

    /// Whether exactly this certificate is trusted.
    func trusts(_ certificate: EncodedCertificate) -> Bool { certificates.contains(certificate.der) }
}
