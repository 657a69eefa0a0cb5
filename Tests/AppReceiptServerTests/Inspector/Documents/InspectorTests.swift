#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import AppReceiptSupport

@testable import AppReceiptServer

@Suite("Inspector")
struct InspectorTests {
    @available(AppReceiptServer 1.0, *)
    @Test("A valid receipt is proven")
    func validReceipt() throws {
        var receipt = TestReceipt(bundleIdentifier: "com.example.app")
        receipt.environment = .production
        let document = try InspectorClient().document(
            try receipt.signed(), ["bundle-id": "com.example.app"])
        #expect(document["verdict"] == "valid")
        #expect(document["isProven"] == true)
        #expect(document["environment"] == "production")
        #expect(document["kind"] == "receipt")
        #expect(document["trust"] == "configured")
        #expect(document["failure"] == .null)
        #expect(document.at("input", "name") == .null)
        #expect(document.at("input", "format") == "der")
        #expect(document["checks"]?.array?.count == ValidationCheck.receiptChecks.count)
        #expect(document["certificates"]?.array?.map { $0.object?["role"] } == ["signer", "intermediate", "anchor"])
        #expect(document.at("receipt", "bundleIdentifier") == "com.example.app")
        #expect(document.at("receipt", "attributes")?.array?.isEmpty == false)
        #expect(document.at("verifyReceipt", "status") == 0)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The document contains the bytes that were verified")
    func bytes() throws {
        let bytes = try TestReceipt().signed()
        let document = try InspectorClient().document("  " + Data(bytes).base64EncodedString() + "\n")
        #expect(document["der"]?.string == Data(bytes).base64EncodedString())
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receipt that fails a comparison is still proven")
    func comparisons() throws {
        let members: [String: AppStoreJSON] = ["bundle-id": "com.example.other", "environment": ["production"]]
        let document = try InspectorClient().document(
            try TestReceipt(bundleIdentifier: "com.example.app").signed(), members)
        #expect(document["verdict"] == "invalid")
        #expect(document["isProven"] == true)
        #expect(document.at("failure", "code") == "bundle-identifier-mismatch")
        let evidence = document.check("bundle-identifier")?["evidence"]?.array?.first?.object
        #expect(evidence?["found"] == "com.example.app")
        #expect(evidence?["expected"] == "com.example.other")
        #expect(document.check("environment")?["outcome"] == "failed")
        #expect(document["environment"] == "sandbox")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A forged receipt is not proven")
    func forgery() throws {
        var bytes = try TestReceipt().signed()
        bytes[bytes.count - 1] ^= 1
        let document = try InspectorClient().document(bytes)
        #expect(document["isProven"] == false)
        #expect(document["environment"] == .null)
        #expect(document["statedEnvironment"] == "ProductionSandbox")
        #expect(document.at("verifyReceipt", "status") == 21003)
        #expect(document.at("verifyReceipt", "reason", "code") == "signature-invalid")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Only Apple's roots are reported as Apple's")
    func trust() throws {
        var client = try InspectorClient()
        client.inspector = Inspector()
        #expect(try client.document(try TestReceipt().signed())["trust"] == "apple")
        #expect(try InspectorClient().document(try TestReceipt().signed())["trust"] == "configured")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A root beside Apple's isn't reported as Apple's, and the document says whether Apple's are trusted")
    func trustBesideApple() throws {
        let both = try TrustAnchors(
            der: TrustAnchors.apple.certificates + [TestPKI.standard.root.der()])
        let document = try InspectorClient(Inspector(receipts: ReceiptVerifier(anchors: both)))
            .document(try TestReceipt().signed())
        #expect(document["verdict"] == "valid")
        #expect(document["trust"] == "configured")
        #expect(document.at("roots", "includesApple") == true)
        let replaced = try InspectorClient().document(try TestReceipt().signed())
        #expect(replaced.at("roots", "includesApple") == false)
        #expect(replaced.at("roots", "names") == "AppReceiptTesting Root CA")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Data signed under the test kit's root is reported as such")
    func testKit() throws {
        var client = try InspectorClient()
        let bytes = try TestReceipt().signed()
        let token = try TestTransaction("pro", transaction: "1").signed()
        #expect(try client.document(bytes)["isOfTestKit"] == false)
        client.inspector = Inspector()
        for document in [try client.document(bytes), try client.document(token)] {
            #expect(document["isOfTestKit"] == true)
            #expect(document["isProven"] == false)
            #expect(document["verdict"] == "invalid")
            #expect(document.at("failure", "code") == "root-not-trusted")
        }
        // A forgery with the test kit's certificates isn't signed by its key.
        var forged = bytes
        forged[forged.count - 1] ^= 1
        #expect(try client.document(forged)["isOfTestKit"] == false)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An input that is not recognized has a reason and a remedy")
    func unrecognized() throws {
        let document = try InspectorClient().document("This isn't a receipt.")
        #expect(document["kind"] == "unknown")
        #expect(document["verdict"] == "invalid")
        #expect(document["receipt"] == .null)
        #expect(document.check("container")?["code"] == "input-unrecognized")
        #expect(document.check("container")?["remedy"]?.string?.isEmpty == false)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Subscriptions are listed with their periods")
    func subscriptions() throws {
        var receipt = TestReceipt()
        let (start, day) = (receipt.creationDate, 86_400.0)
        receipt.purchases = [
            TestPurchase(subscription: "m", transaction: "1", from: start, to: start + 30 * day, isTrial: true),
            TestPurchase(
                subscription: "m", transaction: "2", original: "1", from: start + 30 * day, to: start + 60 * day
            )
            .with { $0.cancellationDate = start + 40 * day },
        ]
        let subscription = try InspectorClient().document(try receipt.signed())["subscriptions"]?.array?.first?.object
        #expect(subscription?["original"] == "1")
        #expect(subscription?["isActive"] == true)
        let periods = subscription?["periods"]?.array?.compactMap(\.object) ?? []
        #expect(periods.map { $0["isTrial"] } == [true, false])
        #expect(periods.last?["end"] == .string(ReceiptDate.string(from: start + 40 * day)))
        #expect(periods.last?["expiration"] == .string(ReceiptDate.string(from: start + 60 * day)))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The document of a large receipt is complete only on request")
    func abridged() throws {
        var receipt = TestReceipt()
        receipt.purchases = (0..<900).map { TestPurchase("pro", transaction: String($0), at: receipt.creationDate) }
        let bytes = try receipt.signed()
        #expect(bytes.count > ReceiptDocument.maxUnabridgedBytes)
        let short = try InspectorClient().document(bytes)
        #expect(short["isAbridged"] == true)
        #expect(short["verifyReceipt"] == .null)
        #expect(short.at("receipt", "attributes") == nil)
        #expect(short.at("receipt", "purchases")?.array?.count == 900)
        let complete = try InspectorClient().document(bytes, ["complete": true])
        #expect(complete["isAbridged"] == false)
        #expect(complete.at("verifyReceipt", "status") == 0)
        #expect(complete.at("receipt", "attributes") != nil)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Devices are compared by their hashes")
    func devices() throws {
        var receipt = TestReceipt()
        receipt.device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let bytes = try receipt.signed()
        let right = try InspectorClient().document(bytes, ["device-id": ["02:00:00:00:00:02", "020000000001"]])
        #expect(right.check("device-hash")?["outcome"] == "passed")
        let wrong = try InspectorClient().document(bytes, ["device-id": ["02:00:00:00:00:02"]])
        let evidence = wrong.check("device-hash")?["evidence"]?.array?.first?.object
        #expect(wrong.check("device-hash")?["outcome"] == "failed")
        #expect(evidence?["found"]?.string?.count == 40)
        #expect(evidence?["found"] != evidence?["expected"])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A transaction receipt is validated as any receipt", arguments: [2, 3] as [UInt8])
    func transactionReceipt(_ version: UInt8) throws {
        let pkis = [TestPKI.transactionReceipts, .transactionReceiptsVersion3]
        let verifier = ReceiptVerifier(
            anchors: try TestPKI.transactionReceipts.anchors,
            transactionReceipts: try TransactionReceiptTrust(der: pkis.map { try $0.intermediate.der() }))
        let client = InspectorClient(Inspector(receipts: verifier))
        let receipt = TestTransactionReceipt(
            "com.example.plus", transaction: "350000245250525", expirationDate: instant("2015-12-18T04:34:41Z")
        ).with {
            $0.version = version
            $0.unsignedEntries = []
        }
        let document = try client.document(receipt.signed(), ["bundle-id": "com.example.app"])
        #expect(document["kind"] == "transaction-receipt")
        #expect(document["verdict"] == "valid")
        #expect(document["isProven"] == true)
        #expect(document["environment"] == "production")
        #expect(document["checks"]?.array?.count == ValidationCheck.receiptChecks.count)
        #expect(document["certificates"]?.array?.map { $0.object?["role"] } == ["signer", "intermediate", "anchor"])
        #expect(document["products"]?.array?.first?["state"] == "renewalUnknown")
        #expect(document["subscriptions"]?.array?.count == 1)
        #expect(document.at("receipt", "purchases")?.array?.count == 1)
        #expect(document.at("verifyReceipt", "status") == 21006)
        let other = try client.document(receipt.signed(), ["bundle-id": "com.example.other"])
        #expect(other["verdict"] == "invalid")
        #expect(other["isProven"] == true)
        #expect(other["products"]?.array?.isEmpty == true)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An unreadable transaction receipt is recognized and not proven")
    func unreadableTransactionReceipt() throws {
        let text = "{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"e30=\";\n}"
        for input in [text, Data(text.utf8).base64EncodedString()] {
            let document = try InspectorClient().document(input)
            #expect(document["kind"] == "transaction-receipt")
            #expect(document["verdict"] == "invalid")
            #expect(document.at("failure", "code") == "transaction-receipt-version-unsupported")
            #expect(document["text"]?.string == text)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Signed data is verified with the data that it contains")
    func signedData() throws {
        let transaction = try TestTransaction("com.example.pro", transaction: "7").signed()
        let notification = try TestNotification(type: .didRenew).with { $0.signedTransactionInfo = transaction }
            .signed()
        let document = try InspectorClient().document("{\"signedPayload\": \"\(notification)\"}")
        #expect(document["kind"] == "signed-data")
        #expect(document["dataKind"] == "notification")
        #expect(document["verdict"] == "valid")
        #expect(document["isProven"] == true)
        #expect(document["environment"] == "sandbox")
        #expect(document.at("nested", "signedTransactionInfo", "transactionId") == "7")
        #expect(document["token"]?.string == notification)
        #expect(document.at("input", "normalizations") == ["JSON member 'signedPayload'"])
        #expect(document.at("input", "items") == 1)
        let other = try InspectorClient().document(notification, ["bundle-id": "com.example.other"])
        #expect(other.check("bundle-identifier")?["outcome"] == "failed")
        #expect(other["isProven"] == true)
    }
}
#endif
