import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// Rule of trust 9: Xcode's certificates are trusted only if named, exactly, and for receipts that say Xcode.
@Suite("XcodeTrust")
struct XcodeTrustTests {
    @Test("a receipt like Xcode's is judged by whether its certificate is named", arguments: twins)
    func validatesXcode(_ rule: Rule) throws { try rule.check() }

    @Test("the result of a named certificate is marked as Xcode's")
    func resultIsMarked() throws {
        let verified = try Self.testCase { $0.expectations.environments = [.xcode] }.verified()
        #expect(verified.environment == .xcode)
        #expect(verified.signerCertificate.role == .xcode)
        let report = try Self.testCase { $0.expectations.environments = [.xcode] }.report()
        #expect(report.certificates.map(\.role) == [.xcode])
        #expect(
            report.checks.first { $0.check == .certificateChain }?.message.contains("proves nothing") == true)
    }

    @Test("the certificate may be given as DER or PEM, and several at once")
    func formsOfCertificates() throws {
        let other = TestPKI.xcode.with { $0.serialNumber = 2 }
        let forms: [[[UInt8]]] = [
            [try TestPKI.xcode.der()], [Array(try TestPKI.xcode.pem().utf8)],
            [Array((try other.pem() + TestPKI.xcode.pem()).utf8)], [try other.der(), try TestPKI.xcode.der()],
        ]
        for certificates in forms {
            let testCase = try Self.testCase { $0.xcode = try XcodeTrust(certificates: certificates) }
            #expect(try testCase.verified().environment == .xcode)
        }
    }

    @Test("what is no certificate cannot be named", arguments: [[], [0x30, 0x00], Array("StoreKit".utf8)])
    func garbageIsRejected(_ bytes: [UInt8]) {
        let error = captured { () throws(ReceiptError) in try XcodeTrust(certificates: [bytes]) }
        #expect(error?.code == .trustAnchorMalformed)
    }

    @Test("a named certificate does not become an anchor for others")
    func namedCertificateIssuesNothing() throws {
        // What the Xcode certificate issued stands one step below it.
        let issued = TestPKI.standard.signer.with { signer in
            signer.issuer = TestPKI.xcode.subject
            signer.issuerKey = TestPKI.xcode.key
        }
        try Rule.rejected("issued by the named certificate", .chainTooShort) { testCase in
            testCase = try Self.testCase { _ in }
            testCase.container = { container in
                container.signers = [TestSigner(issued)]
                container.certificates.append(try issued.der())
            }
        }.check()
    }

    /// A receipt that says Xcode, signed by a certificate that is named.
    private static func testCase(_ change: (inout ReceiptTestCase) throws -> Void) throws -> ReceiptTestCase {
        try ReceiptTestCase.with { testCase in
            testCase.receipt.environment = .xcode
            testCase.signsLikeXcode = true
            testCase.xcode = try XcodeTrust(certificates: [TestPKI.xcode.der()])
            testCase.expectations.environments = .anyEnvironment
            try change(&testCase)
        }
    }

    private static func passes(
        _ name: String, _ change: @escaping @Sendable (inout ReceiptTestCase) throws -> Void = { _ in }
    ) -> Rule {
        .passes(name) { $0 = try testCase(change) }
    }

    static let twins: [Rule] = [
        passes("named and exactly matched"),
        passes("Xcode is expected") { $0.expectations.environments = [.xcode] },
        passes("a receipt from the store is no business of the named certificate") {
            $0.signsLikeXcode = false
            $0.receipt.environment = .productionSandbox
            $0.expectations.environments = [.sandbox]
        },
        passes("a chain to an anchor is good, whatever the receipt says of itself") {
            $0.signsLikeXcode = false
            $0.xcode = .disabled
            $0.expectations.environments = [.xcode]
        },
    ]
}
