import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("TestPurchase")
struct TestPurchaseTests {
    private static let date = instant("2024-01-15T09:00:00Z")

    private static func parsed(_ purchase: TestPurchase) throws -> InAppPurchase {
        let receipt = try AppReceipt(parsing: TestReceipt().with { $0.purchases = [purchase] }.signed())
        return try #require(receipt.purchases.first)
    }

    @Test("Every option is in the parsed purchase")
    func encodesOptions() throws {
        let purchase = try Self.parsed(
            TestPurchase("com.example.coins", transaction: "20", at: Self.date, type: .consumable).with { purchase in
                purchase.originalTransactionIdentifier = "10"
                purchase.originalPurchaseDate = Self.date - 1
                purchase.quantity = 3
                purchase.expirationDate = Self.date + 1
                purchase.cancellationDate = Self.date + 2
                purchase.isTrialPeriod = true
                purchase.productStoreIdentifier = 1 << 33
                purchase.webOrderLineItemIdentifier = 1 << 50
                purchase.promotionalOfferIdentifier = "spring"
            })
        #expect(purchase.productIdentifier == "com.example.coins")
        #expect(purchase.transactionIdentifier == "20")
        #expect(purchase.purchaseDate == Self.date)
        #expect(purchase.productType == .consumable)
        #expect(purchase.originalTransactionIdentifier == "10")
        #expect(purchase.originalPurchaseDate == Self.date - 1)
        #expect(purchase.quantity == 3)
        #expect(purchase.expirationDate == Self.date + 1)
        #expect(purchase.cancellationDate == Self.date + 2)
        #expect(purchase.isTrialPeriod == true)
        #expect(purchase.productStoreIdentifier == 1 << 33)
        #expect(purchase.webOrderLineItemIdentifier == 1 << 50)
        #expect(purchase.promotionalOfferIdentifier == "spring")
    }

    @Test("A purchase without options is a non-consumable")
    func defaults() throws {
        let purchase = try Self.parsed(TestPurchase("com.example.pro", transaction: "1", at: Self.date))
        #expect(purchase.productType == .nonConsumable)
        #expect(purchase.originalTransactionIdentifier == "1")
        #expect(purchase.originalPurchaseDate == Self.date)
        #expect(purchase.quantity == 1)
        #expect(purchase.expirationDate == nil)
        #expect(purchase.cancellationDate == nil)
        #expect(purchase.isTrialPeriod == false)
        #expect(purchase.isInIntroductoryOfferPeriod == nil)
        #expect(purchase.webOrderLineItemIdentifier == nil)
        #expect(purchase.promotionalOfferIdentifier == nil)
    }

    @Test("A subscription period has an original transaction, an expiration date and a web order line item")
    func subscriptions() throws {
        let purchase = try Self.parsed(
            TestPurchase(
                subscription: "com.example.month", transaction: "3", original: "2", from: Self.date,
                to: Self.date + 86_400, isTrial: true
            ).with { $0.isInIntroductoryOfferPeriod = true })
        #expect(purchase.productType == .autoRenewableSubscription)
        #expect(purchase.originalTransactionIdentifier == "2")
        #expect(purchase.expirationDate == Self.date + 86_400)
        #expect(purchase.isTrialPeriod == true)
        #expect(purchase.isInIntroductoryOfferPeriod == true)
        #expect(purchase.webOrderLineItemIdentifier == 1 << 50 | 3)
    }

    @Test("An introductory offer is encoded for every product type")
    func introductoryOffer() throws {
        let purchase = try Self.parsed(
            TestPurchase("com.example.pass", transaction: "1", at: Self.date, type: .nonRenewingSubscription)
                .with { $0.isInIntroductoryOfferPeriod = true })
        #expect(purchase.isInIntroductoryOfferPeriod == true)
    }

    @Test("Overrides replace, remove or add attributes")
    func overrides() throws {
        let purchase = try Self.parsed(
            TestPurchase("com.example.pro", transaction: "1", at: Self.date).with { purchase in
                purchase.overrides = [1701: [DERWriter.integer(9)], 1704: [], 1799: [[1]]]
            })
        #expect(purchase.quantity == 9)
        #expect(purchase.purchaseDate == nil)
        #expect(purchase.attributes.bytes(ofType: 1799) == [1])
    }
}
