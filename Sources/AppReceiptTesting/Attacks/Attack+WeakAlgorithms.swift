import AppReceiptKit
import AppReceiptSupport

// Valid signatures with algorithms and keys that are too weak to be trusted.

extension Attack {
    static let weakAlgorithms: [Attack] = [
        Attack(
            "a valid receipt signed with MD5", code: .digestAlgorithmUnsupported, on: .signature
        ) {
            $0.bytes = { $0 = try Base64.decode(ArraySlice(WeakFixtures.receiptOverMD5.utf8)) }
        },
        Attack("an intermediate signed with MD5", code: .intermediateAlgorithmUnsupported, on: .signature) {
            $0.container = {
                $0.certificates[1] = try Base64.decode(ArraySlice(WeakFixtures.intermediateWithMD5.utf8))
            }
        },
        Attack("a signer with a 1024-bit key", code: .signerKeyTooWeak, on: .signature) { $0.pki.signer.key = .weak },
        Attack("an intermediate with a 1024-bit key", code: .intermediateKeyTooWeak, on: .signature) {
            $0.pki.intermediate.key = .weak
            $0.pki.signer.issuerKey = .weak
        },
        Attack("a root with a 1024-bit key", code: .anchorKeyTooWeak, on: .signature) {
            $0.pki.root.key = .weak
            $0.pki.root.issuerKey = .weak
            $0.pki.intermediate.issuerKey = .weak
        },
        Attack("a signer with exponent 3", code: .signerKeyTooWeak, on: .signature) {
            $0.pki.signer.key = .exponentThree
        },
        Attack("an intermediate with exponent 3", code: .intermediateKeyTooWeak, on: .signature) {
            $0.pki.intermediate.key = .exponentThree
            $0.pki.signer.issuerKey = .exponentThree
        },
        Attack("a signer with exponent 1, for which anyone can sign", code: .signerKeyTooWeak, on: .signature) {
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
