import AppReceiptKit

// Rule 7 of THREAT_MODEL.md: the container's signature.

extension Attack {
    static let signatures: [Case] = [
        container("digest: MD5", code: .digestAlgorithmUnsupported) {
            $0.signers[0].digestAlgorithm = TestAlgorithm("1.2.840.113549.2.5")
        },
        container("digest: SHA-224", code: .digestAlgorithmUnsupported) {
            $0.signers[0].digestAlgorithm = TestAlgorithm("2.16.840.1.101.3.4.2.4")
        },
        container("digest: SHA3-256", code: .digestAlgorithmUnsupported) {
            $0.signers[0].digestAlgorithm = TestAlgorithm("2.16.840.1.101.3.4.2.8")
        },
        container("digest: the right digest announced seventeen times", code: .encodingTooManyNodes, check: .container)
        {
            $0.digestAlgorithms = [TestAlgorithm](repeating: TestAlgorithm(sha256), count: 17)
        },
        container("digest: no digest announced", code: .digestAlgorithmsDisagree) { $0.digestAlgorithms = [] },
        container("digest: another digest announced", code: .digestAlgorithmsDisagree) {
            $0.digestAlgorithms = [TestAlgorithm(TestDigest.sha1.objectIdentifier)]
        },
        container("digest: another digest announced in addition to the right one", code: .digestAlgorithmsDisagree) {
            $0.digestAlgorithms = [TestAlgorithm(sha256), TestAlgorithm(TestDigest.sha512.objectIdentifier)]
        },
        container("digest: parameters on the signer's digest", code: .algorithmParametersMalformed) {
            $0.signers[0].digestAlgorithm.parameters = integer
            $0.digestAlgorithms = [TestAlgorithm(sha256)]
        },
        container("digest: parameters on the announced digest", code: .algorithmParametersMalformed) {
            $0.digestAlgorithms = [TestAlgorithm(sha256, parameters: integer)]
        },
        container("digest: another digest was used", code: .signatureInvalid) { $0.signers[0].digest = .sha1 },
        container("algorithm: SHA-1 with RSA over SHA-256", code: .signatureAlgorithmDisagrees) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(key: .rsa, digest: .sha1)
        },
        container("algorithm: SHA-512 with RSA over SHA-256", code: .signatureAlgorithmDisagrees) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(key: .rsa, digest: .sha512)
        },
        container("algorithm: MD5 with RSA", code: .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.113549.1.1.4")
        },
        container("algorithm: RSA-PSS", code: .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.113549.1.1.10")
        },
        container("algorithm: DSA", code: .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.10040.4.3", parameters: .absent)
        },
        container("algorithm: a digest instead of a signature algorithm", code: .signatureAlgorithmUnsupported) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(sha256)
        },
        container("algorithm: parameters on the signature algorithm", code: .algorithmParametersMalformed) {
            $0.signers[0].signatureAlgorithm.parameters = integer
        },
        container("algorithm: ECDSA for an RSA signature", code: .signatureAlgorithmECDSA) {
            $0.signers[0].signatureAlgorithm = TestAlgorithm(key: .p256, digest: .sha256)
        },
        Case("algorithm: a container signed with ECDSA", code: .signatureAlgorithmECDSA) {
            $0.pki.signer.key = .ellipticSigner
        },
        Case("algorithm: RSA for an ECDSA signature", code: .signatureKeyMismatch) {
            $0.pki.signer.key = .ellipticSigner
            $0.container = { $0.signers[0].signatureAlgorithm = .rsaEncryption }
        },
        Case("algorithm: an elliptic-curve key type instead of an algorithm", code: .signatureAlgorithmECDSA) {
            $0.pki.signer.key = .ellipticSigner
            $0.container = { $0.signers[0].signatureAlgorithm = TestAlgorithm("1.2.840.10045.2.1") }
        },
        Case("content altered in one purchase", code: .signatureInvalid) { testCase in
            let signed = testCase.receipt.payload
            testCase.receipt.purchases = [
                TestPurchase("com.example.pro", transaction: "1", at: instant("2024-07-01T00:00:00Z"))
            ]
            testCase.container = {
                $0.signers[0].signature = try TestKey.signer.signature(for: signed, digest: .sha256)
            }
        },
        Case("content altered in the opaque value and the device hash", code: .signatureInvalid) {
            testCase in
            let signed = testCase.receipt.payload
            testCase.receipt.opaqueValue[15] ^= 1
            testCase.receipt.overrides[5] = [[UInt8](repeating: 0, count: 20)]
            testCase.container = {
                $0.signers[0].signature = try TestKey.signer.signature(for: signed, digest: .sha256)
            }
        },
        container("signature altered in its last bit", code: .signatureInvalid) { container in
            var signature = try TestKey.signer.signature(for: container.content, digest: .sha256)
            signature[signature.count - 1] ^= 1
            container.signers[0].signature = signature
        },
        container("signature altered in its first bit", code: .signatureInvalid) { container in
            var signature = try TestKey.signer.signature(for: container.content, digest: .sha256)
            signature[0] ^= 0x80
            container.signers[0].signature = signature
        },
        container("signature truncated", code: .signatureInvalid) { container in
            container.signers[0].signature = try TestKey.signer.signature(for: container.content, digest: .sha256)
                .dropLast()
        },
        container("signature with a leading zero byte", code: .signatureInvalid) { container in
            container.signers[0].signature =
                [0] + (try TestKey.signer.signature(for: container.content, digest: .sha256))
        },
        container("signature of all zeros", code: .signatureInvalid) {
            $0.signers[0].signature = [UInt8](repeating: 0, count: 256)
        },
        container("signature of another receipt", code: .signatureInvalid) {
            $0.signers[0].signature = try TestKey.signer.signature(for: [1, 2, 3], digest: .sha256)
        },
        container("empty signature", code: .signatureInvalid) { $0.signers[0].signature = [] },
        container("signature by the intermediate's key", code: .signatureInvalid) { $0.signers[0].key = .intermediate },
    ]

    private static let sha256 = TestDigest.sha256.objectIdentifier
    private static let integer = TestAlgorithm.Parameters.other([0x02, 0x01, 0x05])
}
