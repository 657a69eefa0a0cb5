#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import AppReceiptServer

@Suite("SignedDataSummary")
struct SignedDataSummaryTests {
    private static let start = TestReceipt().creationDate
    private static let end = start.addingTimeInterval(30 * 86_400)

    private static func transaction() throws -> String {
        var transaction = TestTransaction("plus", transaction: "7", at: start)
        transaction.productType = .autoRenewableSubscription
        transaction.expirationDate = end
        transaction.overrides = ["price": 9990, "currency": "EUR"]
        return try transaction.signed()
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A transaction has its product, period, price and entitlement")
    func transaction() throws {
        let document = try InspectorClient().document(try Self.transaction())
        #expect(document.at("summary", "event") == "The customer subscribed.")
        #expect(document.at("summary", "product") == "plus" && document.at("summary", "price") == "9.99 EUR")
        #expect(document.at("summary", "until") == .string(ReceiptDate.string(from: Self.end)))
        let product = document["products"]?.array?.first?.object
        #expect(product?["productIdentifier"] == "plus" && product?["state"] == "active")
        #expect(product?["until"] == .string(ReceiptDate.string(from: Self.end)))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification's transaction and renewal information give one entitlement")
    func notification() throws {
        var renewal = TestRenewalInfo("plus", original: "7")
        renewal.autoRenewStatus = .off
        let notification = try TestNotification(type: .didChangeRenewalStatus, subtype: .autoRenewDisabled).with {
            $0.signedTransactionInfo = try? Self.transaction()
            $0.signedRenewalInfo = try? renewal.signed()
        }.signed()
        let document = try InspectorClient().document(notification)
        #expect(document["verdict"] == "valid")
        #expect(
            document.at("summary", "event") == "Renewal was turned off. Access lasts until the end of the period.")
        #expect(document.at("summary", "renewal", "isOn") == false)
        let products = document["products"]?.array
        #expect(products?.count == 1 && products?.first?["willRenew"] == false)
        #expect(products?.first?["state"] == "active")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Data that isn't valid has neither a summary nor products")
    func invalid() throws {
        for document in [
            try InspectorClient().document(try Self.transaction(), ["bundle-id": "com.example.other"]),
            try InspectorClient(Inspector()).document(try Self.transaction()),
        ] {
            #expect(document["verdict"] == "invalid")
            #expect(document["summary"] == .null && document["products"] == [])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Data without a transaction has no products")
    func withoutTransaction() throws {
        for token in [
            try TestRenewalInfo("plus", original: "7").signed(), try TestNotification(type: .test).signed(),
            try TestAppTransaction().signed(),
        ] {
            let document = try InspectorClient().document(token)
            #expect(document["verdict"] == "valid" && document["products"] == [])
            #expect(document.at("summary", "event")?.string?.isEmpty == false)
        }
    }

    @Test(
        "A price is written with two digits, or three if the third isn't zero",
        arguments: [
            (9990, "USD", "9.99 USD"), (0, "USD", "0.00 USD"), (1_234_500, "EUR", "1234.50 EUR"),
            (1, "KWD", "0.001 KWD"),
            (Int64.max, "USD", "9223372036854775.807 USD"),
        ] as [(Int64, String, String)])
    func prices(thousandths: Int64, currency: String, expected: String) {
        #expect(SignedDataSummary.price(thousandths, currency) == expected)
    }

    @Test("A price without its currency, or below zero, isn't shown")
    func absentPrices() {
        #expect(SignedDataSummary.price(9990, nil) == nil && SignedDataSummary.price(nil, "USD") == nil)
        #expect(SignedDataSummary.price(-1, "USD") == nil)
    }
}
#endif
