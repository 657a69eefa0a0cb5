import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import VerifyReceipt

@Suite("TransactionFields")
struct TransactionFieldsTests {
    private static func purchase(
        quantity: Int? = nil, isTrialPeriod: Bool? = nil, revocation: AppStoreTransaction.Revocation? = nil
    ) -> AppStoreTransaction {
        AppStoreTransaction {
            $0.revocation = revocation
            $0.quantity = quantity
            $0.isTrialPeriod = isTrialPeriod
        }
    }

    /// A purchase with every property.
    static let complete = AppStoreTransaction {
        $0.productIdentifier = "com.example.yearly"
        $0.transactionIdentifier = "20"
        $0.originalTransactionIdentifier = "10"
        $0.purchaseDate = instant("2024-01-15T09:00:00Z")
        $0.originalPurchaseDate = instant("2023-12-15T09:00:02Z")
        $0.expirationDate = instant("2025-01-15T09:00:00Z")
        $0.revocation = AppStoreTransaction.Revocation(instant("2024-02-01T00:00:00Z"), reason: 1)
        $0.productType = .autoRenewableSubscription
        $0.quantity = 2
        $0.isTrialPeriod = false
        $0.isInIntroductoryOfferPeriod = true
        $0.promotionalOfferIdentifier = "spring"
        $0.webOrderLineItemIdentifier = 18_446_744_073_709_551_615
        $0.ownership = .purchased
        $0.subscriptionGroupIdentifier = "21000001"
        $0.isUpgraded = true
        $0.appAccountToken = UUID(uuidString: "7E3FB20B-4CDB-47CC-936D-99D65F608138")
        $0.offerCodeReferenceName = "friends"
    }

    @Test("Every field is a member, in Apple's order, and every value is a string")
    func completeElement() {
        let json = TransactionFields(Self.complete).json
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
        #expect(json["app_account_token"] == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    }

    @Test("Unknown fields are left out")
    func emptyElement() {
        #expect(TransactionFields(Self.purchase()).json == [:])
        let purchase = Self.purchase().with { $0.isUpgraded = false }
        #expect(TransactionFields(purchase).json == [:])
        #expect(!TransactionFields(purchase).isRevoked)
        let revoked = Self.purchase(
            revocation: AppStoreTransaction.Revocation(instant("2024-02-01T00:00:00Z"), reason: 0))
        #expect(
            TransactionFields(revoked).json.names == [
                "cancellation_date", "cancellation_date_ms", "cancellation_date_pst", "cancellation_reason",
            ])
        #expect(TransactionFields(revoked).json["cancellation_reason"] == "0")
        #expect(TransactionFields(revoked).isRevoked)
    }

    @Test("An element of in_app contains the fields of the receipt, and the cancellation from all evidence")
    func inLedger() throws {
        let date = instant("2024-07-02T15:04:03Z")
        let receipt = try VerifiedFixtures.receipt([
            TestPurchase("com.example.pro", transaction: "1", at: date).with { $0.quantity = 2 }
        ])
        let token = TestTransaction("com.example.other", transaction: "1", at: date + 0.5).with {
            $0.signedDate = date + 86_400
            $0.quantity = 7
            $0.ownership = .familyShared
            $0.revocationDate = date + 3600
            $0.overrides = ["revocationReason": 0]
        }
        let ledger = PurchaseLedger(
            CustomerEvidence(receipts: [receipt], transactions: [try VerifiedFixtures.transaction(token)]),
            app: "com.example.app", environment: .sandbox)
        let purchase = AppStoreTransaction(try #require(receipt.receipt.purchases.first))
        let json = TransactionFields(purchase, canceledLike: ledger.merged(purchase)).json
        let alone = TransactionFields(purchase).json
        #expect(
            json.names == alone.names + [
                "cancellation_date", "cancellation_date_ms", "cancellation_date_pst", "cancellation_reason",
            ])
        for member in alone.object?.members ?? [] { #expect(json[member.name] == member.value) }
        #expect(json["cancellation_date_ms"] == "1719936243000")
        #expect(json["cancellation_reason"] == "0")
    }

    @Test("An element from a receipt contains exactly the fields of the receipt")
    func fromReceipt() throws {
        let date = instant("2024-07-02T15:04:03Z")
        func element(_ purchase: TestPurchase) throws -> AppStoreJSON {
            let receipt = TestReceipt().with { $0.purchases = [purchase] }
            let parsed = try AppReceipt(parsing: receipt.signed())
            return TransactionFields(AppStoreTransaction(try #require(parsed.purchases.first))).json
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
        // The identifier 0 means that there is no web order.
        #expect(consumable["web_order_line_item_id"] == nil)
    }
}
