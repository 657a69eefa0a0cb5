import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("Purchases of signed data")
struct PurchasesTests {
    private func verified(_ transaction: TestTransaction) throws -> VerifiedTransaction {
        try verifier.verifyTransaction(transaction.signed(), expecting: expectations, now: now)
    }

    private func receipt(_ purchases: [TestPurchase]) throws -> VerifiedReceipt {
        let made = TestReceipt().with { $0.purchases = purchases }
        return try ReceiptVerifier(anchors: TestPKI.standard.anchors).verify(
            made.signed(), expecting: Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox]),
            now: now)
    }

    private let june = instant("2024-06-01T00:00:00Z")
    private let july = instant("2024-07-01T00:00:00Z")
    private let august = instant("2024-08-01T00:00:00Z")
    private let september = instant("2024-09-01T00:00:00Z")

    @Test("Receipt and signed transactions are asked as one")
    func together() throws {
        let receipt = try receipt([TestPurchase("com.example.pro", transaction: "1", at: june)])
        let transaction = try verified(
            TestTransaction("com.example.plus", transaction: "3", original: "2", at: july, until: august))
        let purchases = Purchases(receipt: receipt, transactions: [transaction])
        #expect(purchases.all.map(\.transactionIdentifier) == ["1", "3"])
        #expect(purchases.owns("com.example.pro"))
        #expect(purchases.isActive("com.example.plus", at: instant("2024-07-15T00:00:00Z")))
        #expect(!purchases.isActive("com.example.plus", at: august))
        #expect(purchases.subscriptionLine("2")?.periods.count == 1)
    }

    @Test("A transaction that both know is there once, and the copy signed last says whether it was refunded")
    func copies() throws {
        let receipt = try receipt([TestPurchase("com.example.pro", transaction: "1", at: june)])
        func copy(_ signed: String, refunded: Date?) throws -> VerifiedTransaction {
            try verified(
                TestTransaction("com.example.pro", transaction: "1", at: june).with {
                    $0.signedDate = instant(signed)
                    $0.revocationDate = refunded
                })
        }
        // The receipt was signed 2024-07-02.
        let refunded = try copy("2024-07-20T00:00:00Z", refunded: july)
        let reversed = try copy("2024-07-25T00:00:00Z", refunded: nil)
        let old = try copy("2024-06-20T00:00:00Z", refunded: june)
        #expect(!Purchases(receipt: receipt, transactions: [refunded]).owns("com.example.pro"))
        #expect(Purchases(receipt: receipt, transactions: [old]).owns("com.example.pro"))
        for order in [[refunded, reversed, old], [old, reversed, refunded], [reversed, refunded]] {
            let purchases = Purchases(receipt: receipt, transactions: order)
            #expect(purchases.all.count == 1)
            #expect(purchases.owns("com.example.pro"))
            #expect(purchases.all.first?.ownership == .purchased)
        }
    }

    @Test("The same number in another environment is another transaction")
    func environments() throws {
        var both = expectations
        both.environments = [.sandbox, .production]
        let refunded = TestTransaction("com.example.pro", transaction: "1", at: june).with {
            $0.environment = .production
            $0.signedDate = instant("2024-07-20T00:00:00Z")
            $0.revocationDate = july
        }
        let production = try verifier.verifyTransaction(refunded.signed(), expecting: both, now: now)
        let sandbox = try verified(TestTransaction("com.example.pro", transaction: "1", at: june))
        #expect(Purchases(transactions: [production, sandbox]).all.count == 2)
    }

    @Test("What was upgraded grants nothing, and its period ends where the next begins")
    func upgrades() throws {
        let first = try verified(
            TestTransaction("com.example.plus", transaction: "1", at: june, until: august).with {
                $0.overrides = ["isUpgraded": true]
            })
        let second = try verified(
            TestTransaction("com.example.max", transaction: "2", original: "1", at: july, until: september))
        let purchases = Purchases(transactions: [second, first])
        let middle = instant("2024-07-15T00:00:00Z")
        #expect(purchases.active(at: middle).map(\.productIdentifier) == ["com.example.max"])
        #expect(purchases.subscriptionLine("1")?.periods.map(\.end) == [july, september])
        #expect(Purchases(transactions: [first]).subscriptionLine("1")?.isActive(at: middle) == false)
    }

    @Test("Renewal information extends the last period of its line by the grace period")
    func gracePeriod() throws {
        let periods = try [("1", june, july), ("2", july, august)].map { number, start, end in
            try verified(TestTransaction("com.example.plus", transaction: number, original: "1", at: start, until: end))
        }
        func renewal(_ signed: String, grace: Date?, line: String = "1") throws -> VerifiedRenewalInfo {
            let made = TestRenewalInfo("com.example.plus", original: line).with {
                $0.signedDate = instant(signed)
                $0.gracePeriodExpirationDate = grace
            }
            return try verifier.verifyRenewalInfo(made.signed(), expecting: expectations, now: now)
        }
        let late = instant("2024-08-10T00:00:00Z")
        let grace = try renewal("2024-08-01T00:00:01Z", grace: instant("2024-08-17T00:00:00Z"))
        #expect(!Purchases(transactions: periods).isActive("com.example.plus", at: late))
        let extended = Purchases(transactions: periods, renewals: [grace])
        #expect(extended.isActive("com.example.plus", at: late))
        #expect(extended.subscriptionLine("1")?.isActive(at: late) == true)
        #expect(!extended.isActive("com.example.plus", at: instant("2024-08-17T00:00:00Z")))
        #expect(extended.all.map(\.gracePeriodExpirationDate) == [nil, instant("2024-08-17T00:00:00Z")])
        // Later information without a grace period ends it; another line's does not concern it.
        let over = try renewal("2024-08-05T00:00:00Z", grace: nil)
        #expect(!Purchases(transactions: periods, renewals: [over, grace]).isActive("com.example.plus", at: late))
        let other = try renewal("2024-08-01T00:00:01Z", grace: september, line: "7")
        #expect(!Purchases(transactions: periods, renewals: [other]).isActive("com.example.plus", at: late))
    }

    @Test("Products of a type that nobody knows are not kept for ever")
    func unknownType() throws {
        let made = TestTransaction("com.example.lease", transaction: "1", at: june).with {
            $0.productType = SignedProductType(rawValue: "Lease")
        }
        #expect(!Purchases(transactions: [try verified(made)]).owns("com.example.lease"))
        let consumable = TestTransaction("com.example.coins", transaction: "2", at: june).with {
            $0.productType = .consumable
        }
        #expect(!Purchases(transactions: [try verified(consumable)]).owns("com.example.coins"))
    }

    @Test("Offers are those that a receipt would name")
    func offers() throws {
        func purchase(_ overrides: [String: JSONValue]) throws -> Purchase {
            try verified(
                TestTransaction("p", transaction: "1", at: june, until: july).with { $0.overrides = overrides }
            ).purchase
        }
        let trial = try purchase(["offerType": 1, "offerDiscountType": "FREE_TRIAL"])
        #expect(trial.isTrialPeriod == true && trial.isInIntroductoryOfferPeriod == false)
        let introductory = try purchase(["offerType": 1, "offerDiscountType": "PAY_AS_YOU_GO"])
        #expect(introductory.isTrialPeriod == false && introductory.isInIntroductoryOfferPeriod == true)
        let promotional = try purchase(["offerType": 2, "offerIdentifier": "summer"])
        #expect(promotional.promotionalOfferIdentifier == "summer" && promotional.isTrialPeriod == false)
        #expect(try purchase(["webOrderLineItemId": "123"]).webOrderLineItemIdentifier == 123)
    }
}
