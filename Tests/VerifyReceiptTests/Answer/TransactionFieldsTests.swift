import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@testable import VerifyReceipt

@Suite("TransactionFields")
struct TransactionFieldsTests {
    /// Everything that can be known.
    static let complete: TransactionFields = {
        var fields = TransactionFields()
        fields.quantity = 2
        fields.productIdentifier = "com.example.yearly"
        fields.transactionIdentifier = "20"
        fields.originalTransactionIdentifier = "10"
        fields.purchaseDate = instant("2024-01-15T09:00:00Z")
        fields.originalPurchaseDate = instant("2023-12-15T09:00:02Z")
        fields.expirationDate = instant("2025-01-15T09:00:00Z")
        fields.webOrderLineItemIdentifier = 18_446_744_073_709_551_615
        fields.isTrialPeriod = false
        fields.isInIntroductoryOfferPeriod = true
        fields.promotionalOfferIdentifier = "spring"
        fields.cancellationDate = instant("2024-02-01T00:00:00Z")
        fields.cancellationReason = 1
        fields.inAppOwnershipType = "PURCHASED"
        fields.subscriptionGroupIdentifier = "21000001"
        fields.isUpgraded = true
        fields.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        fields.offerCodeReferenceName = "friends"
        return fields
    }()

    @Test("every field has its member, in Apple's order, and every value is a string")
    func completeElement() {
        let json = Self.complete.json
        #expect(
            json.names == [
                "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date",
                "purchase_date_ms", "purchase_date_pst", "original_purchase_date", "original_purchase_date_ms",
                "original_purchase_date_pst", "expires_date", "expires_date_ms", "expires_date_pst",
                "web_order_line_item_id", "is_trial_period", "is_in_intro_offer_period", "promotional_offer_id",
                "cancellation_date", "cancellation_date_ms", "cancellation_date_pst", "cancellation_reason",
                "in_app_ownership_type", "subscription_group_identifier", "is_upgraded", "app_account_token",
                "offer_code_ref_name",
            ])
        #expect(json.object?.members.allSatisfy { $0.value.string != nil } == true)
        #expect(json["quantity"] == "2")
        #expect(json["web_order_line_item_id"] == "18446744073709551615")
        #expect(json["is_trial_period"] == "false")
        #expect(json["is_in_intro_offer_period"] == "true")
        #expect(json["cancellation_reason"] == "1")
        #expect(json["is_upgraded"] == "true")
    }

    @Test("what is not known is left out")
    func emptyElement() {
        #expect(TransactionFields().json == [:])
        var fields = TransactionFields()
        fields.isUpgraded = false
        fields.cancellationReason = 0
        #expect(fields.json == [:])
    }

    @Test("of a receipt come the fields that it holds and no others")
    func fromReceipt() throws {
        let date = instant("2024-07-02T15:04:03Z")
        func element(_ purchase: TestPurchase) throws -> JSONValue {
            let receipt = TestReceipt().with { $0.purchases = [purchase] }
            let parsed = try AppReceipt(parsing: receipt.signed())
            return TransactionFields(try #require(parsed.purchases.first)).json
        }
        let consumable = try element(TestPurchase("seeds", transaction: "3", at: date, type: .consumable))
        #expect(
            consumable.names == [
                "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date",
                "purchase_date_ms", "purchase_date_pst", "original_purchase_date", "original_purchase_date_ms",
                "original_purchase_date_pst", "is_trial_period",
            ])
        let subscription = try element(
            TestPurchase(subscription: "yearly", transaction: "20", from: date, to: date + 60, isTrial: true).with {
                $0.cancellationDate = date + 30
                $0.promotionalOfferIdentifier = "spring"
                $0.quantity = 3
                $0.webOrderLineItemIdentifier = 9_007_199_254_740_993
            })
        #expect(subscription["is_trial_period"] == "true")
        #expect(subscription["is_in_intro_offer_period"] == "false")
        #expect(subscription["promotional_offer_id"] == "spring")
        #expect(subscription["cancellation_date_ms"] == "1719932673000")
        #expect(subscription["cancellation_reason"] == nil)
        #expect(subscription["quantity"] == "3")
        #expect(subscription["web_order_line_item_id"] == "9007199254740993")
        // A web order of 0 is none.
        #expect(consumable["web_order_line_item_id"] == nil)
    }
}
