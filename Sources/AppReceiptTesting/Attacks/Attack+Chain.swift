import AppReceiptKit

// Rules of trust 2 and 3: which certificate is the signer's, and what leads from it to an anchor.

extension Attack {
    static let chains: [Attack] = [
        Attack("names that differ between signer and intermediate", .intermediateMissing, on: .chain) {
            $0.pki.signer.issuer = TestName("Somebody Else")
        },
        Attack("names that differ in the case of a letter only", .intermediateMissing, on: .chain) {
            $0.pki.signer.issuer.organization = "APPRECEIPTTESTING"
        },
        Attack("names that differ between intermediate and root", .rootNotTrusted, on: .chain) {
            $0.pki.intermediate.issuer.commonName += " "
        },
        Attack("a foreign chain with its own root beside it", .rootNotTrusted, on: .chain) {
            $0.anchors = [try TestPKI.xcode.der()]
        },
        Attack("a foreign chain under a root of the same name", .intermediateSignatureInvalid, on: .chain) {
            $0.anchors = [try TestPKI.standard.root.der()]
            $0.pki = .impostor
        },
        Attack("a foreign chain with the genuine certificates beside it", .signerSignatureInvalid, on: .chain) {
            $0.anchors = [try TestPKI.standard.root.der()]
            $0.pki = .impostor
            $0.container = { container in
                container.certificates += [try TestPKI.standard.intermediate.der(), try TestPKI.standard.root.der()]
            }
        },
        Attack("a foreign signature under the genuine certificates", .signatureInvalid, on: .chain) {
            $0.container = { $0.signers[0].key = .stranger }
        },
        Attack("a developer's certificate under the genuine intermediate", .signerMarkerMissing, on: .chain) {
            $0.pki.signer = $0.pki.signer.with { signer in
                signer.subject = TestName("Apple Development: Somebody")
                signer.key = .developer
                signer.markers = ["1.2.840.113635.100.6.1.2"]
            }
        },
        Attack("a signer issued by the root", .chainTooShort, on: .chain) {
            $0.pki.signer.issuer = $0.pki.root.subject
            $0.pki.signer.issuerKey = .root
        },
        Attack("a signer issued by a foreign root", .chainTooShort, on: .chain) {
            let stranger = TestPKI.xcode
            $0.pki.signer.issuer = stranger.subject
            $0.pki.signer.issuerKey = stranger.key
            $0.container = { $0.certificates.append(try stranger.der()) }
        },
        Attack("a chain of four, the second intermediate under the first", .chainTooLong, on: .chain) { testCase in
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
        Attack("a signer issued by another signer", .chainTooLong, on: .chain) { testCase in
            let issuer = testCase.pki.signer.with { $0.subject = TestName("Genuine Signer") }
            testCase.pki.signer = testCase.pki.signer.with { signer in
                signer.issuer = issuer.subject
                signer.issuerKey = issuer.key
                signer.key = .developer
            }
            testCase.container = { $0.certificates.insert(try issuer.der(), at: 1) }
        },
        Attack("a signer issued by another signer that the root issued", .intermediateNotAuthority, on: .chain) {
            testCase in
            testCase.pki.intermediate = testCase.pki.intermediate.with { issuer in
                issuer.isAuthority = false
                issuer.pathLength = nil
                issuer.keyUsage = [.digitalSignature]
                issuer.markers = [TestCertificate.signerMarker]
            }
        },
        Attack("a signer that issued itself", .signerSelfSigned, on: .chain) {
            $0.pki.signer.issuer = $0.pki.signer.subject
            $0.pki.signer.issuerKey = $0.pki.signer.key
        },
        Attack("a root that signs receipts", .signerSelfSigned, on: .chain) {
            $0.container = { $0.signers = [TestSigner(TestPKI.standard.root)] }
        },
        Attack("an intermediate that signs receipts", .signerIsAuthority, on: .chain) {
            $0.container = { $0.signers = [TestSigner(TestPKI.standard.intermediate)] }
        },
        Attack("no intermediate", .intermediateMissing, on: .chain) {
            $0.container = { $0.certificates.remove(at: 1) }
        },
        Attack("a certificate that is none", .certificateMalformed, on: .chain) {
            $0.container = { $0.certificates.append(DERWriter.sequence([DERWriter.null])) }
        },
        Attack("an extension that occurs twice", .certificateMalformed, on: .chain) {
            $0.pki.signer.markers += [TestCertificate.signerMarker]
        },
        Attack("the signer named by the serial number -128 for 128", .signerCertificateMissing, on: .chain) {
            $0.pki.signer.serialNumber = 128
            $0.container = { $0.signers[0].serialNumber = [0x80] }
        },
        Attack("the signer named by a serial number with a zero octet too many", .signerCertificateMissing, on: .chain)
        {
            $0.container = { $0.signers[0].serialNumber = [0x00, 0x15, 0xE7, 0x9F, 0xCE, 0x52, 0x55, 0x0A, 0x65] }
        },
        Attack("the signer named by another serial number", .signerCertificateMissing, on: .chain) {
            $0.container = { $0.signers[0].certificate.serialNumber += 1 }
        },
        Attack("the signer named by another issuer", .signerCertificateMissing, on: .chain) {
            $0.container = { $0.signers[0].certificate.issuer.commonName += "!" }
        },
        Attack(
            "the signer named by a subject key identifier that no certificate has", .signerCertificateMissing,
            on: .chain
        ) {
            $0.container = { container in
                container.signers[0].usesSubjectKeyIdentifier = true
                container.signers[0].key = container.signers[0].certificate.key
                container.signers[0].certificate.key = .developer
            }
        },
        Attack(
            "the signer named by two certificates with issuer and serial number in common", .signerCertificateAmbiguous,
            on: .chain
        ) {
            $0.container = { container in
                let other = TestPKI.standard.signer.with { $0.notAfter = instant("2031-01-01T00:00:00Z") }
                container.certificates.append(try other.der())
            }
        },
        Attack(
            "the signer named by two certificates with the subject key identifier in common",
            .signerCertificateAmbiguous, on: .chain
        ) {
            $0.container = { container in
                container.signers[0].usesSubjectKeyIdentifier = true
                container.certificates.append(try TestPKI.standard.signer.with { $0.serialNumber = 99 }.der())
            }
        },
        Attack("authorities that certify each other", .chainTooLong, on: .chain) { testCase in
            // Two of one name, each certified by the other and by itself: a path builder without a budget never ends.
            let names = [TestName("Cross A"), TestName("Cross B")]
            let keys = [TestKey.stranger, .developer]
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
        Attack("a developer's certificate for code signing", .signerMarkerMissing, on: .chain) {
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
