import AppReceiptKit
import AppReceiptSupport

// Valid signatures with algorithms and keys that are too weak to be trusted.

extension Attack {
    static let weakAlgorithms: [Case] = [
        container("a valid receipt signed with MD5", code: .digestAlgorithmUnsupported) {
            $0.signers[0].digestAlgorithm = TestAlgorithm("1.2.840.113549.2.5")
            $0.signers[0].signature = try Base64.decode(ArraySlice(WeakFixtures.receiptSignature.utf8))
        },
        container("an intermediate signed with MD5", code: .intermediateAlgorithmUnsupported) {
            let unsigned = TestPKI.standard.intermediate.with {
                $0.algorithm = TestAlgorithm("1.2.840.113549.1.1.4")
            }
            let signature = try Base64.decode(ArraySlice(WeakFixtures.intermediateSignature.utf8))
            $0.certificates[1] = try unsigned.der().dropLast(signature.count) + signature
        },
        Case("a signer with a 1024-bit key", code: .signerKeyTooWeak) { $0.pki.signer.key = .weak },
        Case("an intermediate with a 1024-bit key", code: .intermediateKeyTooWeak) {
            $0.pki.intermediate.key = .weak
            $0.pki.signer.issuerKey = .weak
        },
        Case("a root with a 1024-bit key", code: .anchorKeyTooWeak) {
            $0.pki.root.key = .weak
            $0.pki.root.issuerKey = .weak
            $0.pki.intermediate.issuerKey = .weak
        },
        Case("a signer with exponent 3", code: .signerKeyTooWeak) { $0.pki.signer.key = .exponentThree },
        Case("an intermediate with exponent 3", code: .intermediateKeyTooWeak) {
            $0.pki.intermediate.key = .exponentThree
            $0.pki.signer.issuerKey = .exponentThree
        },
        Case("a signer with exponent 1, for which anyone can sign", code: .signerKeyTooWeak) {
            $0.pki.signer.publicKeyInfo = PublicKeyInfos.rsa(bits: 2048, exponent: 1)
            $0.container = { $0.signers[0].signature = padded(TestDigest.sha256.digest(of: $0.content)) }
        },
    ]

    /// EMSA-PKCS1-v1_5 over a SHA-256 digest (RFC 8017, 9.2). With exponent 1, this is the signature.
    private static func padded(_ digest: [UInt8]) -> [UInt8] {
        let algorithm = TestAlgorithm(TestDigest.sha256.objectIdentifier)
        let info = DERWriter.sequence([algorithm.der, DERWriter.octetString(digest)])
        return [0, 1] + [UInt8](repeating: 0xFF, count: 256 - 3 - info.count) + [0] + info
    }
}
