#if Server
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@testable import AppReceiptServer

/// What the server answers after the App Store completed it, compared with what Apple's endpoint answers.
@Suite("Responses of a completed server")
struct CompletedAnswerTests {
    /// Asks a server that knows only a receipt.
    @available(AppReceiptServer 1.0, *)
    private func answer(
        to receipt: TestReceipt, _ purchases: [any TestClaims]
    ) async throws -> ServerResponse {
        let fixture = AppStoreFixture(purchases: purchases)
        let configuration = try fixture.configuration()
        return try await TestServer.with {
            $0.appStore = configuration
        } _: { server async throws in
            try await server.post("/sandbox/verifyReceipt", request(try receipt.signed()))
        }
    }

    private static func json(_ text: String) throws -> AppStoreJSON { try AppStoreJSON(parsing: Array(text.utf8)[...]) }

    /// The names of the members of an array's elements.
    private static func names(_ elements: AppStoreJSON?) -> Set<String> {
        Set((elements?.array ?? []).flatMap { $0.object?.members.map(\.name) ?? [] })
    }

    // MARK: The documented example

    private static let garden = "com.example.garden"

    private static func gardenPeriod(
        _ product: String, _ transaction: String, from start: String, to end: String, item: String
    ) -> TestTransaction {
        var period = TestTransaction(
            "\(garden).\(product)", transaction: transaction, original: "550000000000001", at: instant(start),
            until: instant(end))
        period.originalPurchaseDate = instant("2023-12-15T09:00:02Z")
        period.overrides["webOrderLineItemId"] = .string(item)
        return period
    }

    private static var gardenPurchases: [any TestClaims] {
        var trial = gardenPeriod(
            "plus.monthly", "550000000000001", from: "2023-12-15T09:00:00Z", to: "2024-01-15T09:00:00Z",
            item: "550000000000101")
        trial.overrides["offerType"] = 1
        trial.overrides["offerDiscountType"] = "FREE_TRIAL"
        var seeds = TestTransaction("\(garden).seeds100", transaction: "550000000000003")
        seeds.productType = .consumable
        return [
            trial,
            gardenPeriod(
                "plus.yearly", "550000000000002", from: "2024-01-15T09:00:00Z", to: "2025-01-15T09:00:00Z",
                item: "550000000000102"), seeds, TestRenewalInfo("\(garden).plus.yearly", original: "550000000000001"),
        ]
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The subscriptions and renewals of the documented example are the same, member by member")
    func example() async throws {
        // The receipt contains the consumable and the newest period. The trial is known to the App Store only.
        let yearly = TestPurchase(
            subscription: "\(Self.garden).plus.yearly", transaction: "550000000000002", original: "550000000000001",
            from: instant("2024-01-15T09:00:00Z"), to: instant("2025-01-15T09:00:00Z")
        ).with { $0.originalPurchaseDate = instant("2023-12-15T09:00:02Z") }
        let receipt = TestReceipt(purchases: [
            TestPurchase("\(Self.garden).seeds100", transaction: "550000000000003", type: .consumable), yearly,
        ])
        let answer = try await answer(to: receipt, Self.gardenPurchases)
        #expect(answer.receiptStatus == 0)
        #expect(answer.headers["x-evidence"] == nil)
        // The documented example leaves out the consumable, which Apple's answers contain.
        let listed = answer.json["latest_receipt_info"]?.array ?? []
        #expect(listed.first?["transaction_id"] == "550000000000003")
        #expect(.array(Array(listed.dropFirst())) == (try Self.json(DocumentedAnswers.exampleTransactions)))
        #expect(answer.json["pending_renewal_info"] == (try Self.json(DocumentedAnswers.exampleRenewals)))
    }

    // MARK: Every documented member

    private static func period(
        _ product: String, _ transaction: String, _ original: String, from start: String, to end: String,
        _ overrides: [String: AppStoreJSON] = [:]
    ) -> TestTransaction {
        var period = TestTransaction(
            "com.example.\(product)", transaction: transaction, original: original, at: instant(start),
            until: instant(end))
        if original == "10" { period.originalPurchaseDate = instant("2024-03-01T12:00:00Z") }
        period.overrides = overrides.merging(["webOrderLineItemId": .string("1\(transaction)")]) { left, _ in left }
        return period
    }

    private static var everyKindOfPurchase: [any TestClaims] {
        var pro = TestTransaction("com.example.pro", transaction: "20", at: instant("2024-06-20T12:00:00Z"))
        pro.revocationDate = instant("2024-06-25T12:00:00Z")
        pro.overrides["revocationReason"] = 0
        var refunded = period(
            "plus.monthly", "11", "10", from: "2024-04-01T12:00:00Z", to: "2024-05-01T12:00:00Z",
            ["revocationReason": 1])
        refunded.revocationDate = instant("2024-04-15T12:00:00Z")
        var family = period("family", "30", "30", from: "2024-03-15T12:00:00Z", to: "2024-04-15T12:00:00Z")
        (family.ownership, family.subscriptionGroupIdentifier) = (.familyShared, "21000002")
        var grace = TestRenewalInfo("com.example.plus.yearly", original: "10")
        grace.gracePeriodExpirationDate = instant("2025-01-05T12:00:00Z")
        (grace.expirationIntent, grace.isInBillingRetryPeriod) = (.billingError, true)
        grace.overrides = ["priceIncreaseStatus": 0, "offerType": 2, "offerIdentifier": "loyal"]
        var ended = TestRenewalInfo("com.example.family", original: "30")
        (ended.autoRenewStatus, ended.expirationIntent, ended.isInBillingRetryPeriod) = (.off, .canceled, false)
        ended.overrides = ["offerType": 3, "offerIdentifier": "SPRING"]
        return [
            period(
                "plus.monthly", "10", "10", from: "2024-03-01T12:00:00Z", to: "2024-04-01T12:00:00Z",
                ["offerType": 1, "offerDiscountType": "PAY_AS_YOU_GO"]), refunded,
            period(
                "plus.monthly", "12", "10", from: "2024-05-01T12:00:00Z", to: "2024-06-01T12:00:00Z",
                ["isUpgraded": true, "offerType": 3, "offerIdentifier": "SPRING"]),
            period(
                "plus.yearly", "13", "10", from: "2024-06-01T12:00:00Z", to: "2024-12-20T12:00:00Z",
                [
                    "offerType": 2, "offerIdentifier": "loyal",
                    "appAccountToken": "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
                ]), pro, family, grace, ended,
        ]
    }

    /// A receipt that names the original transactions, and nothing that happened later.
    private static var oldReceipt: TestReceipt {
        TestReceipt(purchases: [
            TestPurchase(
                subscription: "com.example.plus.monthly", transaction: "10", from: instant("2024-03-01T12:00:00Z"),
                to: instant("2024-04-01T12:00:00Z")),
            TestPurchase(
                subscription: "com.example.family", transaction: "30", from: instant("2024-03-15T12:00:00Z"),
                to: instant("2024-04-15T12:00:00Z")),
            TestPurchase("com.example.pro", transaction: "20", at: instant("2024-06-20T12:00:00Z")),
        ])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every documented member of a transaction and a renewal is in the response, with Apple's form and value")
    func everyMember() async throws {
        let answer = try await answer(to: Self.oldReceipt, Self.everyKindOfPurchase)
        #expect(answer.json["latest_receipt_info"] == (try Self.json(DocumentedAnswers.everyTransactionMember)))
        #expect(answer.json["pending_renewal_info"] == (try Self.json(DocumentedAnswers.everyRenewalMember)))
        func date(_ name: String) -> [String] { [name, "\(name)_ms", "\(name)_pst"] }
        let transaction =
            [
                "quantity", "product_id", "transaction_id", "original_transaction_id", "web_order_line_item_id",
                "is_trial_period", "is_in_intro_offer_period", "promotional_offer_id", "cancellation_reason",
                "in_app_ownership_type", "subscription_group_identifier", "is_upgraded", "app_account_token",
                "offer_code_ref_name",
            ] + ["purchase_date", "original_purchase_date", "expires_date", "cancellation_date"].flatMap(date)
        #expect(Self.names(answer.json["latest_receipt_info"]) == Set(transaction))
        let renewal =
            [
                "auto_renew_product_id", "original_transaction_id", "product_id", "auto_renew_status",
                "expiration_intent", "is_in_billing_retry_period", "price_consent_status", "price_increase_status",
                "offer_code_ref_name", "promotional_offer_id",
            ] + date("grace_period_expires_date")
        #expect(Self.names(answer.json["pending_renewal_info"]) == Set(renewal))
    }

    // MARK: Other purchases of the customer

    @available(AppReceiptServer 1.0, *)
    @Test("Purchases of the customer that the receipt doesn't name are stored, and aren't in the response")
    func otherOriginals() async throws {
        let other = Self.period("magazine", "90", "90", from: "2024-12-10T00:00:00Z", to: "2025-01-10T00:00:00Z")
        let fixture = AppStoreFixture(
            purchases: Self.everyKindOfPurchase + [other, TestRenewalInfo("com.example.magazine", original: "90")])
        let configuration = try fixture.configuration()
        try await TestServer.with {
            $0.appStore = configuration
        } _: { server async throws in
            let first = try await server.post("/sandbox/verifyReceipt", request(try Self.oldReceipt.signed()))
            #expect(first.json["latest_receipt_info"] == (try Self.json(DocumentedAnswers.everyTransactionMember)))
            #expect(first.json["pending_renewal_info"] == (try Self.json(DocumentedAnswers.everyRenewalMember)))
            let count = fixture.asked.count
            let later = TestReceipt(purchases: [TestPurchase("com.example.magazine", transaction: "90")])
            let second = try await server.post("/sandbox/verifyReceipt", request(try later.signed()))
            let latest = try #require(second.json["latest_receipt_info"]?.array)
            #expect(latest.compactMap { $0["transaction_id"]?.string } == ["90"])
            #expect(latest.first?["expires_date_ms"] == "1736467200000")
            #expect(second.json["pending_renewal_info"]?.array?.count == 1)
            #expect(second.headers["x-evidence"] == nil)
            // The answer about the first receipt contained the customer's other purchases.
            #expect(fixture.asked.count == count)
        }
    }
}
#endif
