import AppReceiptKit
import AppReceiptSupport

extension JWSHeader {
    /// The certificates that can be parsed.
    var summaries: [CertificateSummary] {
        let roles: [CertificateSummary.Role] = hasSingleCertificate ? [.signer] : [.signer, .intermediate]
        return zip(certificates, roles).compactMap { der, role in
            EncodedCertificate(der: der[...]).map { CertificateSummary($0, role: role) }
        }
    }
}
