import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import SwiftASN1
import TestSupport
import Testing
@_spi(FixedExpiryValidationTime) import X509

/// Compares chain validation with swift-certificates (RFC 5280), which must accept every chain that the verifier
/// accepts.
@Suite("CertificateChain: swift-certificates as an oracle")
struct CertificateChainOracleTests {
    @Test("The oracle accepts every chain that the verifier accepts", arguments: chains)
    func neverAcceptsMore(_ rule: ReceiptVariant) async throws {
        let testCase = try ReceiptTestCase.with(rule.change)
        let isAccepted = try Self.chainIsAccepted(testCase)
        let oracleAccepts = try await Self.oracleAccepts(testCase)
        #expect(!isAccepted || oracleAccepts, "\(rule.name)")
    }

    @Test("The oracle accepts legal chains", arguments: legal)
    func oracleAcceptsLegalChains(_ rule: ReceiptVariant) async throws {
        let testCase = try ReceiptTestCase.with(rule.change)
        #expect(try Self.chainIsAccepted(testCase), "\(rule.name)")
        #expect(try await Self.oracleAccepts(testCase), "\(rule.name)")
    }

    @Test("The oracle rejects chains that RFC 5280 forbids", arguments: forbidden)
    func oracleRejectsForbiddenChains(_ rule: ReceiptVariant) async throws {
        let testCase = try ReceiptTestCase.with(rule.change)
        #expect(try await Self.oracleAccepts(testCase) == false, "\(rule.name)")
        #expect(try Self.chainIsAccepted(testCase) == false, "\(rule.name)")
    }

    @Test("The oracle accepts every generated chain that the verifier accepts")
    func generatedChains() async throws {
        #if DEBUG
        let count = 150
        #else
        let count = 1500
        #endif
        var random = SeededGenerator(seed: 5280)
        var both = 0
        var neither = 0
        for number in 0..<count {
            let testCase = Self.generated(&random)
            let ours = try Self.chainIsAccepted(testCase)
            let oracle = try await Self.oracleAccepts(testCase)
            #expect(!ours || oracle, "chain number \(number)")
            if ours, oracle { both += 1 }
            if !ours, !oracle { neither += 1 }
        }
        #expect(both > count / 20)
        #expect(neither > count / 4)
    }

    /// Generates a chain with up to three changes, which may be legal or not.
    private static func generated(_ random: inout SeededGenerator) -> ReceiptTestCase {
        var testCase = ReceiptTestCase()
        let pkis: [TestPKI] = [.standard, .elliptic, .impostor]
        testCase.pki =
            pkis[Int.random(in: 0..<12, using: &random) % 11 % 3 == 2 ? 2 : Int.random(in: 0..<2, using: &random)]
        if testCase.pki == .impostor { testCase.anchors = (try? TestPKI.standard.root.der()).map { [$0] } }
        let dates = (2018...2042).map { year in
            RFC3339.date(year: year, month: 6, day: 1, hour: 0, minute: 0, second: 0)
        }
        let keys: [TestKey] = [.root, .intermediate, .signer, .untrusted]
        let paths: [WritableKeyPath<TestPKI, TestCertificate>] = [\.root, \.intermediate, \.signer]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let path = paths[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0: testCase.pki[keyPath: path].notBefore = dates.randomElement(using: &random) ?? .distantPast
            case 1: testCase.pki[keyPath: path].notAfter = dates.randomElement(using: &random) ?? .distantFuture
            case 2: testCase.pki[keyPath: path].isAuthority = [true, false, nil].randomElement(using: &random) ?? nil
            case 3: testCase.pki[keyPath: path].pathLength = [0, 1, nil].randomElement(using: &random) ?? nil
            case 4: testCase.pki[keyPath: path].issuerKey = keys.randomElement(using: &random) ?? .untrusted
            case 5: testCase.pki[keyPath: path].subject = TestName("Name \(Int.random(in: 0..<3, using: &random))")
            case 6: testCase.pki[keyPath: path].issuer = TestName("Name \(Int.random(in: 0..<3, using: &random))")
            case 7:
                testCase.pki[keyPath: path].extensions = [
                    TestCertificate.Extension("1.2.3.4", critical: Bool.random(using: &random))
                ]
            case 8:
                let uses: [Set<TestCertificate.KeyUsage>?] = [[.keyCertSign], [.digitalSignature], [], nil]
                testCase.pki[keyPath: path].keyUsage = uses.randomElement(using: &random) ?? nil
            case 9: testCase.container = { $0.certificates.reverse() }
            case 10: testCase.container = { $0.certificates.remove(at: 1) }
            default: testCase.receipt.creationDate = dates.randomElement(using: &random) ?? .distantPast
            }
        }
        return testCase
    }

    /// Returns whether the check of the chain passes, even if the signature over the content is invalid.
    private static func chainIsAccepted(_ testCase: ReceiptTestCase) throws -> Bool {
        try testCase.report().checks.first { $0.check == .certificateChain }?.outcome == .passed
    }

    private static func oracleAccepts(_ testCase: ReceiptTestCase) async throws -> Bool {
        let container = try ReceiptContainer(parsing: testCase.encoded())
        // The oracle rejects certificates that it can't read.
        let roots = try (testCase.anchors ?? [testCase.pki.root.der()]).compactMap {
            try? X509.Certificate(derEncoded: $0)
        }
        let certificates = container.certificates.compactMap { try? X509.Certificate(derEncoded: Array($0)) }
        let date = testCase.receipt.creationDate
        for leaf in certificates where Self.isNamed(leaf, by: container.signer.identifier) {
            var verifier = Verifier(rootCertificates: CertificateStore(roots)) {
                RFC5280Policy(fixedExpiryValidationTime: date)
                MarkerPolicy()
            }
            let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates))
            if case .validCertificate = result { return true }
        }
        return false
    }

    private static func isNamed(
        _ certificate: X509.Certificate, by identifier: ReceiptContainer.Signer.Identifier
    ) -> Bool {
        switch identifier {
        case .issuerAndSerialNumber(let issuer, let serialNumber):
            // The oracle's serial numbers lack the leading zero byte.
            (serialNumber.first ?? 0) & 0x80 == 0
                && certificate.serialNumber.bytes.elementsEqual(serialNumber.drop { $0 == 0 })
                && (try? DistinguishedName(derEncoded: DER.parse(issuer))) == certificate.issuer
        case .subjectKeyIdentifier(let key):
            (try? certificate.extensions.subjectKeyIdentifier)?.keyIdentifier == key
        }
    }

    /// A policy that allows Apple's markers to be critical.
    private struct MarkerPolicy: VerifierPolicy {
        let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
            [1, 2, 840, 113635, 100, 6, 2, 1], [1, 2, 840, 113635, 100, 6, 11, 1],
        ]

        func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
            .meetsPolicy
        }
    }

    static let legal: [ReceiptVariant] = [
        .passes("RSA 2048 and SHA-256") { _ in },
        .passes("RSA 2048 and SHA-1") {
            $0.pki = .sha1
            $0.receipt.creationDate = instant("2017-01-01T00:00:00Z")
        },
        .passes("RSA 4096 and SHA-512") { $0.pki = .large },
        .passes("P-384 and SHA-384") { $0.pki = .elliptic },
        .passes("no key usage") {
            $0.pki.root.keyUsage = nil
            $0.pki.intermediate.keyUsage = nil
            $0.pki.signer.keyUsage = nil
        },
        .passes("reordered certificates") { $0.container = { $0.certificates.reverse() } },
    ]

    /// The attacks against rules that the oracle also has. It doesn't check Apple's markers, sizes and uses of keys,
    /// equal algorithm fields, or the length of the chain.
    static let forbidden: [ReceiptVariant] = Attack.all.filter { attack in
        let codes: [ReceiptError.Code] = [
            .intermediateSignatureInvalid, .intermediateNotYetValid, .intermediateExpired, .intermediateNotAuthority,
            .signerSignatureInvalid, .signerNotYetValid, .signerExpired, .anchorNotYetValid, .anchorExpired,
            .anchorKeyTooWeak, .anchorKeyTooLarge, .anchorKeyUnsupported, .pathLengthExceeded,
        ]
        return attack.target == .certificates && codes.contains(attack.code)
    }.map(ReceiptVariant.init)

    static let chains: [ReceiptVariant] =
        Attack.all.filter { [.certificates, .chain].contains($0.target) }.map(ReceiptVariant.init)
        + CertificateChainTests.signerIdentifiers + CertificateChainTests.twins.filter { !isOfAnchorAlone($0) }

    /// Whether only the oracle rejects the anchor. The verifier doesn't check an anchor's own signature, as in RFC
    /// 5280, 6.1.1.
    private static func isOfAnchorAlone(_ rule: ReceiptVariant) -> Bool {
        rule.name == "anchor: MD5 in its own signature"
    }

    @Test("Unknown critical extensions of the anchor and name constraints are rejected", arguments: strict)
    func strictness(_ rule: ReceiptVariant) async throws {
        try rule.check()
        let testCase = try ReceiptTestCase.with(rule.change)
        #expect(try await Self.oracleAccepts(testCase) == false, "not rejected by the oracle: \(rule.name)")
    }

    private static let strict: [ReceiptVariant] = [
        .rejected("an unknown critical extension of the anchor", .anchorUnfit) {
            $0.pki.root.extensions = [TestCertificate.Extension("1.2.3.4", critical: true)]
        },
        .rejected(
            "non-critical name constraints that exclude the signer's name", .intermediateCriticalExtension
        ) { testCase in
            let name = DERWriter.context(4, testCase.pki.signer.subject.der)
            let excluded = DERWriter.context(1, DERWriter.sequence([name]))
            testCase.pki.intermediate.extensions = [
                TestCertificate.Extension("2.5.29.30", value: DERWriter.sequence([excluded]))
            ]
        },
    ]
}
