package import AppReceiptParsing

/// What a receipt says, or why it cannot be read, as JSON that says that nothing was verified.
package struct UnverifiedReport: Sendable, Encodable {
    /// The receipt, or what is wrong with it.
    package let result: Result<AppReceipt, ReceiptError>
    /// The certificates that it carries, if they were asked for; none is trusted by being there.
    package let certificates: [CertificateSummary]?

    /// Reads a receipt.
    ///
    /// - Parameters:
    ///   - source: DER, BER, base64 or PEM, or why there is nothing to read.
    ///   - certificates: whether the certificates are wanted too.
    ///   - limits: how much it may ask.
    package init(
        _ source: Result<some Collection<UInt8>, ReceiptError>, certificates wanted: Bool,
        limits: ReceiptLimits = .default
    ) {
        do throws(ReceiptError) {
            let container = try ReceiptContainer(
                parsing: ReceiptInput(source.get(), limits: limits).der, limits: limits)
            result = .success(try AppReceipt(container: container, limits: limits))
            certificates = wanted ? CertificateSummary.embedded(in: container) : nil
        } catch {
            result = .failure(error)
            certificates = nil
        }
    }

    private enum CodingKeys: String, CodingKey { case verified, certificates, failure }
    private enum FailureKeys: String, CodingKey { case check, code, message }

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
            var nested = container.nestedContainer(keyedBy: FailureKeys.self, forKey: .failure)
            // Checks have no stage of their own for the input.
            let stage = error.stage == .input ? ReceiptError.Stage.container : error.stage
            try nested.encode(stage.rawValue, forKey: .check)
            try nested.encode(error.code.rawValue, forKey: .code)
            try nested.encode(error.message, forKey: .message)
        }
    }
}
