public import AppReceiptParsing
import AppReceiptSupport
import Crypto
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a certificate says of itself, for people and records.
public struct CertificateSummary: Sendable, Hashable, Encodable {
    /// The part that a certificate has in a receipt's chain.
    public enum Role: String, Sendable, Hashable, Codable {
        /// The one that the signer's identifier names.
        case signer
        /// The one between signer and anchor.
        case intermediate
        /// The trusted root, from the verifier's configuration and not from the receipt.
        case anchor
        /// A certificate of Xcode's that was named as trusted.
        case xcode
        /// A certificate that stands in the container and counts for nothing, such as an embedded root.
        case unused
    }

    /// Its part in the chain.
    public let role: Role
    /// The subject's name, such as `CN=Apple Root CA,O=Apple Inc.,C=US`.
    public let subject: String
    /// The part of the subject's name that people know a certificate by; the whole name if it has no such part.
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

    package init(_ certificate: Certificate, role: Role) {
        self.role = role
        subject = Self.text(ofName: certificate.subject)
        commonName = Self.commonName(in: certificate.subject) ?? subject
        issuer = Self.text(ofName: certificate.issuer)
        // A leading zero octet is there only to keep the sign bit clear.
        let serial = certificate.serialNumber
        serialNumber = (serial.count > 1 && serial.first == 0 ? serial.dropFirst() : serial).hexadecimal(
            uppercase: true)
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        key = CertificateKey.summary(of: certificate.keyInfo)
        sha256Fingerprint = SHA256.hash(data: certificate.der).hexadecimal(uppercase: true)
    }

    /// The certificates that a container carries, in their order, without any validation: the one that the signer's
    /// identifier names has the role of signer, all others count as unused.
    public static func embedded(in container: ReceiptContainer) -> [CertificateSummary] {
        let certificates = Certificate.readable(in: container)
        let signer = try? ChainRules.signer(container.signer.identifier, among: certificates)
        return certificates.map { CertificateSummary($0, role: $0 == signer ? .signer : .unused) }
    }

    private static func text(ofName name: ArraySlice<UInt8>) -> String {
        guard let name = try? DistinguishedName(derEncoded: DER.parse(name)) else { return "(unreadable name)" }
        return name.description
    }

    private static func commonName(in name: ArraySlice<UInt8>) -> String? {
        guard let name = try? DistinguishedName(derEncoded: DER.parse(name)) else { return nil }
        return name.lazy.flatMap { $0 }.first { $0.type == .NameAttributes.commonName }.flatMap { String($0.value) }
    }

    enum CodingKeys: String, CodingKey {
        case role, subject, issuer, serialNumber, notBefore, notAfter, key, sha256Fingerprint
    }

    /// Writes what it says of the certificate; dates as the encoder has them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(role, forKey: .role)
        try container.encode(subject, forKey: .subject)
        try container.encode(issuer, forKey: .issuer)
        try container.encode(serialNumber, forKey: .serialNumber)
        try container.encode(notBefore, date: .notBefore)
        try container.encode(notAfter, date: .notAfter)
        try container.encode(key, forKey: .key)
        try container.encode(sha256Fingerprint, forKey: .sha256Fingerprint)
    }
}
