import AppReceiptFoundation
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

    /// Validates the signer of data from Xcode.
    ///
    /// - Returns: The signer's chain, nil if the signer must chain to an anchor.
    /// - Throws: `xcode-certificate-misused`, `xcode-not-trusted`, `xcode-certificate-mismatch`, or a failure of the certificate itself.
    func validate(
        _ signer: EncodedCertificate, environment: ReceiptEnvironment?, at date: Date
    ) throws(ReceiptError) -> CertificateChain? {
        let isTrusted = certificates.contains(signer.der)
        guard environment == .xcode else {
            guard !isTrusted else { throw ReceiptError(.xcodeCertificateMisused) }
            return nil
        }
        guard isTrusted else {
            // The signer may still chain to an anchor, even if the receipt claims to come from Xcode.
            guard signer.isSelfIssued else { return nil }
            throw ReceiptError(certificates.isEmpty ? .xcodeNotTrusted : .xcodeCertificateMismatch)
        }
        guard date >= signer.notBefore else { throw ReceiptError(.signerNotYetValid) }
        guard date <= signer.notAfter else { throw ReceiptError(.signerExpired) }
        return CertificateChain(
            signer: signer, signerKey: try CertificateKey(signer.keyInfo, .signer), intermediate: nil, anchor: nil)
    }
}
