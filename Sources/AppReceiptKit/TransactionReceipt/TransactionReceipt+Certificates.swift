import AppReceiptParsing

extension CertificateSummary {
    /// Returns the signer's certificate in a transaction receipt, without validating it. Empty if it can't be parsed.
    package static func embedded(in receipt: TransactionReceipt) -> [CertificateSummary] { all(in: receipt, nil) }

    /// Returns the certificates of the chain, or the signer's alone if there is none.
    static func all(in receipt: TransactionReceipt, _ chain: CertificateChain?) -> [CertificateSummary] {
        guard let chain else {
            return EncodedCertificate(der: receipt.signature.certificate)
                .map { [CertificateSummary($0, role: .signer)] } ?? []
        }
        return [
            CertificateSummary(chain.signer, role: .signer),
            chain.intermediate.map { CertificateSummary($0, role: .intermediate) },
            chain.anchor.map { CertificateSummary($0, role: .anchor) },
        ].compactMap { $0 }
    }
}
