import AppReceiptKit
import AppReceiptTesting
import Testing

/// Rules of trust 2 to 6, each broken singly, and the harmless twins of what is refused.
@Suite("CertificateChain")
struct CertificateChainTests {
    @Test("an intermediate that breaks one rule is refused with that rule's code", arguments: intermediateRefusals)
    func intermediateBreaksRule(_ rule: Rule) throws { try rule.check() }

    @Test("a signer's certificate that breaks one rule is refused with that rule's code", arguments: signerRefusals)
    func signerBreaksRule(_ rule: Rule) throws { try rule.check() }

    @Test("an anchor that breaks one rule is refused with that rule's code", arguments: anchorRefusals)
    func anchorBreaksRule(_ rule: Rule) throws { try rule.check() }

    @Test("a chain of the wrong shape is refused with the code of its shape", arguments: shapeRefusals)
    func shapeIsWrong(_ rule: Rule) throws { try rule.check() }

    @Test("the signer is the one certificate that its identifier names", arguments: signerIdentifiers)
    func signerIsNamed(_ rule: Rule) throws { try rule.check() }

    @Test("what only resembles a broken rule passes", arguments: twins)
    func twinPasses(_ rule: Rule) throws { try rule.check() }

    @Test("of several failing ways the one that got furthest is told")
    func furthestFailureIsTold() throws {
        // One intermediate with another's signature, one that is right but has expired.
        try Rule.refused("two bad intermediates", .intermediateExpired) { trial in
            trial.pki.intermediate.notAfter = instant("2024-01-01T00:00:00Z")
            let forged = TestPKI.impostor.intermediate
            trial.container = { $0.certificates.insert(try forged.der(), at: 1) }
        }.check()
    }

    // MARK: Rules that intermediate and signer share

    private struct Role: Sendable {
        let name: String
        let path: any WritableKeyPath<TestPKI, TestCertificate> & Sendable
        let fieldsDisagree, algorithm, signature, notYetValid, expired, critical: ReceiptError.Code
        let unsupported, weak, large: ReceiptError.Code
    }

    private static let intermediate = Role(
        name: "intermediate", path: \.intermediate, fieldsDisagree: .intermediateAlgorithmFieldsDisagree,
        algorithm: .intermediateAlgorithmUnsupported, signature: .intermediateSignatureInvalid,
        notYetValid: .intermediateNotYetValid, expired: .intermediateExpired, critical: .intermediateCriticalExtension,
        unsupported: .intermediateKeyUnsupported, weak: .intermediateKeyTooWeak, large: .intermediateKeyTooLarge)

    private static let signer = Role(
        name: "signer", path: \.signer, fieldsDisagree: .signerAlgorithmFieldsDisagree,
        algorithm: .signerAlgorithmUnsupported, signature: .signerSignatureInvalid, notYetValid: .signerNotYetValid,
        expired: .signerExpired, critical: .signerCriticalExtension, unsupported: .signerKeyUnsupported,
        weak: .signerKeyTooWeak, large: .signerKeyTooLarge)

    /// `change` made to the certificate of that role.
    private static func broken(
        _ role: Role, _ what: String, _ code: ReceiptError.Code,
        _ change: @escaping @Sendable (inout TestCertificate) -> Void
    ) -> Rule {
        .refused("\(role.name): \(what)", code) { change(&$0.pki[keyPath: role.path]) }
    }

    private static func named(
        _ role: Role, _ what: String, _ objectIdentifier: String, _ parameters: TestAlgorithm.Parameters = .null
    ) -> Rule {
        broken(role, what, role.algorithm) {
            $0.algorithm = TestAlgorithm(objectIdentifier, parameters: parameters)
        }
    }

    private static func shared(_ role: Role) -> [Rule] {
        [
            broken(role, "two algorithm fields with different digests", role.fieldsDisagree) {
                $0.innerAlgorithm = TestAlgorithm(.rsa, .sha1)
            },
            broken(role, "two algorithm fields that differ in the parameters only", role.fieldsDisagree) {
                $0.innerAlgorithm = TestAlgorithm("1.2.840.113549.1.1.11", parameters: .absent)
            },
            named(role, "MD5 with RSA", "1.2.840.113549.1.1.4"),
            named(role, "MD2 with RSA", "1.2.840.113549.1.1.2"),
            named(role, "RSA-PSS", "1.2.840.113549.1.1.10"),
            named(role, "SHA-224 with RSA", "1.2.840.113549.1.1.14"),
            named(role, "plain rsaEncryption, which names no digest", "1.2.840.113549.1.1.1"),
            named(role, "Ed25519", "1.3.101.112", .absent),
            named(role, "an unknown algorithm", "1.2.3.4.5"),
            named(role, "parameters other than NULL", "1.2.840.113549.1.1.11", .other([0x02, 0x01, 0x00])),
            named(role, "ECDSA with parameters", "1.2.840.10045.4.3.2", .null),
            broken(role, "an algorithm that names another digest than was used", role.signature) {
                $0.algorithm = TestAlgorithm(.rsa, .sha384)
            },
            broken(role, "an algorithm that names ECDSA over an RSA signature", role.signature) {
                $0.algorithm = TestAlgorithm(.p256, .sha256)
            },
            broken(role, "signed by another key than its issuer's", role.signature) { $0.issuerKey = .stranger },
            broken(role, "valid only from a second after the creation date", role.notYetValid) {
                $0.notBefore = instant("2024-07-02T15:04:06Z")
            },
            broken(role, "expired a second before the creation date", role.expired) {
                $0.notAfter = instant("2024-07-02T15:04:04Z")
            },
            broken(role, "a critical extension that nobody knows", role.critical) {
                $0.extensions = [TestCertificate.Extension("1.2.840.113635.100.6.1.4", critical: true)]
            },
            broken(role, "critical extended key usage", role.critical) {
                $0.extensions = [
                    TestCertificate.Extension(
                        "2.5.29.37", critical: true,
                        value: DERWriter.sequence([DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.3")]))
                ]
            },
            broken(role, "critical name constraints", role.critical) {
                $0.extensions = [
                    TestCertificate.Extension("2.5.29.30", critical: true, value: DERWriter.sequence([]))
                ]
            },
            broken(role, "RSA of 1024 bits", role.weak) { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 1024) },
            broken(role, "RSA of 2047 bits", role.weak) { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2047) },
            broken(role, "RSA of 8193 bits", role.large) { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 8193) },
            broken(role, "a key on P-521", role.unsupported) { $0.publicKeyInfo = PublicKeyInfos.onP521 },
            broken(role, "a key on Ed25519", role.unsupported) { $0.publicKeyInfo = PublicKeyInfos.ed25519 },
            broken(role, "a point beside its curve", role.unsupported) {
                $0.publicKeyInfo = PublicKeyInfos.offTheCurve
            },
            broken(role, "an RSA key for PSS only", role.unsupported) {
                $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2048, algorithm: "1.2.840.113549.1.1.10")
            },
        ]
    }

    // MARK: The tables

    static let intermediateRefusals: [Rule] =
        shared(intermediate) + [
            broken(intermediate, "no marker", .intermediateMarkerMissing) { $0.markers = [] },
            broken(intermediate, "the signer's marker", .intermediateMarkerMissing) {
                $0.markers = [TestCertificate.signerMarker]
            },
            broken(intermediate, "the marker of WWDR G2", .intermediateMarkerMissing) {
                $0.markers = ["1.2.840.113635.100.6.2.15"]
            },
            broken(intermediate, "no authority", .intermediateNotAuthority) {
                $0.isAuthority = false
                $0.pathLength = nil
            },
            broken(intermediate, "no basic constraints", .intermediateNotAuthority) { $0.isAuthority = nil },
            broken(intermediate, "a path length although no authority", .certificateMalformed) {
                $0.isAuthority = false
            },
            broken(intermediate, "a negative path length", .pathLengthExceeded) {
                $0.isAuthority = nil
                $0.extensions = [
                    TestCertificate.Extension(
                        "2.5.29.19", critical: true, value: [0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0xFF])
                ]
            },
            broken(intermediate, "basic constraints that cannot be read", .certificateMalformed) {
                $0.isAuthority = nil
                $0.extensions = [TestCertificate.Extension("2.5.29.19", critical: true, value: [0x05, 0x00])]
            },
            broken(intermediate, "no key usage", .intermediateKeyUsage) { $0.keyUsage = nil },
            broken(intermediate, "key usage without certificates", .intermediateKeyUsage) {
                $0.keyUsage = [.digitalSignature, .cRLSign]
            },
            broken(intermediate, "empty key usage", .intermediateKeyUsage) { $0.keyUsage = [] },
            broken(intermediate, "key usage that cannot be read", .certificateMalformed) {
                $0.keyUsage = nil
                $0.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
            },
        ]

    static let signerRefusals: [Rule] =
        shared(signer) + [
            broken(signer, "no marker, as on developers' certificates", .signerMarkerMissing) { $0.markers = [] },
            broken(signer, "the intermediate's marker", .signerMarkerMissing) {
                $0.markers = [TestCertificate.intermediateMarker]
            },
            broken(signer, "the marker of receipts before iOS 7", .signerMarkerMissing) {
                $0.markers = ["1.2.840.113635.100.6.5.1"]
            },
            broken(signer, "an authority", .signerIsAuthority) { $0.isAuthority = true },
            broken(signer, "a subject that is no name", .certificateMalformed) {
                $0.subjectElement = DERWriter.sequence([DERWriter.integer(5)])
            },
            broken(signer, "basic constraints that cannot be read", .certificateMalformed) {
                $0.isAuthority = nil
                $0.extensions = [TestCertificate.Extension("2.5.29.19", critical: true, value: [0x05, 0x00])]
            },
            broken(signer, "no key usage", .signerKeyUsage) { $0.keyUsage = nil },
            broken(signer, "key usage for encryption only", .signerKeyUsage) { $0.keyUsage = [.keyEncipherment] },
            broken(signer, "key usage for commitments only", .signerKeyUsage) { $0.keyUsage = [.contentCommitment] },
        ]

    static let anchorRefusals: [Rule] = [
        .refused("anchor: valid only from a second after the creation date", .anchorNotYetValid) {
            $0.pki.root.notBefore = instant("2024-07-02T15:04:06Z")
        },
        .refused("anchor: expired a second before the creation date", .anchorExpired) {
            $0.pki.root.notAfter = instant("2024-07-02T15:04:04Z")
        },
        .refused("anchor: RSA 2047", .anchorKeyTooWeak) { $0.pki.root.publicKeyInfo = PublicKeyInfos.rsa(bits: 2047) },
        .refused("anchor: RSA 8193", .anchorKeyTooLarge) { $0.pki.root.publicKeyInfo = PublicKeyInfos.rsa(bits: 8193) },
        .refused("anchor: Ed25519", .anchorKeyUnsupported) { $0.pki.root.publicKeyInfo = PublicKeyInfos.ed25519 },
        .refused("anchor: P-521", .anchorKeyUnsupported) { $0.pki.root.publicKeyInfo = PublicKeyInfos.onP521 },
        .refused("anchor: no authority", .anchorUnfit) { $0.pki.root.isAuthority = false },
        .refused("anchor: no basic constraints", .anchorUnfit) { $0.pki.root.isAuthority = nil },
        .refused("anchor: key usage without certificates", .anchorUnfit) { $0.pki.root.keyUsage = [.cRLSign] },
        .refused("anchor: no intermediate allowed below it", .pathLengthExceeded) { $0.pki.root.pathLength = 0 },
    ]

    static let shapeRefusals: [Rule] = [
        .refused("names that differ between signer and intermediate", .intermediateMissing) {
            $0.pki.signer.issuer = TestName("Somebody Else")
        },
        .refused("names that differ in the case of a letter only", .intermediateMissing) {
            $0.pki.signer.issuer.organization = "APPRECEIPTTESTING"
        },
        .refused("names that differ between intermediate and root", .rootNotTrusted) {
            $0.pki.intermediate.issuer.commonName += " "
        },
        .refused("a foreign chain with its own root beside it", .rootNotTrusted) {
            $0.anchors = [try TestPKI.xcode.der()]
        },
        .refused("a foreign chain under a root of the same name", .intermediateSignatureInvalid) {
            $0.anchors = [try TestPKI.standard.root.der()]
            $0.pki = .impostor
        },
        .refused("a foreign chain with the genuine certificates beside it", .signerSignatureInvalid) {
            $0.anchors = [try TestPKI.standard.root.der()]
            $0.pki = .impostor
            $0.container = { container in
                container.certificates += [try TestPKI.standard.intermediate.der(), try TestPKI.standard.root.der()]
            }
        },
        .refused("a foreign signature under the genuine certificates", .signatureInvalid) {
            $0.container = { $0.signers[0].key = .stranger }
        },
        .refused("a developer's certificate under the genuine intermediate", .signerMarkerMissing) {
            $0.pki.signer = $0.pki.signer.with { signer in
                signer.subject = TestName("Apple Development: Somebody")
                signer.key = .developer
                signer.markers = ["1.2.840.113635.100.6.1.2"]
            }
        },
        .refused("a signer issued by the root", .chainTooShort) {
            $0.pki.signer.issuer = $0.pki.root.subject
            $0.pki.signer.issuerKey = .root
        },
        .refused("a signer issued by a foreign root", .chainTooShort) {
            let stranger = TestPKI.xcode
            $0.pki.signer.issuer = stranger.subject
            $0.pki.signer.issuerKey = stranger.key
            $0.container = { $0.certificates.append(try stranger.der()) }
        },
        .refused("a chain of four, the second intermediate under the first", .chainTooLong) { trial in
            let middle = trial.pki.intermediate.with { middle in
                middle.subject = TestName("Another Intermediate CA")
                middle.issuer = TestPKI.standard.intermediate.subject
                middle.key = .developer
                middle.issuerKey = .intermediate
            }
            trial.pki.signer.issuer = middle.subject
            trial.pki.signer.issuerKey = .developer
            trial.container = { $0.certificates.insert(try middle.der(), at: 1) }
        },
        .refused("a signer issued by another signer", .chainTooLong) { trial in
            let issuer = trial.pki.signer.with { $0.subject = TestName("Genuine Signer") }
            trial.pki.signer = trial.pki.signer.with { signer in
                signer.issuer = issuer.subject
                signer.issuerKey = issuer.key
                signer.key = .developer
            }
            trial.container = { $0.certificates.insert(try issuer.der(), at: 1) }
        },
        .refused("a signer issued by another signer that the root issued", .intermediateNotAuthority) { trial in
            trial.pki.intermediate = trial.pki.intermediate.with { issuer in
                issuer.isAuthority = false
                issuer.pathLength = nil
                issuer.keyUsage = [.digitalSignature]
                issuer.markers = [TestCertificate.signerMarker]
            }
        },
        .refused("a signer that issued itself", .signerSelfSigned) {
            $0.pki.signer.issuer = $0.pki.signer.subject
            $0.pki.signer.issuerKey = $0.pki.signer.key
        },
        .refused("a root that signs receipts", .signerSelfSigned) {
            $0.container = { $0.signers = [TestSigner(TestPKI.standard.root)] }
        },
        .refused("an intermediate that signs receipts", .signerIsAuthority) {
            $0.container = { $0.signers = [TestSigner(TestPKI.standard.intermediate)] }
        },
        .refused("no intermediate", .intermediateMissing) { $0.container = { $0.certificates.remove(at: 1) } },
        .refused("a certificate that is none", .certificateMalformed) {
            $0.container = { $0.certificates.append(DERWriter.sequence([DERWriter.null])) }
        },
        .refused("an extension that occurs twice", .certificateMalformed) {
            $0.pki.signer.markers += [TestCertificate.signerMarker]
        },
    ]

    static let signerIdentifiers: [Rule] = [
        .passes("a serial number with its highest bit set") { $0.pki.signer.serialNumber = 0x8000_0000_0000_0001 },
        .passes("a serial number of 128") { $0.pki.signer.serialNumber = 128 },
        .passes("a serial number of zero") { $0.pki.signer.serialNumber = 0 },
        .refused("the serial number -128 for 128", .signerCertificateMissing) {
            $0.pki.signer.serialNumber = 128
            $0.container = { $0.signers[0].serialNumber = [0x80] }
        },
        .refused("a serial number with a zero octet too many", .signerCertificateMissing) {
            $0.container = { $0.signers[0].serialNumber = [0x00, 0x15, 0xE7, 0x9F, 0xCE, 0x52, 0x55, 0x0A, 0x65] }
        },
        .refused("another serial number", .signerCertificateMissing) {
            $0.container = { $0.signers[0].certificate.serialNumber += 1 }
        },
        .refused("another issuer", .signerCertificateMissing) {
            $0.container = { $0.signers[0].certificate.issuer.commonName += "!" }
        },
        .refused("a subject key identifier that no certificate has", .signerCertificateMissing) {
            $0.container = { container in
                container.signers[0].usesSubjectKeyIdentifier = true
                container.signers[0].key = container.signers[0].certificate.key
                container.signers[0].certificate.key = .developer
            }
        },
        .refused("two certificates with issuer and serial number in common", .signerCertificateAmbiguous) {
            $0.container = { container in
                let other = TestPKI.standard.signer.with { $0.notAfter = instant("2031-01-01T00:00:00Z") }
                container.certificates.append(try other.der())
            }
        },
        .refused("two certificates with the subject key identifier in common", .signerCertificateAmbiguous) {
            $0.container = { container in
                container.signers[0].usesSubjectKeyIdentifier = true
                container.certificates.append(try TestPKI.standard.signer.with { $0.serialNumber = 99 }.der())
            }
        },
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
        .passes("two intermediates of one name, the first one bad") { trial in
            let forged = TestPKI.impostor.intermediate
            trial.container = { $0.certificates.insert(try forged.der(), at: 1) }
        },
        .passes("two intermediates of one name, the second one bad") { trial in
            let forged = TestPKI.impostor.intermediate
            trial.container = { $0.certificates.append(try forged.der()) }
        },
        .passes("an intermediate certified twice, once without marker") { trial in
            let other = trial.pki.intermediate.with { $0.markers = [] }
            trial.container = { $0.certificates.insert(try other.der(), at: 0) }
        },
    ]
}
