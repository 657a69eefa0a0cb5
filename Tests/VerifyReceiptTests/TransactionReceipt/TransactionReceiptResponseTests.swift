import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing
import VerifyReceipt

@Suite("TransactionReceiptResponse")
struct TransactionReceiptResponseTests {
    private static func testCase(expires: String? = nil) -> TransactionReceiptTestCase {
        var testCase = TransactionReceiptTestCase()
        testCase.receipt = TestTransactionReceipt(
            "com.example.pro", transaction: "1000000181298734", expirationDate: expires.map(instant))
        return testCase
    }

    @Test("The response for a purchase is a flat object of strings in the order of the purchase info")
    func purchase() throws {
        let testCase = Self.testCase()
        let response = try testCase.response()
        #expect(response.status == .valid)
        #expect(
            String(decoding: response.body, as: UTF8.self) == """
                {"status":0,"environment":"Sandbox","receipt":{"purchase_date_ms":"1447821281000",\
                "original_purchase_date_ms":"1447821281000",\
                "unique_identifier":"dd0e33ebf56bb1f3ad4c2dbaa7a0b33ac68b0e85",\
                "original_transaction_id":"1000000181298734","transaction_id":"1000000181298734","bvrs":"1",\
                "item_id":"1028950797","product_id":"com.example.pro","purchase_date":"2015-11-18 04:34:41 Etc/GMT",\
                "original_purchase_date":"2015-11-18 04:34:41 Etc/GMT","bid":"com.example.app","quantity":"1"}}
                """)
    }

    @Test("The property list may be sent without base64")
    func plainText() throws {
        let testCase = Self.testCase()
        let text = String(decoding: try testCase.receipt.signed(), as: UTF8.self)
        let body = AppStoreJSON.object(["receipt-data": .string(text)]).text()
        #expect(try testCase.responder().response(to: body, now: requestDate).body == testCase.response().body)
    }

    @Test("The response for an active subscription contains its latest transaction as an object, and the receipt")
    func subscription() throws {
        var testCase = Self.testCase(expires: "2015-11-24T06:34:41Z")
        testCase.now = instant("2015-11-24T06:34:40Z")
        let response = try testCase.response()
        #expect(response.status == .valid)
        #expect(response.json.names == ["status", "environment", "receipt", "latest_receipt_info", "latest_receipt"])
        #expect(response.json["receipt"]?["expires_date"] == "1448346881000")
        #expect(response.json["receipt"]?["expires_date_formatted"] == "2015-11-24 06:34:41 Etc/GMT")
        #expect(response.json["latest_receipt_info"] == response.json["receipt"])
        let bytes = try testCase.receipt.signed(by: testCase.pki)
        #expect(response.json["latest_receipt"]?.string == Data(bytes).base64EncodedString())
    }

    @Test("The response for a subscription that ended has status 21006 and contains its data")
    func expired() throws {
        var testCase = Self.testCase(expires: "2015-11-24T06:34:41Z")
        testCase.now = instant("2015-11-24T06:34:41Z")
        let response = try testCase.response()
        #expect(response.status == .subscriptionExpired)
        #expect(response.failure?.code == .transactionReceiptSubscriptionExpired)
        #expect(response.json.names == ["status", "environment", "receipt", "latest_expired_receipt_info"])
        #expect(response.json["latest_expired_receipt_info"] == response.json["receipt"])
        #expect(response.json["status"] == 21006)
    }

    @Test("The proven environment determines which responder answers")
    func routing() throws {
        typealias Row = (transaction: String?, claim: String?, production: Int, sandbox: Int, both: Int)
        let (sandbox, production) = ("1000000099708150", "350000245250525")
        let rows: [Row] = [
            (sandbox, "Sandbox", 21007, 0, 0), (sandbox, nil, 21007, 0, 0), (sandbox, "Production", 21007, 0, 0),
            (production, nil, 0, 21008, 0), (production, "Production", 0, 21008, 0),
            (production, "Sandbox", 21007, 0, 0), (production, "Other", 21007, 21003, 21003),
            (nil, nil, 21007, 21003, 21003), (nil, "Production", 21007, 21003, 21003),
        ]
        for (row, version) in rows.flatMap({ row in [2, 3].map { (row, $0) } }) {
            var testCase = Self.testCase()
            if version == 3 { testCase.useVersion3() }
            // It doesn't prove that the purchase is from production.
            testCase.receipt["app-item-id"] = "450542233"
            testCase.receipt["transaction-id"] = row.transaction
            testCase.receipt["original-transaction-id"] = row.transaction
            testCase.receipt.unsignedEntries =
                row.claim.map { [TestTransactionReceipt.Entry(key: "environment", value: $0)] } ?? []
            for (environments, status) in [
                (VerifyReceiptResponder.Environments.production, row.production), (.sandbox, row.sandbox),
                (.both, row.both),
            ] {
                testCase.environments = environments
                let response = try testCase.response()
                #expect(response.status.rawValue == status, "\(row) \(environments)")
                if status == 0 {
                    #expect(response.json["environment"] == (row.production == 0 ? "Production" : "Sandbox"))
                }
            }
        }
    }

    @Test("A receipt of another app isn't authenticated if the app is compared")
    func bundleIdentifiers() throws {
        var testCase = Self.testCase()
        testCase.bundleIdentifiers = ["com.example.app"]
        #expect(try testCase.response().status == .valid)
        testCase.bundleIdentifiers = ["com.example.other"]
        #expect(try testCase.response().status == .notAuthenticated)
        #expect(try testCase.response().failure?.code == .bundleIdentifierMismatch)
    }
}
