import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@Suite("CertificateSummary")
struct CertificateSummaryTests {
    @Test("A report lists the certificates with their roles, in the order of the chain")
    func roles() throws {
        let report = try ReceiptTestCase.with { testCase in
            testCase.container = { $0.certificates.reverse() }
        }.report()
        // The root in the container equals the pinned anchor and is listed once.
        #expect(report.certificates.map(\.role) == [.signer, .intermediate, .anchor])
        #expect(
            report.certificates.map(\.commonName) == [
                "AppReceiptTesting Receipt Signing", "AppReceiptTesting Intermediate CA", "AppReceiptTesting Root CA",
            ])
    }

    @Test("The anchor comes from the configuration and not from the container")
    func anchorIsNotEmbedded() throws {
        let report = try ReceiptTestCase.with { testCase in
            testCase.container = { container in
                container.certificates[2] = try TestPKI.xcode.der()
            }
        }.report()
        #expect(report.isValid)
        #expect(report.certificates.map(\.role) == [.signer, .intermediate, .anchor, .unused])
        #expect(report.certificates.last?.commonName == "StoreKit")
    }

    @Test("The report of an invalid chain has a signer but no anchor")
    func rolesOfFailure() throws {
        let report = try ReceiptTestCase.with { $0.anchors = [try TestPKI.impostor.root.der()] }.report()
        #expect(!report.isValid)
        #expect(report.certificates.map(\.role) == [.signer, .unused, .unused])
    }

    @Test("A signer's certificate that occurs twice is the signer's")
    func duplicateOfSigner() throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.container = { container in container.certificates.append(container.certificates[0]) }
        }
        let container = try ReceiptContainer(parsing: testCase.encoded())
        #expect(CertificateSummary.embedded(in: container).first?.role == .signer)
        var failing = testCase
        failing.anchors = [try TestPKI.impostor.root.der()]
        #expect(try failing.report().certificates.first?.role == .signer)
    }

    @Test("A summary contains the values of the certificate")
    func values() throws {
        let der = try TestPKI.standard.signer.der()
        let container = try ReceiptContainer(parsing: ReceiptTestCase().encoded())
        let summary = try #require(CertificateSummary.embedded(in: container).first)
        #expect(summary.role == .signer)
        #expect(
            summary.subject
                == "CN=AppReceiptTesting Receipt Signing,OU=Developer Relations,O=AppReceiptTesting,C=US")
        #expect(
            summary.issuer == "CN=AppReceiptTesting Intermediate CA,OU=Developer Relations,O=AppReceiptTesting,C=US")
        #expect(summary.serialNumber == "15E79FCE52550A65")
        #expect(summary.notBefore == instant("2022-01-01T00:00:00Z"))
        #expect(summary.notAfter == instant("2032-01-01T00:00:00Z"))
        #expect(summary.key == "RSA 2048")
        let hex = TestDigest.sha256.digest(of: der).hexadecimal()
        #expect(summary.sha256Fingerprint == hex.uppercased())
    }

    @Test("Without validation, only the signer's certificate has a role")
    func embedded() throws {
        let testCase = ReceiptTestCase.with { testCase in testCase.container = { $0.certificates.swapAt(0, 1) } }
        let container = try ReceiptContainer(parsing: testCase.encoded())
        #expect(CertificateSummary.embedded(in: container).map(\.role) == [.unused, .signer, .unused])
    }

    @Test("The summary of a key that isn't accepted says so")
    func unacceptedKey() throws {
        let testCase = ReceiptTestCase.with { $0.pki.signer.publicKeyInfo = PublicKeyInfos.ed25519 }
        let container = try ReceiptContainer(parsing: testCase.encoded())
        #expect(CertificateSummary.embedded(in: container).map(\.key) == ["not accepted", "RSA 2048", "RSA 2048"])
    }

    @Test(
        "The common name is the subject's, whatever its characters",
        arguments: [
            TestName("Roots, Inc."), TestName("Apple", organization: "x,CN=Apple Root CA"),
            TestName("Apple", organizationalUnit: "CN=Apple Root CA"), TestName("a+b=\"c\""),
        ])
    func commonName(_ name: TestName) throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.container = { container in
                container.certificates = [try TestPKI.xcode.with { $0.subject = name }.der()]
            }
        }
        let container = try ReceiptContainer(parsing: testCase.encoded())
        #expect(CertificateSummary.embedded(in: container).map(\.commonName) == [name.commonName])
    }

    @Test("The JSON has dates and numbers as text")
    func json() throws {
        let container = try ReceiptContainer(parsing: ReceiptTestCase().encoded())
        let encoded = try JSONEncoder().encode(CertificateSummary.embedded(in: container))
        let objects = try #require(try JSONSerialization.jsonObject(with: encoded) as? [[String: String]])
        let first = try #require(objects.first)
        #expect(
            first.keys.sorted() == [
                "issuer", "key", "notAfter", "notBefore", "role", "serialNumber", "sha256Fingerprint", "subject",
            ])
        #expect(first["role"] == "signer")
        #expect(first["notBefore"] == "2022-01-01T00:00:00Z")
        #expect(first["serialNumber"] == "15E79FCE52550A65")
    }
}
