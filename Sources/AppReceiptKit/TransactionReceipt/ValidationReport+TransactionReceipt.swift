import AppReceiptParsing

/// The report on a transaction receipt.
public typealias TransactionReceiptReport = ValidationReport<VerifiedTransactionReceipt, TransactionReceipt>

extension ValidationReport where Value == VerifiedTransactionReceipt, Contents == TransactionReceipt {
    /// The entitlements at the time of the report, according to this receipt alone; nil if it isn't valid.
    public var entitlements: Entitlements? { (try? result.get())?.entitlements(at: entitlementDate) }

    /// Returns the JSON of the report in UTF-8: the members of a report on an app receipt, and `kind`,
    /// `transaction-receipt`.
    ///
    /// - Parameters:
    ///   - attributes: Whether to include every value of the purchase info.
    ///   - isPretty: Whether to write each member on its own line.
    public func json(attributes: Bool = false, isPretty: Bool = false) -> [UInt8] {
        json(entitlements, attributes: attributes, isPretty: isPretty)
    }
}

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
