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

    @Test("A restored copy of what was upgraded or refunded is gone with it, also where one writes milliseconds")
    func restoredCopies() throws {
        let middle = instant("2024-07-15T00:00:00Z")
        for fraction in [0, 0.123] {
            let start = june.addingTimeInterval(fraction), end = august.addingTimeInterval(fraction)
            let restored = TestPurchase(
                subscription: "com.example.plus", transaction: "9", original: "2", from: june, to: august)
            let receipt = try receipt([restored])
            let upgraded = try verified(
                TestTransaction("com.example.plus", transaction: "3", original: "2", at: start, until: end).with {
                    $0.overrides = ["isUpgraded": true]
                })
            let refunded = try verified(
                TestTransaction("com.example.plus", transaction: "3", original: "2", at: start, until: end).with {
                    $0.revocationDate = july
                })
            #expect(Purchases(receipt: receipt, transactions: []).isActive("com.example.plus", at: middle))
            for gone in [upgraded, refunded] {
                let purchases = Purchases(receipt: receipt, transactions: [gone])
                #expect(!purchases.isActive("com.example.plus", at: middle))
                #expect(purchases.subscriptionLine("2")?.periods.count == 1)
                #expect(purchases.subscriptionLine("2")?.isActive(at: middle) == false)
            }
        }
    }

    @Test("A grace period is that of the product that renews, not of what was upgraded")
    func graceOfProduct() throws {
        let december = instant("2024-12-01T00:00:00Z")
        let yearly = try verified(
            TestTransaction("com.example.yearly", transaction: "1", original: "1", at: june, until: december).with {
                $0.overrides = ["isUpgraded": true]
            })
        let monthly = try verified(
            TestTransaction("com.example.monthly", transaction: "2", original: "1", at: july, until: august))
        let made = TestRenewalInfo("com.example.monthly", original: "1").with {
            $0.gracePeriodExpirationDate = instant("2024-08-16T00:00:00Z")
        }
        let renewal = try verifier.verifyRenewalInfo(made.signed(), expecting: expectations, now: now)
        let purchases = Purchases(transactions: [yearly, monthly], renewals: [renewal])
        #expect(
            purchases.active(at: instant("2024-08-10T00:00:00Z")).map(\.productIdentifier) == ["com.example.monthly"])
        // A grace period that ends before the period does not shorten it.
        let short = TestRenewalInfo("com.example.monthly", original: "1").with { $0.gracePeriodExpirationDate = july }
        let early = try verifier.verifyRenewalInfo(short.signed(), expecting: expectations, now: now)
        #expect(
            Purchases(transactions: [monthly], renewals: [early]).isActive(
                "com.example.monthly", at: instant("2024-07-20T00:00:00Z")))
    }

    @Test("Of copies signed at the same time the refunded one counts, and what only an older copy knows is kept")
    func equalCopies() throws {
        func copy(_ signed: String, _ overrides: [String: JSONValue] = [:], refunded: Date? = nil) throws
            -> VerifiedTransaction
        {
            try verified(
                TestTransaction("com.example.pro", transaction: "1", at: june).with {
                    $0.signedDate = instant(signed)
                    $0.revocationDate = refunded
                    $0.overrides = overrides
                })
        }
        let day = "2024-07-20T00:00:00Z"
        for order in [[0, 1], [1, 0]] {
            let copies = try [copy(day), copy(day, refunded: july)]
            #expect(!Purchases(transactions: order.map { copies[$0] }).owns("com.example.pro"))
        }
        // New, oldest, middle: the newest stays the one that counts.
        let three = try [
            copy("2024-07-25T00:00:00Z"), copy("2024-07-05T00:00:00Z", refunded: july),
            copy("2024-07-15T00:00:00Z", refunded: july),
        ]
        #expect(Purchases(transactions: three).owns("com.example.pro"))
        // The receipt was signed 2024-07-02, after this copy, and knows no upgrade.
        let plus = TestTransaction("com.example.plus", transaction: "5", at: june, until: august).with {
            $0.signedDate = instant("2024-06-20T00:00:00Z")
            $0.overrides = ["isUpgraded": true]
        }
        let receipt = try receipt([
            TestPurchase(subscription: "com.example.plus", transaction: "5", from: june, to: august)
        ])
        #expect(!Purchases(receipt: receipt, transactions: [try verified(plus)]).isActive("com.example.plus", at: july))
    }

    @Test("Of two copies of renewal information the later counts, in whatever order")
    func renewalOrder() throws {
        let period = try verified(TestTransaction("com.example.plus", transaction: "1", at: july, until: august))
        func renewal(_ signed: String, _ grace: Date?) throws -> VerifiedRenewalInfo {
            let made = TestRenewalInfo("com.example.plus", original: "1").with {
                $0.signedDate = instant(signed)
                $0.gracePeriodExpirationDate = grace
            }
            return try verifier.verifyRenewalInfo(made.signed(), expecting: expectations, now: now)
        }
        let grace = try renewal("2024-08-01T00:00:01Z", september), over = try renewal("2024-08-05T00:00:00Z", nil)
        for renewals in [[grace, over], [over, grace]] {
            #expect(
                !Purchases(transactions: [period], renewals: renewals).isActive(
                    "com.example.plus", at: instant("2024-08-10T00:00:00Z")))
        }
    }

    @Test("Xcode's transactions of number 0 are each their own")
    func xcode() throws {
        var expected = expectations
        expected.environments = [.xcode]
        let xcode = SignedDataVerifier(xcode: try XcodeTrust(certificates: [TestPKI.xcodeTokens.der()]))
        let transactions = try ["a", "b"].map { product in
            let made = TestTransaction(product, transaction: "0", original: "0", at: june, until: august).with {
                $0.environment = .xcode
            }
            return try xcode.verifyTransaction(made.signedLikeXcode(), expecting: expected, now: now)
        }
        let purchases = Purchases(transactions: transactions)
        #expect(purchases.all.count == 2)
        #expect(purchases.all.allSatisfy { $0.originalTransactionIdentifier == nil })
        #expect(purchases.subscriptionLines.count == 2)
    }

    @Test("What says of no type that it is kept is not owned, but for Xcode's")
    func untyped() throws {
        let made = TestTransaction("com.example.pro", transaction: "1", at: june).with {
            $0.overrides = ["type": .null]
        }
        #expect(!Purchases(transactions: [try verified(made)]).owns("com.example.pro"))
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
