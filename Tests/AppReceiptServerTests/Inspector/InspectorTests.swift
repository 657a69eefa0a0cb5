#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import AppReceiptSupport

@testable import AppReceiptServer

/// The document that the page shows.
@Suite struct InspectorTests {
    @Test func aValidReceiptIsProven() throws {
        var receipt = TestReceipt(bundleIdentifier: "com.example.app")
        receipt.environment = .production
        let document = try Asking().document(
            try receipt.signed(), ["bundleIdentifier": "com.example.app", "name": "r"])
        #expect(
            document["verdict"] == "valid" && document["isProven"] == true && document["environment"] == "production")
        #expect(document["kind"] == "receipt" && document["trust"] == "configured" && document["failure"] == .null)
        #expect(document.at("input", "name") == "r" && document.at("input", "format") == "der")
        #expect(document["checks"]?.array?.count == Check.allCases.count)
        #expect(document["certificates"]?.array?.map { $0.object?["role"] } == ["signer", "intermediate", "anchor"])
        #expect(document.at("receipt", "bundleIdentifier") == "com.example.app")
        #expect(document.at("receipt", "attributes")?.array?.isEmpty == false)
        #expect(document.at("verifyReceipt", "status") == 0)
    }

    @Test func theBytesAreGivenAsTheyWereVerified() throws {
        let bytes = try TestReceipt().signed()
        let document = try Asking().document("  " + Data(bytes).base64EncodedString() + "\n")
        #expect(document["der"]?.string == Data(bytes).base64EncodedString())
    }

    @Test func whatWasNotExpectedIsStillSigned() throws {
        let members: [String: JSONValue] = ["bundleIdentifier": "com.example.other", "environments": ["production"]]
        let document = try Asking().document(try TestReceipt(bundleIdentifier: "com.example.app").signed(), members)
        #expect(document["verdict"] == "invalid" && document["isProven"] == true)
        #expect(document.at("failure", "code") == "bundle-identifier-mismatch")
        let evidence = document.check("bundle-identifier")?["evidence"]?.array?.first?.object
        #expect(evidence?["found"] == "com.example.app" && evidence?["expected"] == "com.example.other")
        #expect(document.check("environment")?["outcome"] == "failed")
        #expect(document["environment"] == "sandbox")
    }

    @Test func aForgeryProvesNothing() throws {
        var bytes = try TestReceipt().signed()
        bytes[bytes.count - 1] ^= 1
        let document = try Asking().document(bytes)
        #expect(document["isProven"] == false && document["environment"] == .null)
        #expect(document["statedEnvironment"] == "ProductionSandbox")
        #expect(document.at("verifyReceipt", "status") == 21003)
        #expect(document.at("verifyReceipt", "reason", "code") == "signature-invalid")
    }

    @Test func applesRootsAreNamedAsSuchAndNoOthers() throws {
        var asking = try Asking()
        asking.inspector = Inspector()
        #expect(try asking.document(try TestReceipt().signed())["trust"] == "apple")
        #expect(try Asking().document(try TestReceipt().signed())["trust"] == "configured")
    }

    @Test func theAppsThatTheServerServesAreNamedAndNotComparedWith() throws {
        var asking = try Asking()
        let bytes = try TestReceipt(bundleIdentifier: "com.example.other").signed()
        #expect(try asking.document(bytes)["served"] == [])
        asking.inspector = Inspector(
            receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors),
            bundleIdentifiers: ["com.example.b", "com.example.a"], environments: [.xcode, .production])
        let document = try asking.document(bytes)
        #expect(document["served"] == ["com.example.a", "com.example.b"])
        #expect(document["servedEnvironments"] == ["production", "xcode"])
        #expect(document["verdict"] == "valid" && document.check("bundle-identifier")?["outcome"] == "skipped")
    }

    @Test func whatTheTestKitSignedIsToldFromWhatNobodyKnows() throws {
        var asking = try Asking()
        let bytes = try TestReceipt().signed()
        let token = try TestTransaction("pro", transaction: "1").signed()
        #expect(try asking.document(bytes)["isOfTestKit"] == false)
        asking.inspector = Inspector()
        for document in [try asking.document(bytes), try asking.document(token)] {
            #expect(document["isOfTestKit"] == true && document["isProven"] == false)
            #expect(document["verdict"] == "invalid" && document.at("failure", "code") == "root-not-trusted")
        }
        // The test kit's root stands for what its key signed, not for what only comes with its certificates.
        var forged = bytes
        forged[forged.count - 1] ^= 1
        #expect(try asking.document(forged)["isOfTestKit"] == false)
    }

    @Test func aReceiptThatLacksEverythingHasReasons() throws {
        let document = try Asking().document("This is no receipt.")
        #expect(document["kind"] == "unknown" && document["verdict"] == "invalid" && document["receipt"] == .null)
        #expect(document.check("container")?["code"] == "input-unrecognized")
        #expect(document.check("container")?["remedy"]?.string?.isEmpty == false)
    }

    @Test func subscriptionsAreGivenInTime() throws {
        var receipt = TestReceipt()
        let (start, day) = (receipt.creationDate, 86_400.0)
        receipt.purchases = [
            TestPurchase(subscription: "m", transaction: "1", from: start, to: start + 30 * day, isTrial: true),
            TestPurchase(
                subscription: "m", transaction: "2", original: "1", from: start + 30 * day, to: start + 60 * day
            )
            .with { $0.cancellationDate = start + 40 * day },
        ]
        let line = try Asking().document(try receipt.signed())["lines"]?.array?.first?.object
        #expect(line?["original"] == "1" && line?["isActive"] == true)
        let periods = line?["periods"]?.array?.compactMap(\.object) ?? []
        #expect(periods.map { $0["isTrial"] } == [true, false])
        #expect(periods.last?["end"] == .string(ReceiptDate.string(from: start + 40 * day)))
        #expect(periods.last?["expiration"] == .string(ReceiptDate.string(from: start + 60 * day)))
    }

    @Test func whatIsLongIsGivenOnDemand() throws {
        var receipt = TestReceipt()
        receipt.purchases = (0..<900).map { TestPurchase("pro", transaction: String($0), at: receipt.creationDate) }
        let bytes = try receipt.signed()
        #expect(bytes.count > ReceiptDocument.unabridgedBytes)
        let short = try Asking().document(bytes)
        #expect(short["isAbridged"] == true && short["verifyReceipt"] == .null)
        #expect(short.at("receipt", "attributes") == nil && short.at("receipt", "purchases")?.array?.count == 900)
        let complete = try Asking().document(bytes, ["complete": true])
        #expect(complete["isAbridged"] == false && complete.at("verifyReceipt", "status") == 0)
        #expect(complete.at("receipt", "attributes") != nil)
    }

    @Test func devicesAreComparedByTheirHashes() throws {
        var receipt = TestReceipt()
        receipt.device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let bytes = try receipt.signed()
        let right = try Asking().document(bytes, ["devices": ["02:00:00:00:00:02", "020000000001"]])
        #expect(right.check("device-hash")?["outcome"] == "passed")
        let wrong = try Asking().document(bytes, ["devices": ["02:00:00:00:00:02"]])
        let evidence = wrong.check("device-hash")?["evidence"]?.array?.first?.object
        #expect(wrong.check("device-hash")?["outcome"] == "failed")
        #expect(evidence?["found"]?.string?.count == 40 && evidence?["found"] != evidence?["expected"])
    }

    @Test func aTransactionReceiptIsNamedAndNotProven() throws {
        let text = "{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"e30=\";\n}"
        for input in [text, Data(text.utf8).base64EncodedString()] {
            let document = try Asking().document(input)
            #expect(document["kind"] == "transaction-receipt" && document["verdict"] == "invalid")
            #expect(document.at("failure", "code") == "input-transaction-receipt")
            #expect(document["text"]?.string == text)
        }
    }

    @Test func signedDataIsVerifiedWithWhatIsInside() throws {
        let transaction = try TestTransaction("com.example.pro", transaction: "7").signed()
        let notification = try TestNotification(.didRenew).with { $0.signedTransactionInfo = transaction }.signed()
        let document = try Asking().document("{\"signedPayload\": \"\(notification)\"}")
        #expect(document["kind"] == "signed-data" && document["dataKind"] == "notification")
        #expect(document["verdict"] == "valid" && document["isProven"] == true && document["environment"] == "sandbox")
        #expect(document.at("nested", "signedTransactionInfo", "transactionId") == "7")
        #expect(document["token"]?.string == notification)
        #expect(document.at("input", "wrapper") == "signed-payload")
        let other = try Asking().document(notification, ["bundleIdentifier": "com.example.other"])
        #expect(other.check("bundle-identifier")?["outcome"] == "failed" && other["isProven"] == true)
    }
}
#endif
