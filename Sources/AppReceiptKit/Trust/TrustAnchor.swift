import AppReceiptParsing

/// A trusted root with its key, or the reason why the key isn't accepted.
struct TrustAnchor: Sendable {
    let certificate: EncodedCertificate
    /// The common name, for messages. Reading it from the certificate takes longer than parsing a receipt.
    let name: String
    let key: Result<CertificateKey, CertificateKey.Fault>

    init(der: ArraySlice<UInt8>) throws(ReceiptError) {
        guard let certificate = EncodedCertificate(der: der) else { throw ReceiptError(.trustAnchorMalformed) }
        key = Result { () throws(CertificateKey.Fault) in try CertificateKey(certificate.keyInfo) }
        self.certificate = certificate
        name = CertificateSummary.commonName(of: certificate)
    }

    /// Returns the key if it is accepted.
    func usableKey() throws(ReceiptError) -> CertificateKey {
        do throws(CertificateKey.Fault) {
            return try key.get()
        } catch {
            throw ReceiptError(KeyErrorCodes.anchor.code(for: error))
        }
    }
}
