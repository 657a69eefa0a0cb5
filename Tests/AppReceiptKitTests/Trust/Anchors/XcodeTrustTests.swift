import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// Trust in Xcode's certificates (rule 9 of THREAT_MODEL.md): exact matches, and only for receipts that claim to come
/// from Xcode.
@Suite("XcodeTrust")
struct XcodeTrustTests {
    @Test("A receipt from Xcode is valid if its certificate is trusted", arguments: twins)
    func validatesXcode(_ rule: ReceiptVariant) throws { try rule.check() }

    @Test("A receipt with a trusted Xcode certificate has the environment xcode")
    func resultIsMarked() throws {
        let verified = try Self.testCase { $0.expectations.environments = [.xcode] }.verified()
        #expect(verified.environment == .xcode)
        #expect(verified.signerCertificate.role == .xcode)
        let report = try Self.testCase { $0.expectations.environments = [.xcode] }.report()
        #expect(report.certificates.map(\.role) == [.xcode])
        #expect(
            report.checks.first { $0.check == .certificateChain }?.message.contains("proves nothing") == true)
    }

    @Test("Certificates are read from DER and from PEM with one or more certificates")
    func formsOfCertificates() throws {
        let other = TestPKI.xcode.with { $0.serialNumber = 2 }
        let forms: [[[UInt8]]] = [
            [try TestPKI.xcode.der()], [Array(try TestPKI.xcode.pem().utf8)],
            [Array((try other.pem() + TestPKI.xcode.pem()).utf8)], [try other.der(), try TestPKI.xcode.der()],
        ]
        for certificates in forms {
            let testCase = try Self.testCase { $0.xcode = try XcodeTrust(files: certificates) }
            #expect(try testCase.verified().environment == .xcode)
        }
    }

    @Test("Bytes that aren't a certificate are rejected", arguments: [[], [0x30, 0x00], Array("StoreKit".utf8)])
    func garbageIsRejected(_ bytes: [UInt8]) {
        let error = captured { () throws(ReceiptError) in try XcodeTrust(files: [bytes]) }
        #expect(error?.code == .trustAnchorMalformed)
    }

    @Test("A trusted Xcode certificate isn't an anchor for others")
    func trustedCertificateIssuesNothing() throws {
        // A certificate that the Xcode certificate issued.
        let issued = TestPKI.standard.signer.with { signer in
            signer.issuer = TestPKI.xcode.subject
            signer.issuerKey = TestPKI.xcode.key
        }
        try ReceiptVariant.rejected("issued by the trusted certificate", .chainTooShort) { testCase in
            testCase = try Self.testCase { _ in }
            testCase.container = { container in
                container.signers = [TestSigner(issued)]
                container.certificates.append(try issued.der())
            }
        }.check()
    }

    /// A receipt from Xcode, signed by a trusted certificate.
    private static func testCase(_ change: (inout ReceiptTestCase) throws -> Void) throws -> ReceiptTestCase {
        try ReceiptTestCase.with { testCase in
            testCase.receipt.environment = .xcode
            testCase.isSignedByXcode = true
            testCase.xcode = try XcodeTrust(der: [TestPKI.xcode.der()])
            testCase.expectations.environments = .anyEnvironment
            try change(&testCase)
        }
    }

    private static func passes(
        _ name: String, _ change: @escaping @Sendable (inout ReceiptTestCase) throws -> Void = { _ in }
    ) -> ReceiptVariant {
        .passes(name) { $0 = try testCase(change) }
    }

    static let twins: [ReceiptVariant] = [
        passes("an exact match"),
        passes("the environment xcode is expected") { $0.expectations.environments = [.xcode] },
        passes("a receipt from the App Store, with an unrelated Xcode certificate") {
            $0.isSignedByXcode = false
            $0.receipt.environment = .productionSandbox
            $0.expectations.environments = [.sandbox]
        },
        passes("a chain to an anchor, although the receipt claims to come from Xcode") {
            $0.isSignedByXcode = false
            $0.xcode = .disabled
            $0.expectations.environments = [.xcode]
        },
    ]
}
