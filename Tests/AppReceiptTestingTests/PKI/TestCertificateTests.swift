import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("TestCertificate")
struct TestCertificateTests {
    private static let signer = TestPKI.standard.signer

    /// Returns the library's summary of the certificate.
    private static func summary(_ certificate: TestCertificate) throws -> CertificateSummary {
        var container = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
        container.certificates = [try certificate.der()]
        let parsed = try ReceiptContainer(parsing: container.encoded())
        return try #require(CertificateSummary.embedded(in: parsed).first)
    }

    @Test("Certificates signed with RSA have the same bytes on every run")
    func isDeterministic() throws {
        let root = fingerprint(try TestPKI.standard.root.der())
        #expect(root == "fd9dd4f691167d3da9d39b3622ccb221eb219cf608f8d4f0b01b4db4e868e6ac")
        let xcode = fingerprint(try TestPKI.xcode.der())
        #expect(xcode == "31e72266b8985bcd050bf4fb96c7e6f67d6eb2b0bd1eaffda4591af3983a0448")
    }

    @Test("Certificates of signed data identify the issuer's key, and their own key as the issuer's certificate does")
    func authorityKeyIdentifiers() throws {
        let pki = TestPKI.signedData
        for (certificate, issuer) in [(pki.signer, pki.intermediate), (pki.intermediate, pki.root)] {
            // SEQUENCE { [0] identifier }, as the value of 2.5.29.35.
            let expected: [UInt8] =
                [0x06, 0x03, 0x55, 0x1D, 0x23, 0x04, 0x18, 0x30, 0x16, 0x80, 0x14] + (try issuer.subjectKeyIdentifier)
            #expect(try Data(certificate.der()).range(of: Data(expected)) != nil)
            let without = try certificate.with { $0.hasAuthorityKeyIdentifier = false }.der()
            #expect(Data(without).range(of: Data(expected)) == nil)
        }
    }

    @Test("Names, serial number, validity and key are in the certificate")
    func encodesOptions() throws {
        let summary = try Self.summary(
            Self.signer.with { signer in
                signer.subject = TestName("A", organizationalUnit: "B", organization: "C", country: "DE")
                signer.issuer = TestName("D", organizationalUnit: "E", organization: "F", country: "FR")
                signer.serialNumber = 0x0123_4567_89AB_CDEF
                signer.notBefore = instant("1999-12-31T23:59:59Z")
                signer.notAfter = instant("2050-01-01T00:00:00Z")
                signer.key = .large
            })
        #expect(summary.subject == "CN=A,OU=B,O=C,C=DE")
        #expect(summary.issuer == "CN=D,OU=E,O=F,C=FR")
        #expect(summary.serialNumber == "0123456789ABCDEF")
        #expect(summary.notBefore == instant("1999-12-31T23:59:59Z"))
        #expect(summary.notAfter == instant("2050-01-01T00:00:00Z"))
        #expect(summary.key == "RSA 4096")
    }

    @Test("Every other option changes the certificate, and nothing else does", arguments: changes)
    func everyOptionHasAnEffect(_ change: Change) throws {
        #expect(try Self.signer.with(change.make).der() != Self.signer.der(), "\(change.name)")
        #expect(try Self.signer.with { _ in }.der() == Self.signer.der())
    }

    /// A change to an option of a certificate.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable (inout TestCertificate) -> Void
        var testDescription: String { name }
    }

    static let changes = [
        Change(name: "issuerKey") { $0.issuerKey = .untrusted }, Change(name: "digest") { $0.digest = .sha512 },
        Change(name: "algorithm") { $0.algorithm = .rsaEncryption },
        Change(name: "innerAlgorithm") { $0.innerAlgorithm = .rsaEncryption },
        Change(name: "publicKeyInfo") { $0.publicKeyInfo = [0x30, 0x00] },
        Change(name: "isAuthority") { $0.isAuthority = true }, Change(name: "no constraints") { $0.isAuthority = nil },
        Change(name: "pathLength") { $0.pathLength = 3 }, Change(name: "keyUsage") { $0.keyUsage = [.cRLSign] },
        Change(name: "no key usage") { $0.keyUsage = nil }, Change(name: "empty key usage") { $0.keyUsage = [] },
        Change(name: "markers") { $0.markers = [] },
        Change(name: "extensions") { $0.extensions = [TestCertificate.Extension("1.2.3")] },
        Change(name: "critical extensions") { $0.extensions = [TestCertificate.Extension("1.2.3", critical: true)] },
    ]

    @Test("PEM contains the DER in base64 between two boundary lines")
    func pem() throws {
        let lines = try Self.signer.pem().split(separator: "\n")
        #expect(lines.first == "-----BEGIN CERTIFICATE-----")
        #expect(lines.last == "-----END CERTIFICATE-----")
        #expect(lines.allSatisfy { $0.count <= 64 })
        let body = lines.dropFirst().dropLast().joined()
        #expect(Data(base64Encoded: body).map(Array.init) == (try Self.signer.der()))
    }

    @Test("The subject key identifier is a digest of the key")
    func subjectKeyIdentifier() throws {
        #expect(try Self.signer.subjectKeyIdentifier == TestDigest.sha1.digest(of: TestKey.signer.publicKeyInfo))
        #expect(try Self.signer.subjectKeyIdentifier != TestPKI.standard.root.subjectKeyIdentifier)
    }

    @Test("Dates are parsed from RFC 3339 text")
    func dates() {
        #expect(Date(rfc3339: "1970-01-02T00:00:00Z") == Date(timeIntervalSince1970: 86_400))
        #expect(Date(rfc3339: "yesterday") == nil)
    }
}
