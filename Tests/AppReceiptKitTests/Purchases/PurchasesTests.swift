import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Purchases")
struct PurchasesTests {
    @Test("purchases come oldest first, those without a date before all others")
    func oldestFirst() throws {
        let purchases = try Trial.bought(
            TestPurchase("a", transaction: "1", at: day("2024-03-01")),
            TestPurchase("b", transaction: "2", at: instant("2024-01-01T00:00:01Z")),
            TestPurchase("c", transaction: "3", at: day("2024-01-01")),
            TestPurchase("d", transaction: "4", at: day("2024-06-01")).without(1704),
            TestPurchase("e", transaction: "5", at: day("1999-12-31"))
        ).purchases()
        #expect(purchases.all.transactions == ["4", "5", "3", "2", "1"])
    }

    @Test("purchases of the same instant come in the order of their transactions' numbers")
    func numbers() throws {
        let numbers = ["999", "1000", "9", "10", "18446744073709551616", "1000000000000001", "999999999999999"]
        let trial = Trial.with { trial in
            trial.receipt.purchases =
                numbers.map { TestPurchase("a", transaction: $0, at: day("2024-01-01")) }
                + [TestPurchase("a", transaction: "5", at: day("2024-01-01")).without(1703)]
        }
        let sorted: [String?] = [
            nil, "9", "10", "999", "1000", "999999999999999", "1000000000000001", "18446744073709551616",
        ]
        #expect(try trial.purchases().all.transactions == sorted)
        #expect(try trial.unverifiedPurchases().all.transactions == sorted)
    }

    @Test("the date decides before the number")
    func dateBeforeNumber() throws {
        let purchases = try Trial.bought(
            TestPurchase("a", transaction: "1", at: day("2024-02-01")),
            TestPurchase("a", transaction: "1000", at: day("2024-01-01"))
        ).purchases()
        #expect(purchases.all.transactions == ["1000", "1"])
    }

    @Test("the order of the receipt's bytes changes no answer")
    func orderOfBytes() throws {
        for trial in try [Self.rich(), Self.rich().likeXcode()] {
            let (forward, backward) = (trial.inOrder(reversed: false), trial.inOrder(reversed: true))
            let (one, other) = (try forward.verified(), try backward.verified())
            #expect(
                one.receipt.purchases.map(\.transactionIdentifier)
                    == other.receipt.purchases.map(\.transactionIdentifier).reversed())
            #expect(one.receipt.purchases != other.receipt.purchases)
            #expect(one.purchases == other.purchases)
            #expect(one.purchases.hashValue == other.purchases.hashValue)
            #expect(try forward.unverifiedPurchases() == backward.unverifiedPurchases())
            Self.expectSameAnswers(one.purchases, other.purchases)
        }
    }

    @Test("what was verified and what the bytes say give the same answers")
    func bothSides() throws {
        for trial in try [Self.rich(), Self.rich().likeXcode(), Self.rich().inOrder(reversed: true), Trial()] {
            let bytes = try trial.encoded()
            let verified = try trial.verifier().verify(bytes, expecting: trial.expectations, now: trial.now)
            let unverified = try AppReceipt(parsing: bytes)
            #expect(verified.purchases.all.count == trial.receipt.purchases.count)
            Self.expectSameAnswers(verified.purchases, unverified.unverifiedPurchases)
            #expect(verified.originalAppPurchase == unverified.unverifiedOriginalAppPurchase)
            for date in Self.dates {
                #expect(verified.volumePurchase(at: date) == unverified.unverifiedVolumePurchase(at: date))
            }
        }
    }

    @Test("nothing is lost: duplicates by restore and equal purchases are all there")
    func duplicates() throws {
        let first = TestPurchase("pro", transaction: "1", at: day("2024-01-01"))
        let restored = first.with { purchase in
            purchase.transactionIdentifier = "2"
            purchase.originalTransactionIdentifier = "1"
        }
        let purchases = try Trial.bought(restored, first, first).purchases()
        #expect(purchases.all.transactions == ["1", "1", "2"])
    }

    @Test("sets of purchases are equal if their purchases are")
    func equality() throws {
        let pro = TestPurchase("pro", transaction: "1", at: day("2024-01-01"))
        let one = try Trial.bought(pro).purchases()
        #expect(try Trial.bought(pro).purchases() == one)
        #expect(try Trial.bought(pro.cancelled(at: day("2024-01-02"))).purchases() != one)
        #expect(try Trial.bought(pro, pro).purchases() != one)
        #expect(try Trial.bought().purchases() != one)
    }

    @Test("what the customer has now is what is active now")
    func activeNow() throws {
        let verified = try Self.rich().verified()
        for date in Self.dates where date >= verified.creationDate {
            #expect(verified.activePurchases(now: date) == verified.purchases.active(at: date))
        }
        #expect(verified.activePurchases(now: day("2024-07-10")).transactions == ["2", "11"])
        #expect(verified.activePurchases(now: day("2024-09-01")).transactions == ["2"])
    }

    @Test("a clock before the receipt was made does not count: what was active at its creation date is")
    func clockSetBack() throws {
        // Made 2024-07-02T15:04:05Z.
        let verified = try Trial.bought(
            TestPurchase(subscription: "old", transaction: "1", from: day("2024-01-01"), to: day("2024-02-01")),
            TestPurchase(
                subscription: "ends", transaction: "2", from: day("2024-06-02"), to: instant("2024-07-02T15:04:05Z")),
            TestPurchase(
                subscription: "begins", transaction: "3", from: instant("2024-07-02T15:04:05Z"), to: day("2024-08-01")),
            TestPurchase("refunded", transaction: "4", at: day("2024-01-01")).cancelled(at: day("2024-07-01")),
            TestPurchase("kept", transaction: "5", at: day("2024-01-01"))
        ).verified()
        #expect(verified.purchases.active(at: day("2024-01-15")).transactions == ["1", "4", "5"])
        for now in [
            .distantPast, day("2024-01-15"), instant("2024-07-02T15:04:04Z"), instant("2024-07-02T15:04:05Z"),
        ] {
            #expect(verified.activePurchases(now: now).transactions == ["5", "3"], "\(now)")
        }
        #expect(verified.activePurchases(now: day("2024-07-31")).transactions == ["5", "3"])
        #expect(verified.activePurchases(now: day("2024-08-01")).transactions == ["5"])
    }

    @Test("without a date it is now that counts")
    func defaultNow() throws {
        let verified = try Trial.bought(
            TestPurchase("kept", transaction: "1", at: day("2024-01-01")),
            TestPurchase(subscription: "ended", transaction: "2", from: day("2024-07-01"), to: day("2024-07-10"))
        ).verified()
        #expect(verified.purchases.active(at: verified.creationDate).transactions == ["1", "2"])
        #expect(verified.activePurchases().transactions == ["1"])
    }

    /// Every question, asked of both.
    private static func expectSameAnswers(
        _ one: some PurchaseQueries, _ other: some PurchaseQueries, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let products = ["silver", "gold", "pro", "coins", "pass", "maps", ""]
        #expect(one.all == other.all, sourceLocation: sourceLocation)
        #expect(one.byProduct == other.byProduct, sourceLocation: sourceLocation)
        #expect(one.ownedNonConsumables == other.ownedNonConsumables, sourceLocation: sourceLocation)
        #expect(one.subscriptionLines == other.subscriptionLines, sourceLocation: sourceLocation)
        for product in products {
            #expect(one.of(product: product) == other.of(product: product), sourceLocation: sourceLocation)
            #expect(one.latest(of: product) == other.latest(of: product), sourceLocation: sourceLocation)
            #expect(one.owns(product) == other.owns(product), sourceLocation: sourceLocation)
            for date in dates {
                #expect(
                    one.isActive(product, at: date) == other.isActive(product, at: date), sourceLocation: sourceLocation
                )
            }
        }
        for set in [[], Set(products), ["silver", "gold"]] {
            #expect(one.of(products: set) == other.of(products: set), sourceLocation: sourceLocation)
            #expect(one.hasUsedTrial(ofAny: set) == other.hasUsedTrial(ofAny: set), sourceLocation: sourceLocation)
            #expect(
                one.hasUsedIntroductoryPrice(ofAny: set) == other.hasUsedIntroductoryPrice(ofAny: set),
                sourceLocation: sourceLocation)
            #expect(
                one.introductoryOfferEligibility(in: set) == other.introductoryOfferEligibility(in: set),
                sourceLocation: sourceLocation)
            for date in dates {
                #expect(
                    one.isActive(anyOf: set, at: date) == other.isActive(anyOf: set, at: date),
                    sourceLocation: sourceLocation)
            }
        }
        for date in dates { #expect(one.active(at: date) == other.active(at: date), sourceLocation: sourceLocation) }
        for line in ["10", "11", "1", ""] {
            #expect(one.subscriptionLine(line) == other.subscriptionLine(line), sourceLocation: sourceLocation)
            #expect(
                one.latestTransaction(ofLine: line) == other.latestTransaction(ofLine: line),
                sourceLocation: sourceLocation)
        }
    }

    private static let dates = [
        day("2023-01-01"), day("2024-01-01"), day("2024-05-15"), day("2024-06-10"), day("2024-07-02"),
        instant("2024-07-02T15:04:05Z"), day("2024-07-10"), day("2024-08-01"), day("2024-09-01"), day("2026-01-01"),
    ]

    /// Something of everything.
    private static func rich() -> Trial {
        Trial.bought(
            TestPurchase("pro", transaction: "2", at: day("2024-02-01")).with { purchase in
                purchase.originalTransactionIdentifier = "1"
                purchase.originalPurchaseDate = day("2021-02-01")
            },
            TestPurchase("maps", transaction: "3", at: day("2024-03-01")).cancelled(at: day("2024-04-01")),
            TestPurchase("coins", transaction: "4", at: day("2024-03-01"), type: .consumable),
            TestPurchase("pass", transaction: "5", at: day("2024-03-01"), type: .nonRenewingSubscription),
            TestPurchase(
                subscription: "silver", transaction: "9", original: "9", from: day("2024-05-01"),
                to: day("2024-06-01"), isTrial: true),
            TestPurchase(
                subscription: "silver", transaction: "10", original: "9", from: day("2024-06-01"),
                to: day("2024-07-01")
            ).cancelled(at: day("2024-06-05")),
            TestPurchase(
                subscription: "gold", transaction: "11", original: "9", from: day("2024-06-05"), to: day("2024-08-05")
            ).with { $0.isInIntroductoryOfferPeriod = true },
            TestPurchase("lost", transaction: "12", at: day("2024-03-01"), type: .consumable).without(1702, 1704))
    }
}
