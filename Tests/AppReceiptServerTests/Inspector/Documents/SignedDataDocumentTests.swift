#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import AppReceiptServer

@Suite("SignedDataDocument")
struct SignedDataDocumentTests {
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
        #expect(document.at("summary", "product") == "plus")
        #expect(document.at("summary", "price") == "9.99 EUR")
        #expect(document.at("summary", "until") == .string(ReceiptDate.string(from: Self.end)))
        let product = document["products"]?.array?.first?.object
        #expect(product?["productIdentifier"] == "plus")
        #expect(product?["state"] == "active")
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
            document.at("summary", "event") == "Renewal was turned off.")
        #expect(document.at("summary", "renewal", "isOn") == false)
        let products = document["products"]?.array
        #expect(products?.count == 1)
        #expect(products?.first?["willRenew"] == false)
        #expect(products?.first?["state"] == "active")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A device's UUID is compared, and options for receipts are named")
    func options() throws {
        let (device, nonce) = (UUID(), UUID())
        let token = try TestTransaction("plus", transaction: "7").with { $0.device = (device, nonce) }.signed()
        let right = try InspectorClient().document(token, ["device-id": [.string(device.uuidString)]])
        #expect(right.check("device-verification")?["outcome"] == "passed")
        #expect(right["receiptOptions"] == [])
        let wrong = try InspectorClient().document(token, ["device-id": [.string(nonce.uuidString)]])
        #expect(wrong.at("failure", "code") == "device-verification-mismatch")
        let options: [String: AppStoreJSON] = [
            "device-id": ["020000000001"], "app-version": "1", "original-app-version": "1",
        ]
        let ignored = try InspectorClient().document(token, options)
        #expect(ignored["receiptOptions"] == ["app-version", "original-app-version", "device-id"])
        #expect(ignored["verdict"] == "valid")
        #expect(ignored.check("device-verification")?["outcome"] == "skipped")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Data that isn't valid has neither a summary nor products")
    func invalid() throws {
        for document in [
            try InspectorClient().document(try Self.transaction(), ["bundle-id": "com.example.other"]),
            try InspectorClient(Inspector()).document(try Self.transaction()),
        ] {
            #expect(document["verdict"] == "invalid")
            #expect(document["summary"] == .null)
            #expect(document["products"] == [])
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
            #expect(document["verdict"] == "valid")
            #expect(document["products"] == [])
            #expect(document.at("summary", "event")?.string?.isEmpty == false)
        }
    }
}
#endif
