import AppReceiptKit

// Rules 4 to 6 of THREAT_MODEL.md. Each attack breaks one rule on one certificate: signer, intermediate or anchor.

extension Attack {
    static let certificates = shared(intermediate) + forIntermediate + shared(signer) + forSigner + forAnchor

    private struct Role: Sendable {
        let name: String
        let change: @Sendable (inout TestPKI, (inout TestCertificate) -> Void) -> Void
        let fieldsDisagree, algorithm, signature, notYetValid, expired, critical: ReceiptError.Code
        let unsupported, weak, large: ReceiptError.Code
    }

    private static let intermediate = Role(
        name: "intermediate", change: { $1(&$0.intermediate) }, fieldsDisagree: .intermediateAlgorithmFieldsDisagree,
        algorithm: .intermediateAlgorithmUnsupported, signature: .intermediateSignatureInvalid,
        notYetValid: .intermediateNotYetValid, expired: .intermediateExpired, critical: .intermediateCriticalExtension,
        unsupported: .intermediateKeyUnsupported, weak: .intermediateKeyTooWeak, large: .intermediateKeyTooLarge)

    private static let signer = Role(
        name: "signer", change: { $1(&$0.signer) }, fieldsDisagree: .signerAlgorithmFieldsDisagree,
        algorithm: .signerAlgorithmUnsupported, signature: .signerSignatureInvalid, notYetValid: .signerNotYetValid,
        expired: .signerExpired, critical: .signerCriticalExtension, unsupported: .signerKeyUnsupported,
        weak: .signerKeyTooWeak, large: .signerKeyTooLarge)

    /// Creates an attack that applies `change` to the certificate with that role.
    private static func broken(
        _ role: Role, with what: String, code: ReceiptError.Code,
        twin: @escaping @Sendable (inout TestCertificate) -> Void = { _ in },
        harm change: @escaping @Sendable (inout TestCertificate) -> Void
    ) -> Case {
        Case(
            "\(role.name): \(what)", code: code, twin: { role.change(&$0.pki, twin) },
            harm: { role.change(&$0.pki, change) })
    }

    /// Creates an attack whose key usage lacks the use that the role requires. The twin has no key usage, which allows
    /// every use.
    private static func uses(
        _ role: Role, with what: String, code: ReceiptError.Code, keyUsage uses: Set<TestCertificate.KeyUsage>
    ) -> Case {
        broken(role, with: what, code: code, twin: { $0.keyUsage = nil }, harm: { $0.keyUsage = uses })
    }

    private static func named(
        _ role: Role, with what: String, algorithm objectIdentifier: String,
        parameters: TestAlgorithm.Parameters = .null
    ) -> Case {
        broken(role, with: what, code: role.algorithm) {
            $0.algorithm = TestAlgorithm(objectIdentifier, parameters: parameters)
        }
    }

    private static func keyed(
        _ role: Role, with what: String, code: ReceiptError.Code, key publicKeyInfo: [UInt8]
    ) -> Case {
        broken(role, with: what, code: code) { $0.publicKeyInfo = publicKeyInfo }
    }

    private static func shared(_ role: Role) -> [Case] {
        [
            broken(role, with: "two algorithm fields with different digests", code: role.fieldsDisagree) {
                $0.innerAlgorithm = TestAlgorithm(key: .rsa, digest: .sha1)
            },
            broken(role, with: "two algorithm fields that differ only in their parameters", code: role.fieldsDisagree) {
                $0.innerAlgorithm = TestAlgorithm("1.2.840.113549.1.1.11", parameters: .absent)
            },
            named(role, with: "MD5 with RSA", algorithm: "1.2.840.113549.1.1.4"),
            named(role, with: "MD2 with RSA", algorithm: "1.2.840.113549.1.1.2"),
            named(role, with: "RSA-PSS", algorithm: "1.2.840.113549.1.1.10"),
            named(role, with: "SHA-224 with RSA", algorithm: "1.2.840.113549.1.1.14"),
            named(role, with: "rsaEncryption, which specifies no digest", algorithm: "1.2.840.113549.1.1.1"),
            named(role, with: "Ed25519", algorithm: "1.3.101.112", parameters: .absent),
            named(role, with: "an unknown algorithm", algorithm: "1.2.3.4.5"),
            named(
                role, with: "parameters other than NULL", algorithm: "1.2.840.113549.1.1.11",
                parameters: .other([0x02, 0x01, 0x00])),
            named(role, with: "ECDSA with parameters", algorithm: "1.2.840.10045.4.3.2", parameters: .null),
            broken(role, with: "an algorithm with a digest other than the one that was used", code: role.signature) {
                $0.algorithm = TestAlgorithm(key: .rsa, digest: .sha384)
            },
            broken(role, with: "ECDSA as the algorithm of an RSA signature", code: role.signature) {
                $0.algorithm = TestAlgorithm(key: .p256, digest: .sha256)
            },
            broken(role, with: "signed by a key other than its issuer's", code: role.signature) {
                $0.issuerKey = .untrusted
            },
            broken(role, with: "valid from one second after the creation date", code: role.notYetValid) {
                $0.notBefore = instant("2024-07-02T15:04:06Z")
            },
            broken(role, with: "expired one second before the creation date", code: role.expired) {
                $0.notAfter = instant("2024-07-02T15:04:04Z")
            },
            broken(role, with: "an unknown critical extension", code: role.critical) {
                $0.extensions = [TestCertificate.Extension("1.2.840.113635.100.6.1.4", critical: true)]
            },
            broken(role, with: "critical extended key usage", code: role.critical) {
                $0.extensions = [
                    TestCertificate.Extension(
                        "2.5.29.37", critical: true,
                        value: DERWriter.sequence([DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.3")]))
                ]
            },
            broken(role, with: "critical name constraints", code: role.critical) {
                $0.extensions = [
                    TestCertificate.Extension("2.5.29.30", critical: true, value: DERWriter.sequence([]))
                ]
            },
            broken(role, with: "name constraints that aren't critical", code: role.critical) {
                $0.extensions = [TestCertificate.Extension("2.5.29.30", value: DERWriter.sequence([]))]
            },
            keyed(role, with: "a 1024-bit RSA key", code: role.weak, key: PublicKeyInfos.rsa(bits: 1024)),
            keyed(role, with: "a 2047-bit RSA key", code: role.weak, key: PublicKeyInfos.rsa(bits: 2047)),
            keyed(role, with: "an 8193-bit RSA key", code: role.large, key: PublicKeyInfos.rsa(bits: 8193)),
            keyed(
                role, with: "an RSA key with exponent 17", code: role.weak,
                key: PublicKeyInfos.rsa(bits: 2048, exponent: 17)),
            keyed(
                role, with: "an RSA key with exponent 65535", code: role.weak,
                key: PublicKeyInfos.rsa(bits: 2048, exponent: 65_535)),
            keyed(
                role, with: "an RSA key with a 34-bit exponent", code: role.unsupported,
                key: PublicKeyInfos.rsa(bits: 2048, exponent: 1 << 33 | 1)),
            keyed(role, with: "a P-521 key", code: role.unsupported, key: PublicKeyInfos.onP521),
            keyed(role, with: "an Ed25519 key", code: role.unsupported, key: PublicKeyInfos.ed25519),
            keyed(
                role, with: "a point that isn't on its curve", code: role.unsupported, key: PublicKeyInfos.offTheCurve),
            keyed(
                role, with: "an RSA key restricted to PSS", code: role.unsupported,
                key: PublicKeyInfos.rsa(bits: 2048, algorithm: "1.2.840.113549.1.1.10")),
        ]
    }

    private static let forIntermediate: [Case] = [
        broken(intermediate, with: "no marker", code: .intermediateMarkerMissing) { $0.markers = [] },
        broken(intermediate, with: "the signer's marker", code: .intermediateMarkerMissing) {
            $0.markers = [TestCertificate.signerMarker]
        },
        broken(intermediate, with: "the marker of WWDR G2", code: .intermediateMarkerMissing) {
            $0.markers = ["1.2.840.113635.100.6.2.15"]
        },
        broken(intermediate, with: "not a CA", code: .intermediateNotAuthority) {
            $0.isAuthority = false
            $0.pathLength = nil
        },
        broken(intermediate, with: "no basic constraints", code: .intermediateNotAuthority) { $0.isAuthority = nil },
        broken(intermediate, with: "a path length although it isn't a CA", code: .certificateMalformed) {
            $0.isAuthority = false
        },
        broken(intermediate, with: "a negative path length", code: .pathLengthExceeded) {
            $0.isAuthority = nil
            $0.extensions = [
                TestCertificate.Extension(
                    "2.5.29.19", critical: true, value: [0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0xFF])
            ]
        },
        broken(intermediate, with: "malformed basic constraints", code: .certificateMalformed) {
            $0.isAuthority = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.19", critical: true, value: [0x05, 0x00])]
        },
        uses(
            intermediate, with: "key usage without certificate signing", code: .intermediateKeyUsage,
            keyUsage: [.digitalSignature, .cRLSign]),
        uses(intermediate, with: "empty key usage", code: .intermediateKeyUsage, keyUsage: []),
        broken(
            intermediate, with: "malformed key usage", code: .certificateMalformed, twin: { $0.keyUsage = nil }
        ) {
            $0.keyUsage = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
        },
    ]

    private static let forSigner: [Case] = [
        broken(signer, with: "no marker, as in developer certificates", code: .signerMarkerMissing) { $0.markers = [] },
        broken(signer, with: "the intermediate's marker", code: .signerMarkerMissing) {
            $0.markers = [TestCertificate.intermediateMarker]
        },
        broken(signer, with: "the marker for receipts from before iOS 7", code: .signerMarkerMissing) {
            $0.markers = ["1.2.840.113635.100.6.5.1"]
        },
        broken(signer, with: "a CA", code: .signerIsAuthority) { $0.isAuthority = true },
        broken(signer, with: "a subject that isn't a name", code: .certificateMalformed) {
            $0.subjectElement = DERWriter.sequence([DERWriter.integer(5)])
        },
        broken(signer, with: "malformed basic constraints", code: .certificateMalformed) {
            $0.isAuthority = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.19", critical: true, value: [0x05, 0x00])]
        },
        broken(signer, with: "a path length although it isn't a CA", code: .certificateMalformed) { $0.pathLength = 0 },
        uses(signer, with: "empty key usage", code: .signerKeyUsage, keyUsage: []),
        broken(signer, with: "malformed key usage", code: .certificateMalformed, twin: { $0.keyUsage = nil }) {
            $0.keyUsage = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
        },
        uses(signer, with: "key usage for encryption only", code: .signerKeyUsage, keyUsage: [.keyEncipherment]),
        uses(signer, with: "key usage for commitments only", code: .signerKeyUsage, keyUsage: [.contentCommitment]),
        uses(signer, with: "key usage for certificate signing only", code: .signerKeyUsage, keyUsage: [.keyCertSign]),
    ]

    private static let forAnchor: [Case] = [
        Case("anchor: valid from one second after the creation date", code: .anchorNotYetValid) {
            $0.pki.root.notBefore = instant("2024-07-02T15:04:06Z")
        },
        Case("anchor: expired one second before the creation date", code: .anchorExpired) {
            $0.pki.root.notAfter = instant("2024-07-02T15:04:04Z")
        },
        Case("anchor: a 2047-bit RSA key", code: .anchorKeyTooWeak) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.rsa(bits: 2047)
        },
        Case("anchor: an 8193-bit RSA key", code: .anchorKeyTooLarge) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.rsa(bits: 8193)
        },
        Case("anchor: an Ed25519 key", code: .anchorKeyUnsupported) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.ed25519
        },
        Case("anchor: a P-521 key", code: .anchorKeyUnsupported) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.onP521
        },
        Case("anchor: not a CA", code: .anchorUnfit) { $0.pki.root.isAuthority = false },
        Case("anchor: no basic constraints", code: .anchorUnfit) { $0.pki.root.isAuthority = nil },
        Case("anchor: key usage without certificate signing", code: .anchorUnfit) {
            $0.pki.root.keyUsage = [.cRLSign]
        },
        Case("anchor: malformed key usage", code: .anchorUnfit) {
            $0.pki.root.keyUsage = nil
            $0.pki.root.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
        },
        Case("anchor: an unknown critical extension", code: .anchorUnfit) {
            $0.pki.root.extensions = [TestCertificate.Extension("1.2.3.4", critical: true)]
        },
        Case("anchor: a path length that allows no intermediate", code: .pathLengthExceeded) {
            $0.pki.root.pathLength = 0
        },
    ]
}
