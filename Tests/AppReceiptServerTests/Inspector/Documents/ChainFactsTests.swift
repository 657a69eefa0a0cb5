#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import AppReceiptServer

/// The evidence of the chain's check belongs to the failure.
@Suite("ChainFacts")
struct ChainFactsTests {
    private static func evidence(_ document: AppStoreJSON.Object) -> String {
        let facts = AppStoreJSON.array(document.check("certificate-chain")?["evidence"]?.array ?? [])
        return String(decoding: facts.text(), as: UTF8.self)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A valid chain has its dates as evidence, and its path begins with the root")
    func valid() throws {
        let document = try InspectorClient().document(try TestReceipt().signed())
        #expect(Self.evidence(document).contains("valid 2"))
        let fingerprints = document["certificates"]?.array?.map { $0["sha256Fingerprint"]?.string }
        #expect(document.at("chain", "path")?.array?.map(\.string) == fingerprints?.reversed())
        #expect(document.at("chain", "brokenBelow") == .null)
        #expect(document.at("chain", "faulty") == .null)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An invalid signature isn't explained by dates, and the link to the trusted root is broken")
    func signature() throws {
        let document = try InspectorClient().document(try TestReceipt().signed(by: .impostor))
        #expect(document.at("failure", "code") == "intermediate-signature-invalid")
        let evidence = Self.evidence(document)
        #expect(evidence.contains("signed by AppReceiptTesting Root CA"))
        #expect(!evidence.contains("valid 2"))
        let intermediate = document["certificates"]?.array?.first {
            $0["commonName"]?.string == "AppReceiptTesting Intermediate CA"
        }
        #expect(document.at("chain", "brokenBelow") == intermediate?["sha256Fingerprint"])
        #expect(document.at("chain", "path")?.array?.first == intermediate?["sha256Fingerprint"])
        #expect(document.at("chain", "root") == "AppReceiptTesting Root CA")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A chain to another root has the root and the trusted roots as evidence")
    func otherRoot() throws {
        var client = try InspectorClient()
        client.inspector = Inspector()
        for document in [
            try client.document(try TestReceipt().signed()),
            try client.document(try TestTransaction("pro", transaction: "1").signed()),
        ] {
            let evidence = document.check("certificate-chain")?["evidence"]?.array?.first
            #expect(evidence?["found"]?.string?.hasPrefix("AppReceiptTesting Root CA") == true)
            #expect(evidence?["expected"] == "Apple's roots")
            #expect(document.at("chain", "brokenBelow") == document.at("chain", "path")?.array?.first)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An expired certificate has its own dates as evidence, and no link is broken")
    func expired() throws {
        var receipt = TestReceipt()
        receipt.creationDate = Date(timeIntervalSince1970: 2_100_000_000)
        let document = try InspectorClient().document(try receipt.signed())
        #expect(document.at("failure", "code") == "signer-expired")
        #expect(document.check("certificate-chain")?["evidence"]?.array?.count == 1)
        #expect(Self.evidence(document).contains("valid 2"))
        #expect(document.at("chain", "faulty") != .null)
        #expect(document.at("chain", "brokenBelow") == .null)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receipt without a date has no dates as evidence")
    func missingDate() throws {
        let token = try TestTransaction("pro", transaction: "1").with { $0.overrides["signedDate"] = .null }.signed()
        let document = try InspectorClient().document(token)
        #expect(document.at("failure", "code") == "signed-date-missing")
        #expect(document.check("certificate-chain")?["evidence"]?.array?.first?["found"] == .null)
        #expect(document.check("signature")?["evidence"] == [])
    }
}
#endif
