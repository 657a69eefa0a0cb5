package import AppReceiptParsing
import AppReceiptSupport

/// The unverified contents of a receipt, or the failure to read it, as JSON with `"verified": false`.
package struct UnverifiedReport<Contents: Sendable>: Sendable {
    /// The receipt, or the failure to read it.
    package let result: Result<Contents, ReceiptError>
    /// The certificates in the container, nil if they weren't requested. None of them is trusted.
    package let certificates: [CertificateSummary]?
    private let remedy: @Sendable (_ code: String, _ remedy: String) -> String
    /// Writes the members of the contents.
    private let write: @Sendable (_ contents: Contents, _ writer: inout JSONWriter, _ attributes: Bool) -> Void

    /// Returns the JSON in UTF-8: `verified`, then the members of the contents and `certificates`, or `failure`.
    ///
    /// - Parameters:
    ///   - attributes: Whether to include the raw attributes.
    ///   - isPretty: Whether to write each member on its own line.
    package func json(attributes: Bool, isPretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isPretty: isPretty)
        writer.openObject()
        writer.member("verified", false)
        switch result {
        case .success(let contents):
            write(contents, &writer, attributes)
            if let certificates {
                writer.openArray("certificates")
                for certificate in certificates { writer.element { certificate.write(to: &$0) } }
                writer.closeArray()
            }
        case .failure(let error):
            writer.openObject("failure")
            error.writeUnverified(to: &writer, remedy)
            writer.closeObject()
        }
        writer.closeObject()
        return writer.bytes
    }
}

extension UnverifiedReport where Contents == AppReceipt {
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
        write = { $0.write(to: &$1, attributes: $2) }
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
}

extension UnverifiedReport where Contents == TransactionReceipt {
    /// Reads a transaction receipt.
    ///
    /// - Parameters:
    ///   - bytes: The property list, or base64 of it.
    ///   - certificates: Whether the report contains the signer's certificate.
    ///   - remedy: Returns the remedy for an error's code and the library's remedy.
    package init(
        transactionReceipt bytes: some Collection<UInt8>, certificates wanted: Bool,
        remedy: @escaping @Sendable (_ code: String, _ remedy: String) -> String
    ) {
        self.remedy = remedy
        write = { receipt, writer, attributes in
            writer.member("kind", TransactionReceipt.kind)
            receipt.write(to: &writer, attributes: attributes)
        }
        do throws(ReceiptError) {
            let receipt = try TransactionReceipt(parsing: bytes)
            result = .success(receipt)
            certificates = wanted ? CertificateSummary.embedded(in: receipt) : nil
        } catch {
            result = .failure(error)
            certificates = nil
        }
    }
}
