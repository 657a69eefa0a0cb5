public import AppReceiptFoundation
public import AppReceiptParsing
package import AppReceiptSupport
import Crypto

/// The contents of a certificate for display and records.
public struct CertificateSummary: Sendable, Hashable, Encodable {
    /// The role of a certificate in the chain.
    public enum Role: String, Sendable, Hashable, Codable {
        /// The certificate whose key signed the data.
        case signer
        /// The certificate between the signer and the anchor.
        case intermediate
        /// The trusted root, which comes from the verifier's configuration.
        case anchor
        /// A trusted Xcode certificate.
        case xcode
        /// A certificate in the container that isn't used, such as an embedded root.
        case unused
    }

    /// The role in the chain.
    public let role: Role
    /// The subject's name, such as `CN=Apple Root CA,O=Apple Inc.,C=US`.
    public let subject: String
    /// The common name of the subject, or the whole name if it has none.
    public let commonName: String
    /// The issuer's name.
    public let issuer: String
    /// The serial number in hexadecimal digits.
    public let serialNumber: String
    /// The first instant of its validity.
    public let notBefore: Date
    /// The last instant of its validity.
    public let notAfter: Date
    /// The kind and size of its key, such as `RSA 2048`.
    public let key: String
    /// SHA-256 over the whole certificate, in hexadecimal digits.
    public let sha256Fingerprint: String

    package init(_ certificate: EncodedCertificate, role: Role) {
        self.role = role
        subject = certificate.subjectText
        commonName = certificate.commonName
        issuer = certificate.issuerText
        // A leading zero byte isn't part of the number.
        let serial = certificate.serialNumber
        serialNumber = (serial.count > 1 && serial.first == 0 ? serial.dropFirst() : serial).hexadecimal(
            uppercase: true)
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        key = CertificateKey.summary(of: certificate.keyInfo)
        sha256Fingerprint = SHA256.hash(data: certificate.der).hexadecimal(uppercase: true)
    }

    /// Returns the certificates of a container in their order, without validating them.
    ///
    /// The certificate that the signer's identifier refers to has the role `signer`, all others `unused`.
    ///
    /// - Parameter container: The container.
    /// - Returns: The certificates that can be parsed.
    public static func embedded(in container: ReceiptContainer) -> [CertificateSummary] {
        let certificates = container.readableCertificates
        let signer = try? container.signerCertificate(among: certificates)
        return certificates.map { CertificateSummary($0, role: $0 == signer ? .signer : .unused) }
    }

    /// Returns the certificates of the chain, then those in the container that aren't used.
    ///
    /// - Parameter chain: The validated chain; nil if there is none.
    static func all(in container: ReceiptContainer, _ chain: CertificateChain?) -> [CertificateSummary] {
        let all = container.readableCertificates
        let signer = chain?.signer ?? (try? container.signerCertificate(among: all))
        var summaries: [CertificateSummary] = []
        if let signer {
            summaries.append(CertificateSummary(signer, role: chain?.isXcode == true ? .xcode : .signer))
        }
        if let intermediate = chain?.intermediate {
            summaries.append(CertificateSummary(intermediate, role: .intermediate))
        }
        if let anchor = chain?.anchor { summaries.append(CertificateSummary(anchor, role: .anchor)) }
        let used = [signer, chain?.intermediate, chain?.anchor].compactMap { $0 }
        return summaries + all.filter { !used.contains($0) }.map { CertificateSummary($0, role: .unused) }
    }

    /// Encodes every property except the common name.
    public func encode(to encoder: any Encoder) throws { try AppStoreJSON { write(to: &$0) }.encode(to: encoder) }

    /// Writes every property except the common name.
    package func write(to writer: inout JSONWriter) {
        writer.member("role", role.rawValue)
        writer.member("subject", subject)
        writer.member("issuer", issuer)
        writer.member("serialNumber", serialNumber)
        writer.member("notBefore", notBefore)
        writer.member("notAfter", notAfter)
        writer.member("key", key)
        writer.member("sha256Fingerprint", sha256Fingerprint)
    }
}
