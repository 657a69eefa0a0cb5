import AppReceiptKit
import AppReceiptTesting
import Testing

/// Rule of trust 7: what the container's signature may look like, and that it is the signer's.
@Suite("ContainerSignature")
struct ContainerSignatureTests {
    @Test("a digest other than SHA-1, 256, 384 or 512, or not the announced one, is refused", arguments: digestRefusals)
    func digestIsRefused(_ rule: Rule) throws { try rule.check() }

    @Test("a signature algorithm that is not RSA with the signer's digest is refused", arguments: algorithmRefusals)
    func algorithmIsRefused(_ rule: Rule) throws { try rule.check() }

    @Test("content or signature that was altered is refused", arguments: alterations)
    func alterationIsRefused(_ rule: Rule) throws { try rule.check() }

    @Test("every accepted digest passes, by either name of the algorithm", arguments: TestDigest.allCases)
    func acceptedDigestsPass(_ digest: TestDigest) throws {
        for algorithm in [TestAlgorithm.rsaEncryption, TestAlgorithm(.rsa, digest)] {
            try Rule.passes("\(digest), \(algorithm.objectIdentifier)") {
                $0.container = { container in
                    container.signers[0].digest = digest
                    container.signers[0].digestAlgorithm = TestAlgorithm(digest.objectIdentifier)
                    container.signers[0].signatureAlgorithm = algorithm
                }
            }.check()
        }
    }

    @Test("what only resembles a broken rule passes", arguments: twins)
    func twinPasses(_ rule: Rule) throws { try rule.check() }

    private static let sha256 = TestDigest.sha256.objectIdentifier
    private static let integer = TestAlgorithm.Parameters.other([0x02, 0x01, 0x05])

    private static func refused(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (inout TestContainer) throws -> Void
    ) -> Rule {
        .refused(name, code) { $0.container = change }
    }

    private static func passes(
        _ name: String, _ change: @escaping @Sendable (inout TestContainer) throws -> Void
    ) -> Rule {
        .passes(name) { $0.container = change }
    }

    static let digestRefusals: [Rule] = [
        refused("MD5", .digestAlgorithmUnsupported) {
            $0.signers[0].digestAlgorithm = TestAlgorithm("1.2.840.113549.2.5")
        },
        refused("SHA-224", .digestAlgorithmUnsupported) {
            $0.signers[0].digestAlgorithm = TestAlgorithm("2.16.840.1.101.3.4.2.4")
        },
        refused("SHA3-256", .digestAlgorithmUnsupported) {
            $0.signers[0].digestAlgorithm = TestAlgorithm("2.16.840.1.101.3.4.2.8")
        },
        refused("no digest announced", .digestAlgorithmsDisagree) { $0.digestAlgorithms = [] },
        refused("another digest announced", .digestAlgorithmsDisagree) {
            $0.digestAlgorithms = [TestAlgorithm(TestDigest.sha1.objectIdentifier)]
        },
        refused("another digest announced beside the right one", .digestAlgorithmsDisagree) {
            $0.digestAlgorithms = [TestAlgorithm(sha256), TestAlgorithm(TestDigest.sha512.objectIdentifier)]
        },
        refused("parameters on the signer's digest", .algorithmParametersMalformed) {
            $0.signers[0].digestAlgorithm.parameters = integer
            $0.digestAlgorithms = [TestAlgorithm(sha256)]
        },
        refused("parameters on the announced digest", .algorithmParametersMalformed) {
            $0.digestAlgorithms = [TestAlgorithm(sha256, parameters: integer)]
        },
        refused("a digest that is not the one used", .signatureInvalid) { $0.signers[0].digest = .sha1 },
    ]

    static let algorithmRefusals: [Rule] = [
        refused("SHA-1 with RSA over SHA-256", .signatureAlgorithmDisagrees) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(.rsa, .sha1)
        },
        refused("SHA-512 with RSA over SHA-256", .signatureAlgorithmDisagrees) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(.rsa, .sha512)
        },
        refused("MD5 with RSA", .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.113549.1.1.4")
        },
        refused("RSA-PSS", .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.113549.1.1.10")
        },
        refused("DSA", .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.10040.4.3", parameters: .absent)
        },
        refused("a digest in place of an algorithm", .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(sha256)
        },
        refused("parameters on the signature algorithm", .algorithmParametersMalformed) {
            $0.signers[0].signatureAlgorithm.parameters = integer
        },
        refused("an RSA signature that is called ECDSA", .signatureAlgorithmECDSA) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(.p256, .sha256)
        },
        .refused("a container signed with ECDSA", .signatureAlgorithmECDSA) { $0.pki.signer.key = .ellipticSigner },
        .refused("an ECDSA signature that is called RSA", .signatureKeyMismatch) {
            $0.pki.signer.key = .ellipticSigner
            $0.container = { $0.signers[0].signatureAlgorithm = .rsaEncryption }
        },
        .refused("a bare elliptic key as algorithm", .signatureAlgorithmECDSA) {
            $0.pki.signer.key = .ellipticSigner
            $0.container = { $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.10045.2.1") }
        },
    ]

    static let alterations: [Rule] = [
        .refused("content altered in one purchase", .signatureInvalid) { trial in
            let signed = trial.receipt.payload
            trial.receipt.purchases = [
                TestPurchase("com.example.pro", transaction: "1", at: instant("2024-07-01T00:00:00Z"))
            ]
            trial.container = { $0.signers[0].signature = try TestKey.signer.signature(over: signed, .sha256) }
        },
        .refused("content altered in one bit", .signatureInvalid) { trial in
            let signed = trial.receipt.payload
            trial.receipt.opaqueValue[15] ^= 1
            trial.receipt.overrides[5] = [[UInt8](repeating: 0, count: 20)]
            trial.container = { $0.signers[0].signature = try TestKey.signer.signature(over: signed, .sha256) }
        },
        refused("signature altered in its last bit", .signatureInvalid) { container in
            var signature = try TestKey.signer.signature(over: container.content, .sha256)
            signature[signature.count - 1] ^= 1
            container.signers[0].signature = signature
        },
        refused("signature altered in its first bit", .signatureInvalid) { container in
            var signature = try TestKey.signer.signature(over: container.content, .sha256)
            signature[0] ^= 0x80
            container.signers[0].signature = signature
        },
        refused("signature cut", .signatureInvalid) { container in
            container.signers[0].signature = try TestKey.signer.signature(over: container.content, .sha256).dropLast()
        },
        refused("signature with a zero before it", .signatureInvalid) { container in
            container.signers[0].signature = [0] + (try TestKey.signer.signature(over: container.content, .sha256))
        },
        refused("signature of all zeros", .signatureInvalid) {
            $0.signers[0].signature = [UInt8](repeating: 0, count: 256)
        },
        refused("signature of another receipt", .signatureInvalid) {
            $0.signers[0].signature = try TestKey.signer.signature(over: [1, 2, 3], .sha256)
        },
        refused("empty signature", .signatureInvalid) { $0.signers[0].signature = [] },
        refused("signature by the intermediate's key", .signatureInvalid) { $0.signers[0].key = .intermediate },
    ]

    static let twins: [Rule] = [
        passes("digests without parameters") {
            $0.signers[0].digestAlgorithm.parameters = .absent
            $0.digestAlgorithms = [TestAlgorithm(sha256, parameters: .absent)]
        },
        passes("one digest with NULL, the other without") {
            $0.digestAlgorithms = [TestAlgorithm(sha256, parameters: .absent)]
        },
        passes("the digest announced twice") {
            $0.digestAlgorithms = [TestAlgorithm(sha256), TestAlgorithm(sha256, parameters: .absent)]
        },
        passes("a signature algorithm without parameters") { $0.signers[0].signatureAlgorithm.parameters = .absent },
        passes("the right signature, given") { container in
            container.signers[0].signature = try TestKey.signer.signature(over: container.content, .sha256)
        },
    ]
}
