import AppReceiptKit

// Trust rules 4 to 6. Each attack breaks one rule on one certificate: signer, intermediate or anchor.

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
        _ role: Role, _ what: String, _ code: ReceiptError.Code,
        twin: @escaping @Sendable (inout TestCertificate) -> Void = { _ in },
        _ change: @escaping @Sendable (inout TestCertificate) -> Void
    ) -> Attack {
        Attack(
            "\(role.name): \(what)", code, on: .certificates, twin: { role.change(&$0.pki, twin) },
            { role.change(&$0.pki, change) })
    }

    /// Creates an attack whose key usage lacks the use that the role requires. The twin has no key usage, which allows every use.
    private static func uses(
        _ role: Role, _ what: String, _ code: ReceiptError.Code, _ uses: Set<TestCertificate.KeyUsage>
    ) -> Attack {
        broken(role, what, code, twin: { $0.keyUsage = nil }, { $0.keyUsage = uses })
    }

    private static func named(
        _ role: Role, _ what: String, _ objectIdentifier: String, _ parameters: TestAlgorithm.Parameters = .null
    ) -> Attack {
        broken(role, what, role.algorithm) {
            $0.algorithm = TestAlgorithm(objectIdentifier, parameters: parameters)
        }
    }

    private static func shared(_ role: Role) -> [Attack] {
        [
            broken(role, "two algorithm fields with different digests", role.fieldsDisagree) {
                $0.innerAlgorithm = TestAlgorithm(key: .rsa, digest: .sha1)
            },
            broken(role, "two algorithm fields that differ only in their parameters", role.fieldsDisagree) {
                $0.innerAlgorithm = TestAlgorithm("1.2.840.113549.1.1.11", parameters: .absent)
            },
            named(role, "MD5 with RSA", "1.2.840.113549.1.1.4"),
            named(role, "MD2 with RSA", "1.2.840.113549.1.1.2"),
            named(role, "RSA-PSS", "1.2.840.113549.1.1.10"),
            named(role, "SHA-224 with RSA", "1.2.840.113549.1.1.14"),
            named(role, "rsaEncryption, which specifies no digest", "1.2.840.113549.1.1.1"),
            named(role, "Ed25519", "1.3.101.112", .absent),
            named(role, "an unknown algorithm", "1.2.3.4.5"),
            named(role, "parameters other than NULL", "1.2.840.113549.1.1.11", .other([0x02, 0x01, 0x00])),
            named(role, "ECDSA with parameters", "1.2.840.10045.4.3.2", .null),
            broken(role, "an algorithm with a digest other than the one that was used", role.signature) {
                $0.algorithm = TestAlgorithm(key: .rsa, digest: .sha384)
            },
            broken(role, "ECDSA as the algorithm of an RSA signature", role.signature) {
                $0.algorithm = TestAlgorithm(key: .p256, digest: .sha256)
            },
            broken(role, "signed by a key other than its issuer's", role.signature) { $0.issuerKey = .untrusted },
            broken(role, "valid from one second after the creation date", role.notYetValid) {
                $0.notBefore = instant("2024-07-02T15:04:06Z")
            },
            broken(role, "expired one second before the creation date", role.expired) {
                $0.notAfter = instant("2024-07-02T15:04:04Z")
            },
            broken(role, "an unknown critical extension", role.critical) {
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
            broken(role, "name constraints that aren't critical", role.critical) {
                $0.extensions = [TestCertificate.Extension("2.5.29.30", value: DERWriter.sequence([]))]
            },
            broken(role, "a 1024-bit RSA key", role.weak) { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 1024) },
            broken(role, "a 2047-bit RSA key", role.weak) { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2047) },
            broken(role, "an 8193-bit RSA key", role.large) { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 8193) },
            broken(role, "an RSA key with exponent 17", role.weak) {
                $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2048, exponent: 17)
            },
            broken(role, "an RSA key with exponent 65535", role.weak) {
                $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2048, exponent: 65_535)
            },
            broken(role, "an RSA key with a 34-bit exponent", role.unsupported) {
                $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2048, exponent: 1 << 33 | 1)
            },
            broken(role, "a P-521 key", role.unsupported) { $0.publicKeyInfo = PublicKeyInfos.onP521 },
            broken(role, "an Ed25519 key", role.unsupported) { $0.publicKeyInfo = PublicKeyInfos.ed25519 },
            broken(role, "a point that isn't on its curve", role.unsupported) {
                $0.publicKeyInfo = PublicKeyInfos.offTheCurve
            },
            broken(role, "an RSA key restricted to PSS", role.unsupported) {
                $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2048, algorithm: "1.2.840.113549.1.1.10")
            },
        ]
    }

    private static let forIntermediate: [Attack] = [
        broken(intermediate, "no marker", .intermediateMarkerMissing) { $0.markers = [] },
        broken(intermediate, "the signer's marker", .intermediateMarkerMissing) {
            $0.markers = [TestCertificate.signerMarker]
        },
        broken(intermediate, "the marker of WWDR G2", .intermediateMarkerMissing) {
            $0.markers = ["1.2.840.113635.100.6.2.15"]
        },
        broken(intermediate, "not a CA", .intermediateNotAuthority) {
            $0.isAuthority = false
            $0.pathLength = nil
        },
        broken(intermediate, "no basic constraints", .intermediateNotAuthority) { $0.isAuthority = nil },
        broken(intermediate, "a path length although it isn't a CA", .certificateMalformed) {
            $0.isAuthority = false
        },
        broken(intermediate, "a negative path length", .pathLengthExceeded) {
            $0.isAuthority = nil
            $0.extensions = [
                TestCertificate.Extension(
                    "2.5.29.19", critical: true, value: [0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0xFF])
            ]
        },
        broken(intermediate, "malformed basic constraints", .certificateMalformed) {
            $0.isAuthority = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.19", critical: true, value: [0x05, 0x00])]
        },
        uses(
            intermediate, "key usage without certificate signing", .intermediateKeyUsage, [.digitalSignature, .cRLSign]),
        uses(intermediate, "empty key usage", .intermediateKeyUsage, []),
        broken(
            intermediate, "malformed key usage", .certificateMalformed, twin: { $0.keyUsage = nil }
        ) {
            $0.keyUsage = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
        },
    ]

    private static let forSigner: [Attack] = [
        broken(signer, "no marker, as in developer certificates", .signerMarkerMissing) { $0.markers = [] },
        broken(signer, "the intermediate's marker", .signerMarkerMissing) {
            $0.markers = [TestCertificate.intermediateMarker]
        },
        broken(signer, "the marker for receipts from before iOS 7", .signerMarkerMissing) {
            $0.markers = ["1.2.840.113635.100.6.5.1"]
        },
        broken(signer, "a CA", .signerIsAuthority) { $0.isAuthority = true },
        broken(signer, "a subject that isn't a name", .certificateMalformed) {
            $0.subjectElement = DERWriter.sequence([DERWriter.integer(5)])
        },
        broken(signer, "malformed basic constraints", .certificateMalformed) {
            $0.isAuthority = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.19", critical: true, value: [0x05, 0x00])]
        },
        broken(signer, "a path length although it isn't a CA", .certificateMalformed) { $0.pathLength = 0 },
        uses(signer, "empty key usage", .signerKeyUsage, []),
        broken(signer, "malformed key usage", .certificateMalformed, twin: { $0.keyUsage = nil }) {
            $0.keyUsage = nil
            $0.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
        },
        uses(signer, "key usage for encryption only", .signerKeyUsage, [.keyEncipherment]),
        uses(signer, "key usage for commitments only", .signerKeyUsage, [.contentCommitment]),
        uses(signer, "key usage for certificate signing only", .signerKeyUsage, [.keyCertSign]),
    ]

    private static let forAnchor: [Attack] = [
        Attack("anchor: valid from one second after the creation date", .anchorNotYetValid, on: .certificates) {
            $0.pki.root.notBefore = instant("2024-07-02T15:04:06Z")
        },
        Attack("anchor: expired one second before the creation date", .anchorExpired, on: .certificates) {
            $0.pki.root.notAfter = instant("2024-07-02T15:04:04Z")
        },
        Attack("anchor: a 2047-bit RSA key", .anchorKeyTooWeak, on: .certificates) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.rsa(bits: 2047)
        },
        Attack("anchor: an 8193-bit RSA key", .anchorKeyTooLarge, on: .certificates) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.rsa(bits: 8193)
        },
        Attack("anchor: an Ed25519 key", .anchorKeyUnsupported, on: .certificates) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.ed25519
        },
        Attack("anchor: a P-521 key", .anchorKeyUnsupported, on: .certificates) {
            $0.pki.root.publicKeyInfo = PublicKeyInfos.onP521
        },
        Attack("anchor: not a CA", .anchorUnfit, on: .certificates) { $0.pki.root.isAuthority = false },
        Attack("anchor: no basic constraints", .anchorUnfit, on: .certificates) { $0.pki.root.isAuthority = nil },
        Attack("anchor: key usage without certificate signing", .anchorUnfit, on: .certificates) {
            $0.pki.root.keyUsage = [.cRLSign]
        },
        Attack("anchor: malformed key usage", .anchorUnfit, on: .certificates) {
            $0.pki.root.keyUsage = nil
            $0.pki.root.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
        },
        Attack("anchor: an unknown critical extension", .anchorUnfit, on: .certificates) {
            $0.pki.root.extensions = [TestCertificate.Extension("1.2.3.4", critical: true)]
        },
        Attack("anchor: a path length that allows no intermediate", .pathLengthExceeded, on: .certificates) {
            $0.pki.root.pathLength = 0
        },
    ]
}
