#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import TestSupport
import Testing

@testable import AppReceiptServer

@Suite("TrustedRoots")
struct TrustedRootsTests {
    private static func anchors(_ certificates: [[UInt8]]) throws -> TrustAnchors {
        try TrustAnchors(der: certificates)
    }

    @Test("Apple's roots are named as such")
    func apple() {
        let roots = TrustedRoots(.apple)
        #expect(roots.sentence == "Trusts Apple's roots")
        #expect(roots.includesApple)
        #expect(roots.others.isEmpty)
    }

    @Test("Roots that replace Apple's are named once each")
    func replaced() throws {
        let root = try TestPKI.standard.root.der()
        let roots = TrustedRoots(try Self.anchors([root, root, try TestPKI.signedData.root.der()]))
        #expect(
            roots.sentence
                == "Apple's roots replaced by AppReceiptTesting Root CA, AppReceiptTesting Root CA - G3")
        #expect(!roots.includesApple)
    }

    @Test("Roots beside Apple's are named after them")
    func beside() throws {
        let roots = TrustedRoots(try Self.anchors(TrustAnchors.apple.certificates + [try TestPKI.standard.root.der()]))
        #expect(roots.sentence == "Trusts Apple's roots and AppReceiptTesting Root CA")
        #expect(roots.includesApple)
    }

    @Test("A part of Apple's roots isn't Apple's roots")
    func partly() throws {
        let roots = TrustedRoots(try Self.anchors(Array(TrustAnchors.apple.certificates.prefix(1))))
        #expect(!roots.includesApple)
        #expect(roots.others.isEmpty == false)
    }

    @Test("Trust in Xcode's certificates is mentioned")
    func xcode() throws {
        let trust = try XcodeTrust(der: [TestPKI.xcode.der()])
        #expect(TrustedRoots(.apple, xcode: trust).sentence == "Trusts Apple's roots, and accepts data from Xcode")
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A genuine receipt is recognized as Apple's whether or not Apple's roots are replaced",
        .enabled(if: GenuineReceipts.arePresent, "\(GenuineReceipts.absence)"))
    func genuine() throws {
        let bytes = try GenuineReceipts.bytes("mac-production-2023-g5-sha256.receipt")
        let replaced = try InspectorClient().document(bytes)
        #expect(replaced.at("failure", "code") == "root-not-trusted")
        let names = replaced["certificates"]?.array?.filter { $0["isApples"] == true }.map { $0["commonName"]?.string }
        #expect(names == ["Apple Root CA"])
        let both = try Self.anchors([try TestPKI.standard.root.der()] + TrustAnchors.apple.certificates)
        for anchors in [TrustAnchors.apple, both] {
            let document = try InspectorClient(Inspector(receipts: ReceiptVerifier(anchors: anchors))).document(bytes)
            #expect(document["verdict"] == "valid")
            #expect(document["trust"] == "apple")
        }
    }
}
#endif
