import AppReceiptKit
import AppReceiptTesting
import Testing

/// Legal chains for the chain rules (rules 2 to 6 of THREAT_MODEL.md). The catalog of attacks contains the illegal ones.
@Suite("CertificateChain")
struct CertificateChainTests {
    @Test("The signer is the certificate that its identifier refers to", arguments: signerIdentifiers)
    func signerIsNamed(_ rule: ReceiptVariant) throws { try rule.check() }

    @Test("A chain that only resembles an illegal one passes", arguments: twins)
    func twinPasses(_ rule: ReceiptVariant) throws { try rule.check() }

    @Test("The failure of the candidate that passed the most rules is reported")
    func furthestFailureIsReported() throws {
        // One intermediate with an invalid signature, and one that expired.
        try ReceiptVariant.rejected("two invalid intermediates", .intermediateExpired) { testCase in
            testCase.pki.intermediate.notAfter = instant("2024-01-01T00:00:00Z")
            let forged = TestPKI.impostor.intermediate
            testCase.container = { $0.certificates.insert(try forged.der(), at: 1) }
        }.check()
    }

    static let signerIdentifiers: [ReceiptVariant] = [
        .passes("a serial number with its highest bit set") { $0.pki.signer.serialNumber = 0x8000_0000_0000_0001 },
        .passes("a serial number of 128") { $0.pki.signer.serialNumber = 128 },
        .passes("a serial number of zero") { $0.pki.signer.serialNumber = 0 },
        .passes("a subject key identifier") { $0.container = { $0.signers[0].usesSubjectKeyIdentifier = true } },
        .passes("not the first certificate") { $0.container = { $0.certificates.swapAt(0, 2) } },
        .passes("the same certificate twice") {
            $0.container = { container in container.certificates.append(container.certificates[0]) }
        },
        .passes("a certificate with the same serial number from another issuer") {
            $0.container = { container in
                container.certificates.append(
                    try TestPKI.standard.signer.with { $0.issuer = TestName("Another Issuer") }.der())
            }
        },
    ]

    static let twins: [ReceiptVariant] = [
        .passes("intermediate: an unknown non-critical extension") {
            $0.pki.intermediate.extensions = [TestCertificate.Extension("1.2.3.4")]
        },
        .passes("signer: non-critical policies and extended key usage") {
            $0.pki.signer.extensions = [
                TestCertificate.Extension("2.5.29.37", value: DERWriter.sequence([])),
                TestCertificate.Extension("2.5.29.32", value: DERWriter.sequence([])),
            ]
        },
        .passes("intermediate: a critical marker and another marker") {
            $0.pki.intermediate.markers = ["1.2.840.113635.100.6.2.15"]
            $0.pki.intermediate.extensions = [
                TestCertificate.Extension(TestCertificate.intermediateMarker, critical: true)
            ]
        },
        .passes("intermediate: no path length") { $0.pki.intermediate.pathLength = nil },
        .passes("intermediate: a longer path length") { $0.pki.intermediate.pathLength = 3 },
        .passes("intermediate: every key usage") {
            $0.pki.intermediate.keyUsage = [.digitalSignature, .keyCertSign, .cRLSign]
        },
        .passes("intermediate: no key usage") { $0.pki.intermediate.keyUsage = nil },
        .passes("signer: no key usage") { $0.pki.signer.keyUsage = nil },
        .passes("intermediate and signer: no key usage") {
            $0.pki.intermediate.keyUsage = nil
            $0.pki.signer.keyUsage = nil
        },
        .passes("signer: no basic constraints") { $0.pki.signer.isAuthority = nil },
        .passes("signer: key usage that includes commitments") {
            $0.pki.signer.keyUsage = [.digitalSignature, .contentCommitment]
        },
        .passes("signer: both algorithm fields without parameters") {
            $0.pki.signer.algorithm = TestAlgorithm("1.2.840.113549.1.1.11", parameters: .absent)
        },
        .passes("signer and intermediate: valid from the creation date on") {
            $0.pki.signer.notBefore = $0.receipt.creationDate
            $0.pki.intermediate.notBefore = $0.receipt.creationDate
            $0.pki.root.notBefore = $0.receipt.creationDate
        },
        .passes("signer and intermediate: valid until the creation date") {
            $0.pki.signer.notAfter = $0.receipt.creationDate
            $0.pki.intermediate.notAfter = $0.receipt.creationDate
            $0.pki.root.notAfter = $0.receipt.creationDate
        },
        .passes("anchor: one intermediate allowed below it") { $0.pki.root.pathLength = 1 },
        .passes("anchor: no key usage") { $0.pki.root.keyUsage = nil },
        .passes("anchor: an invalid self-signature") { $0.pki.root.issuerKey = .untrusted },
        .passes("anchor: MD5 in its own signature") {
            $0.pki.root.algorithm = TestAlgorithm("1.2.840.113549.1.1.4")
        },
        .passes("anchor: algorithm fields that disagree") {
            $0.pki.root.innerAlgorithm = TestAlgorithm(key: .rsa, digest: .sha1)
        },
        .passes("anchor: an unrelated marker") { $0.pki.root.markers = ["1.2.3.4"] },
        .passes("equal names with special characters") {
            $0.pki.intermediate.subject.commonName = "İ, \\ \"=+"
            $0.pki.signer.issuer = $0.pki.intermediate.subject
        },
        .passes("two anchors with the same name, the second one correct") {
            $0.anchors = [try TestPKI.impostor.root.der(), try TestPKI.standard.root.der()]
        },
        .passes("two intermediates with the same name, the first one forged") { testCase in
            let forged = TestPKI.impostor.intermediate
            testCase.container = { $0.certificates.insert(try forged.der(), at: 1) }
        },
        .passes("two intermediates with the same name, the second one forged") { testCase in
            let forged = TestPKI.impostor.intermediate
            testCase.container = { $0.certificates.append(try forged.der()) }
        },
        .passes("two certificates of the intermediate, one without a marker") { testCase in
            let other = testCase.pki.intermediate.with { $0.markers = [] }
            testCase.container = { $0.certificates.insert(try other.der(), at: 0) }
        },
    ]
}
