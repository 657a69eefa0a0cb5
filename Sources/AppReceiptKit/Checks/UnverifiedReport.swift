package import AppReceiptParsing

/// The unverified contents of a receipt, or the failure to read it, as JSON with `"verified": false`.
package struct UnverifiedReport: Sendable, Encodable {
    /// The receipt, or the failure to read it.
    package let result: Result<AppReceipt, ReceiptError>
    /// The certificates in the container, nil if they weren't requested. None of them is trusted.
    package let certificates: [CertificateSummary]?
    private let remedy: @Sendable (_ code: String, _ remedy: String) -> String

    /// Reads a receipt.
    ///
    /// - Parameters:
    ///   - source: The receipt as DER, BER, base64 or PEM, or the failure to read it.
    ///   - certificates: Whether the report contains the certificates.
    ///   - limits: The limits for the receipt.
    ///   - remedy: Returns the remedy for an error's code and the library's remedy.
    package init(
        _ source: Result<some Collection<UInt8>, ReceiptError>, certificates wanted: Bool,
        limits: ReceiptLimits = .default, remedy: @escaping @Sendable (_ code: String, _ remedy: String) -> String
    ) {
        self.remedy = remedy
        do throws(ReceiptError) {
            let container = try ReceiptContainer(
                parsing: ReceiptInput(source.get(), limits: limits).containerBytes, limits: limits)
            result = .success(try AppReceipt(container: container, limits: limits))
            certificates = wanted ? CertificateSummary.embedded(in: container) : nil
        } catch {
            result = .failure(error)
            certificates = nil
        }
    }

    private enum CodingKeys: String, CodingKey { case verified, certificates, failure }

    package func encode(to encoder: any Encoder) throws {
        switch result {
        case .success(let receipt):
            try receipt.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(false, forKey: .verified)
            try container.encodeIfPresent(certificates, forKey: .certificates)
        case .failure(let error):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(false, forKey: .verified)
            try container.encode(error.unverifiedJSON(remedy), forKey: .failure)
        }
    }
}
