import AppReceiptKit
import AppReceiptTesting
import Testing

/// Rules of trust 2 to 6: what only resembles a broken rule. Each rule broken singly is in the catalog of attacks.
@Suite("CertificateChain")
struct CertificateChainTests {
    @Test("the signer is the one certificate that its identifier names", arguments: signerIdentifiers)
    func signerIsNamed(_ rule: Rule) throws { try rule.check() }

    @Test("what only resembles a broken rule passes", arguments: twins)
    func twinPasses(_ rule: Rule) throws { try rule.check() }

    @Test("of several failing ways the one that got furthest is told")
    func furthestFailureIsTold() throws {
        // One intermediate with another's signature, one that is right but has expired.
        try Rule.rejected("two bad intermediates", .intermediateExpired) { testCase in
            testCase.pki.intermediate.notAfter = instant("2024-01-01T00:00:00Z")
            let forged = TestPKI.impostor.intermediate
            testCase.container = { $0.certificates.insert(try forged.der(), at: 1) }
        }.check()
    }

    static let signerIdentifiers: [Rule] = [
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

    static let twins: [Rule] = [
        .passes("intermediate: a non-critical extension that nobody knows") {
            $0.pki.intermediate.extensions = [TestCertificate.Extension("1.2.3.4")]
        },
        .passes("signer: non-critical policies and extended key usage") {
            $0.pki.signer.extensions = [
                TestCertificate.Extension("2.5.29.37", value: DERWriter.sequence([])),
                TestCertificate.Extension("2.5.29.32", value: DERWriter.sequence([])),
            ]
        },
        .passes("intermediate: its marker critical, and another beside it") {
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
        .passes("signer: key usage for commitments as well") {
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
        .passes("anchor: a self-signature that is nobody's") { $0.pki.root.issuerKey = .stranger },
        .passes("anchor: MD5 in its own signature") {
            $0.pki.root.algorithm = TestAlgorithm("1.2.840.113549.1.1.4")
        },
        .passes("anchor: algorithm fields that disagree") {
            $0.pki.root.innerAlgorithm = TestAlgorithm(.rsa, .sha1)
        },
        .passes("anchor: its marker or none") { $0.pki.root.markers = ["1.2.3.4"] },
        .passes("names that are odd but equal") {
            $0.pki.intermediate.subject.commonName = "İ, \\ \"=+"
            $0.pki.signer.issuer = $0.pki.intermediate.subject
        },
        .passes("two anchors of one name, the second is right") {
            $0.anchors = [try TestPKI.impostor.root.der(), try TestPKI.standard.root.der()]
        },
        .passes("two intermediates of one name, the first one bad") { testCase in
            let forged = TestPKI.impostor.intermediate
            testCase.container = { $0.certificates.insert(try forged.der(), at: 1) }
        },
        .passes("two intermediates of one name, the second one bad") { testCase in
            let forged = TestPKI.impostor.intermediate
            testCase.container = { $0.certificates.append(try forged.der()) }
        },
        .passes("an intermediate certified twice, once without marker") { testCase in
            let other = testCase.pki.intermediate.with { $0.markers = [] }
            testCase.container = { $0.certificates.insert(try other.der(), at: 0) }
        },
    ]
}
