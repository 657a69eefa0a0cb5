import AppReceiptKit
import AppReceiptTesting
import Testing

@Suite("TestPKI")
struct TestPKITests {
    @Test(
        "A receipt is valid only under the root of the PKI that signed it",
        arguments: [TestPKI.standard, .large, .elliptic, .impostor])
    func trustedUnderOwnRootOnly(_ pki: TestPKI) throws {
        let bytes = try TestReceipt().signed(by: pki)
        for anchors in [TestPKI.standard, .large, .elliptic, .impostor] {
            let verifier = ReceiptVerifier(anchors: try anchors.anchors)
            #expect((verifier.fault(in: bytes) == nil) == (anchors == pki))
        }
        #expect(ReceiptVerifier().fault(in: bytes) == .rootNotTrusted)
    }

    @Test("The SHA-1 PKI is valid for receipts created before 2023")
    func olderPKI() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.sha1.anchors)
        let old = TestReceipt().with { $0.creationDate = instant("2017-09-04T09:01:20Z") }
        #expect(verifier.fault(in: try old.signed(by: .sha1)) == nil)
        #expect(verifier.fault(in: try TestReceipt().signed(by: .sha1)) == .signerExpired)
    }

    @Test("The impostor has the same names and serial numbers, and other keys")
    func impostorResembles() {
        let (real, other) = (TestPKI.standard, TestPKI.impostor)
        for path in [\TestPKI.root, \.intermediate, \.signer] {
            #expect(real[keyPath: path].subject == other[keyPath: path].subject)
            #expect(real[keyPath: path].issuer == other[keyPath: path].issuer)
            #expect(real[keyPath: path].serialNumber == other[keyPath: path].serialNumber)
            #expect(real[keyPath: path].key != other[keyPath: path].key)
        }
    }

    @Test("A PKI contains its certificates, and a part of it can be changed")
    func changes() {
        let changed = TestPKI.standard.with { $0.signer.markers = [] }
        #expect(changed != .standard)
        #expect(changed.root == TestPKI.standard.root)
        let whole = TestPKI(
            root: changed.root, intermediate: changed.intermediate, signer: TestPKI.standard.signer)
        #expect(whole == .standard)
    }

    @Test("The Xcode certificate is trusted only if it is configured, and only for receipts with the environment Xcode")
    func xcode() throws {
        let receipt = TestReceipt().with { $0.environment = .xcode }
        let named = ReceiptVerifier(xcode: try XcodeTrust(der: [TestPKI.xcode.der()]))
        #expect(named.fault(in: try receipt.signedLikeXcode()) == nil)
        #expect(ReceiptVerifier().fault(in: try receipt.signedLikeXcode()) == .xcodeNotTrusted)
        #expect(named.fault(in: try TestReceipt().signedLikeXcode()) == nil, "signedLikeXcode sets the environment")
        let sandbox = try TestContainer(content: TestReceipt().payload, signedByXcode: TestPKI.xcode).encoded()
        #expect(named.fault(in: sandbox) == .xcodeCertificateMisused)
    }
}
