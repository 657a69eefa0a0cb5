import AppReceiptKit
import AppReceiptTesting
import Crypto
import TestSupport
import Testing

@Suite("TestKey")
struct TestKeyTests {
    @Test("RSA signatures are the same every time", arguments: [TestKey.signer, .large])
    func rsaIsDeterministic(_ key: TestKey) throws {
        for digest in TestDigest.allCases {
            #expect(try key.signature(for: [1], digest: digest) == key.signature(for: [1], digest: digest))
            #expect(try key.signature(for: [1], digest: digest) != key.signature(for: [2], digest: digest))
        }
    }

    @Test("Every key is distinct and of its kind")
    func keysDiffer() throws {
        let rsa: [TestKey] = [
            .root, .intermediate, .signer, .xcode, .untrusted, .developer, .large, .transactionSigner,
        ]
        let elliptic: [TestKey] = [.ellipticRoot, .ellipticIntermediate, .ellipticSigner]
        #expect(try Set((rsa + elliptic).map { try $0.publicKeyInfo }).count == 11)
        #expect(rsa.allSatisfy { $0.kind == .rsa })
        #expect(elliptic.map(\.kind) == [.p384, .p384, .p256])
        #expect(
            try rsa.map { try $0.signature(for: [], digest: .sha256).count } == [
                256, 256, 256, 256, 256, 256, 512, 128,
            ])
    }

    @Test("Every kind of key has a private key in PEM", arguments: [TestKey.signer, .ellipticRoot, .appStoreServer])
    func privateKeys(_ key: TestKey) throws {
        let pem = try key.privateKeyPEM
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(pem.hasSuffix("\n-----END PRIVATE KEY-----\n"))
    }

    @available(iOS 14, tvOS 14, watchOS 7, *)
    @Test("CryptoKit reads and writes the same private and public keys of elliptic curves")
    func ellipticKeys() throws {
        let p256 = try P256.Signing.PrivateKey(pemRepresentation: TestKey.appStoreServer.privateKeyPEM)
        #expect(try p256.pemRepresentation + "\n" == TestKey.appStoreServer.privateKeyPEM)
        #expect(try Array(p256.publicKey.derRepresentation) == TestKey.appStoreServer.publicKeyInfo)
        let p384 = try P384.Signing.PrivateKey(pemRepresentation: TestKey.ellipticRoot.privateKeyPEM)
        #expect(try p384.pemRepresentation + "\n" == TestKey.ellipticRoot.privateKeyPEM)
        #expect(try Array(p384.publicKey.derRepresentation) == TestKey.ellipticRoot.publicKeyInfo)
    }

    @Test("A malformed key throws test-key-malformed")
    func rejectsMalformedKeys() {
        for key in [
            TestKey(.rsa, insecure: "AAAA"), TestKey(.rsa, insecure: "!"), TestKey(.p256, insecure: "!"),
            TestKey(.p256, insecure: "MAA="), TestKey(.p384, insecure: "MAYCAQEEAQE="),
        ] {
            #expect(captured { () throws(ReceiptError) in try key.publicKeyInfo }?.code == .testKeyMalformed)
        }
    }

    @Test(
        "Digests match their names",
        arguments: [
            (TestDigest.sha1, [0xA9, 0x99, 0x3E, 0x36], 20), (.sha256, [0xBA, 0x78, 0x16, 0xBF], 32),
            (.sha384, [0xCB, 0x00, 0x75, 0x3F], 48), (.sha512, [0xDD, 0xAF, 0x35, 0xA1], 64),
        ] as [(TestDigest, [UInt8], Int)])
    func digests(_ digest: TestDigest, _ start: [UInt8], _ count: Int) {
        let value = digest.digest(of: Array("abc".utf8))
        #expect(value.starts(with: start))
        #expect(value.count == count)
    }
}
