import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("ClaimedPurchases")
struct ClaimedPurchasesTests {
    private static let response = """
        {"status": 0, "environment": "Production", "receipt": {"receipt_type": "Production", "bundle_id": "com.example",
        "in_app": [{"product_id": "pro", "transaction_id": "1", "purchase_date_ms": "1697673600000"}]},
        "latest_receipt_info": [
        {"product_id": "plus", "transaction_id": "3", "original_transaction_id": "2", "purchase_date_ms":
        "1719792000000", "expires_date_ms": "1722470400000", "cancellation_date_ms": "1719878400000"},
        {"product_id": "pro", "transaction_id": "1", "purchase_date_ms": "1697673600000"}]}
        """

    private func input(_ text: String) -> EvidenceInput { EvidenceInput(Array(text.utf8)) }

    @Test("A response without a receipt is recognized, and its claims are listed, newest first")
    func claims() throws {
        let response = try #require(input(Self.response).claimedPurchases)
        #expect(response.status == 0)
        #expect(response.environment == "Production")
        #expect(response.bundleIdentifier == "com.example")
        #expect(response.purchases.map(\.transactionIdentifier) == ["3", "1"])
        let plus = response.purchases[0]
        #expect(plus.productIdentifier == "plus")
        #expect(plus.originalTransactionIdentifier == "2")
        #expect(plus.purchaseDate == moment("2024-07-01"))
        #expect(plus.expirationDate == moment("2024-08-01"))
        #expect(plus.cancellationDate == moment("2024-07-02"))
        let json = try #require(response.json.object)
        #expect(json["verified"] == false)
        #expect(json["purchases"]?.array?.count == 2)
    }

    @Test("A response with a receipt, another notification and other JSON isn't one")
    func others() {
        for text in [
            Self.response.dropLast() + ", \"latest_receipt\": \"MIIA\"}", "{\"status\": 1}", "{}", "hello",
            "{\"status\": 21003, \"name\": \"x\"}", "{\"status\": 0}",
            "{\"status\": 0, \"receipt\": \"MIIA\"}", "{\"status\": 0, \"latest_receipt_info\": []}",
            "{\"notification_type\": \"CANCEL\", \"unified_receipt\": {\"latest_receipt_info\": [{\"a\": 1}]}}",
        ] { #expect(input(text).claimedPurchases == nil, "\(text.prefix(40))") }
        let empty = Self.response.dropLast() + ", \"latest_receipt\": \"\"}"
        #expect(input(String(empty)).claimedPurchases != nil)
        #expect(
            input("{\"notification_type\": \"CANCEL\", \"unified_receipt\": {\"receipt\": {\"bundle_id\": \"a\"}}}")
                .items.count == 1)
    }

    @Test("A response with nothing but the status of an error is one without purchases")
    func errors() throws {
        for text in [
            "{\"status\": 21003}", "{\"status\":21104,\"is-retryable\":true,\"environment\":\"Production\"}",
            "We only get {\"status\":21003} for him.",
        ] {
            let response = try #require(input(text).claimedPurchases, "\(text)")
            #expect(response.purchases.isEmpty)
            #expect((21000...21199).contains(response.status ?? 0))
        }
    }

    @Test("The identifiers are listed once, originals before renewals, those of the newest purchase first")
    func identifiers() {
        #expect(input(Self.response).claimedPurchases?.transactionIdentifiers == ["2", "3", "1"])
        let renewals = (10...40).map { number in
            """
            {"transaction_id": "\(number)", "original_transaction_id": "10", "purchase_date_ms": "\(number)00000"}
            """
        }
        let purchases = renewals + [#"{"transaction_id": "5", "original_transaction_id": "5"}"#]
        let response = #"{"status": 0, "latest_receipt_info": [\#(purchases.joined(separator: ","))]}"#
        #expect(input(response).claimedPurchases?.transactionIdentifiers.prefix(3) == ["10", "5", "40"])
    }

    @Test("It is found between other words")
    func mail() throws {
        let mail = input("Hi,\nthis is the response:\n\(Self.response)\nThanks")
        #expect(mail.claimedPurchases?.purchases.count == 2)
        #expect(mail.normalizations == ["other text around JSON"])
        let quoted = Self.response.split(separator: "\n").map { "> > \($0)" }.joined(separator: "\r\n")
        #expect(input("Hi,\r\n\(quoted)\r\n> Thanks").claimedPurchases?.purchases.count == 2)
        #expect(input("Hi {\"a\": 1} you").items == [.receipt(Array("Hi {\"a\": 1} you".utf8)[...])])
    }

    @Test("Responses from before iOS 7 describe one purchase, with numbers in any form")
    func oldResponse() throws {
        let text = """
            {"status": 21006, "receipt": {"bid": "com.example", "product_id": "plus", "transaction_id": 7,
            "expires_date": "1722470400000"}}
            """
        let response = try #require(input(text).claimedPurchases)
        #expect(response.bundleIdentifier == "com.example")
        #expect(response.purchases.map(\.transactionIdentifier) == ["7"])
        #expect(response.purchases[0].expirationDate == moment("2024-08-01"))
    }

    @Test("It proves nothing: every reader rejects it and says how to get the receipt")
    func rejected() throws {
        let item = input(Self.response).items[0]
        #expect(throws: ReceiptError(.responseWithoutReceipt)) { try item.receipt.get() }
        #expect(throws: ReceiptError(.responseWithoutReceipt)) { try UnverifiedSignedData(parsing: item.text) }
        #expect(ReceiptError(.responseWithoutReceipt).remedy.contains("'latest_receipt'"))
    }

    @Test("A transaction of StoreKit 2 without a signature is a claim too, other JSON isn't")
    func unsignedTransaction() throws {
        let claims = try #require(
            input(
                """
                {"transactionId": "2", "originalTransactionId": "1", "bundleId": "com.example.app", "productId": "pro",
                 "purchaseDate": 1700000000000, "expiresDate": 1702592000000, "environment": "Production"}
                """
            ).claimedPurchases)
        #expect(!claims.isResponse)
        #expect(claims.bundleIdentifier == "com.example.app")
        #expect(claims.environment == "Production")
        #expect(claims.transactionIdentifiers == ["1", "2"])
        #expect(claims.purchases.first?.productIdentifier == "pro")
        #expect(claims.purchases.first?.purchaseDate?.timeIntervalSince1970 == 1_700_000_000)
        #expect(claims.purchases.first?.expirationDate?.timeIntervalSince1970 == 1_702_592_000)
        #expect(input(#"{"productId": "pro", "quantity": 1}"#).claimedPurchases == nil)
    }

    @Test("Several transactions without a signature are claims together, also between other words")
    func unsignedTransactions() throws {
        func transaction(_ identifier: Int, of app: String = "com.example.app") -> String {
            """
            {"transactionId": "\(identifier)", "bundleId": "\(app)", "purchaseDate": \(identifier),
            "environment": "Production"}
            """
        }
        let array = "[\(transaction(1)),\n\(transaction(2)), \(transaction(1))]"
        let quoted = array.split(separator: "\n").map { "> \($0)" }.joined(separator: "\n")
        for text in [array, "{\"transactions\": \(array)}", "Hi,\n\(array)\nThanks", "Hi,\n\(quoted)\nThanks"] {
            let claims = try #require(input(text).claimedPurchases, "\(text)")
            #expect(!claims.isResponse)
            #expect(claims.purchases.map(\.transactionIdentifier) == ["2", "1"], "\(text)")
            #expect(claims.bundleIdentifier == "com.example.app")
            #expect(claims.environment == "Production")
        }
        let apps = try #require(
            input("[\(transaction(1)), \(transaction(2, of: "com.example.other"))]").claimedPurchases)
        #expect(apps.bundleIdentifier == nil)
        #expect(apps.environment == "Production")
        for text in ["[\(transaction(1)), \"MIIA\"]", "Hi [{\"a\": 1}] you"] {
            #expect(input(text).claimedPurchases == nil, "\(text)")
        }
    }
}
