import AppReceiptKit

// Rules 2 and 3 of THREAT_MODEL.md: the signer's certificate, and the chain from it to an anchor.

extension Attack {
    static let chains: [Case] = [
        Case("a signer whose issuer isn't the intermediate's subject", code: .intermediateMissing) {
            $0.pki.signer.issuer = TestName("Somebody Else")
        },
        Case("a signer whose issuer differs from the intermediate's subject only in case", code: .intermediateMissing) {
            $0.pki.signer.issuer.organization = "APPRECEIPTTESTING"
        },
        Case("an intermediate whose issuer isn't the root's subject", code: .rootNotTrusted) {
            $0.pki.intermediate.issuer.commonName += " "
        },
        Case("a foreign chain that includes its own root", code: .rootNotTrusted) {
            $0.anchors = [try TestPKI.xcode.der()]
        },
        Case("a foreign chain whose root has the anchor's name", code: .intermediateSignatureInvalid) {
            $0.anchors = [try TestPKI.standard.root.der()]
            $0.pki = .impostor
        },
        Case("a foreign chain together with the genuine certificates", code: .signerSignatureInvalid) {
            $0.anchors = [try TestPKI.standard.root.der()]
            $0.pki = .impostor
            $0.container = { container in
                container.certificates += [try TestPKI.standard.intermediate.der(), try TestPKI.standard.root.der()]
            }
        },
        container("the genuine certificates with a signature by a foreign key", code: .signatureInvalid) {
            $0.signers[0].key = .untrusted
        },
        Case("a developer certificate issued by the genuine intermediate", code: .signerMarkerMissing) {
            $0.pki.signer = $0.pki.signer.with { signer in
                signer.subject = TestName("Apple Development: Somebody")
                signer.key = .developer
                signer.markers = ["1.2.840.113635.100.6.1.2"]
            }
        },
        Case("a signer issued by the root", code: .chainTooShort) {
            $0.pki.signer.issuer = $0.pki.root.subject
            $0.pki.signer.issuerKey = .root
        },
        Case("a signer issued by a foreign root", code: .chainTooShort) {
            let stranger = TestPKI.xcode
            $0.pki.signer.issuer = stranger.subject
            $0.pki.signer.issuerKey = stranger.key
            $0.container = { $0.certificates.append(try stranger.der()) }
        },
        Case("a chain with two intermediates", code: .chainTooLong) { testCase in
            let middle = testCase.pki.intermediate.with { middle in
                middle.subject = TestName("Another Intermediate CA")
                middle.issuer = TestPKI.standard.intermediate.subject
                middle.key = .developer
                middle.issuerKey = .intermediate
            }
            testCase.pki.signer.issuer = middle.subject
            testCase.pki.signer.issuerKey = .developer
            testCase.container = { $0.certificates.insert(try middle.der(), at: 1) }
        },
        Case("a signer issued by another signer", code: .chainTooLong) { testCase in
            let issuer = testCase.pki.signer.with { $0.subject = TestName("Genuine Signer") }
            testCase.pki.signer = testCase.pki.signer.with { signer in
                signer.issuer = issuer.subject
                signer.issuerKey = issuer.key
                signer.key = .developer
            }
            testCase.container = { $0.certificates.insert(try issuer.der(), at: 1) }
        },
        Case("a signer issued by another signer that the root issued", code: .intermediateNotAuthority) {
            testCase in
            testCase.pki.intermediate = testCase.pki.intermediate.with { issuer in
                issuer.isAuthority = false
                issuer.pathLength = nil
                issuer.keyUsage = [.digitalSignature]
                issuer.markers = [TestCertificate.signerMarker]
            }
        },
        Case("a self-signed signer", code: .signerSelfSigned) {
            $0.pki.signer.issuer = $0.pki.signer.subject
            $0.pki.signer.issuerKey = $0.pki.signer.key
        },
        container("a root that signs receipts", code: .signerSelfSigned) {
            $0.signers = [TestSigner(TestPKI.standard.root)]
        },
        container("an intermediate that signs receipts", code: .signerIsAuthority) {
            $0.signers = [TestSigner(TestPKI.standard.intermediate)]
        },
        container("no intermediate", code: .intermediateMissing) { $0.certificates.remove(at: 1) },
        container("an element that isn't a certificate", code: .certificateMalformed) {
            $0.certificates.append(DERWriter.sequence([DERWriter.null]))
        },
        Case("an extension that occurs twice", code: .certificateMalformed) {
            $0.pki.signer.markers += [TestCertificate.signerMarker]
        },
        Case("a signer identifier with serial number -128 instead of 128", code: .signerCertificateMissing) {
            $0.pki.signer.serialNumber = 128
            $0.container = { $0.signers[0].serialNumber = [0x80] }
        },
        container("a signer identifier whose serial number has an extra zero byte", code: .signerCertificateMissing) {
            $0.signers[0].serialNumber = [0x00, 0x15, 0xE7, 0x9F, 0xCE, 0x52, 0x55, 0x0A, 0x65]
        },
        container("a signer identifier with another serial number", code: .signerCertificateMissing) {
            $0.signers[0].certificate.serialNumber += 1
        },
        container("a signer identifier with another issuer", code: .signerCertificateMissing) {
            $0.signers[0].certificate.issuer.commonName += "!"
        },
        container(
            "a signer identifier with a subject key identifier that no certificate has",
            code: .signerCertificateMissing
        ) { container in
            container.signers[0].usesSubjectKeyIdentifier = true
            container.signers[0].key = container.signers[0].certificate.key
            container.signers[0].certificate.key = .developer
        },
        container(
            "a signer identifier whose issuer and serial number match two certificates",
            code: .signerCertificateAmbiguous
        ) { container in
            let other = TestPKI.standard.signer.with { $0.notAfter = instant("2031-01-01T00:00:00Z") }
            container.certificates.append(try other.der())
        },
        container(
            "a signer identifier whose subject key identifier matches two certificates",
            code: .signerCertificateAmbiguous
        ) { container in
            container.signers[0].usesSubjectKeyIdentifier = true
            container.certificates.append(try TestPKI.standard.signer.with { $0.serialNumber = 99 }.der())
        },
        Case("CAs that certify each other", code: .chainTooLong) { testCase in
            // Each CA is certified by the other and by itself. A path builder without a budget doesn't terminate.
            let names = [TestName("Cross A"), TestName("Cross B")]
            let keys = [TestKey.untrusted, .developer]
            var crossed: [[UInt8]] = []
            for subject in 0..<2 {
                for issuer in 0..<2 {
                    crossed.append(
                        try testCase.pki.intermediate.with { authority in
                            authority.subject = names[subject]
                            authority.issuer = names[issuer]
                            authority.key = keys[subject]
                            authority.issuerKey = keys[issuer]
                            authority.pathLength = nil
                        }.der())
                }
            }
            testCase.pki.signer.issuer = names[0]
            testCase.pki.signer.issuerKey = keys[0]
            let authorities = crossed
            testCase.container = { $0.certificates = [$0.certificates[0]] + authorities }
        },
        Case("a developer certificate for code signing", code: .signerMarkerMissing) {
            $0.pki.signer = $0.pki.signer.with { signer in
                signer.subject = TestName("Apple Distribution: Somebody")
                signer.key = .developer
                signer.markers = ["1.2.840.113635.100.6.1.4"]
                signer.extensions = [
                    TestCertificate.Extension(
                        "2.5.29.37", value: DERWriter.sequence([DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.3")]))
                ]
            }
        },
    ]
}
