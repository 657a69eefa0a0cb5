import AppReceiptParsing

extension ReceiptContainer {
    /// Returns the container's certificates, each once.
    ///
    /// - Throws: `certificate-malformed` if one can't be read, even if it isn't used. Genuine receipts don't contain such certificates.
    func readCertificates() throws(ReceiptError) -> [EncodedCertificate] {
        var read: [EncodedCertificate] = []
        for (index, der) in certificates.enumerated() where !certificates[..<index].contains(der) {
            guard let certificate = EncodedCertificate(der: der) else {
                throw ReceiptError(
                    .certificateMalformed, offset: der.startIndex - bytes.startIndex,
                    "Certificate number \(index + 1) in the container is malformed.")
            }
            read.append(certificate)
        }
        return read
    }

    /// The container's certificates that can be read, each once, for display.
    var readableCertificates: [EncodedCertificate] {
        certificates.enumerated()
            .filter { index, der in !certificates[..<index].contains(der) }
            .compactMap { EncodedCertificate(der: $0.element) }
    }

    /// Returns the certificate that the signer's identifier refers to, at any position.
    ///
    /// - Throws: `signer-certificate-missing` or `signer-certificate-ambiguous` unless exactly one matches.
    func signerCertificate(among certificates: [EncodedCertificate]) throws(ReceiptError) -> EncodedCertificate {
        let matches = certificates.filter { certificate in
            switch signer.identifier {
            case .issuerAndSerialNumber(let issuer, let serialNumber):
                certificate.issuer == issuer && certificate.serialNumber == serialNumber
            case .subjectKeyIdentifier(let key):
                certificate.subjectKeyIdentifier == key
            }
        }
        guard let match = matches.first else { throw ReceiptError(.signerCertificateMissing) }
        guard matches.count == 1 else { throw ReceiptError(.signerCertificateAmbiguous) }
        return match
    }
}
