import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Subscription")
struct SubscriptionTests {
    @Test("A subscription contains its periods, oldest first, whatever the order of the bytes")
    func periods() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "12", "2024-03-01", "2024-04-01"), .period("silver", "1", "2024-01-01", "2024-02-01"),
            .period("silver", "2", "2024-02-01", "2024-03-01"))
        for testCase in [testCase, testCase.inOrder(reversed: false), testCase.inOrder(reversed: true)] {
            let subscription = try testCase.subscription()
            #expect(subscription.original == "1")
            #expect(subscription.periods.map { $0.copies.transactions } == [["1"], ["2"], ["12"]])
            #expect(subscription.periods.map(\.start) == [day("2024-01-01"), day("2024-02-01"), day("2024-03-01")])
            #expect(
                subscription.periods.map(\.expiration) == [day("2024-02-01"), day("2024-03-01"), day("2024-04-01")])
            #expect(subscription.periods.map(\.accessEnd) == subscription.periods.map(\.expiration))
        }
    }

    @Test("A period includes its start but not its end")
    func boundaries() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("silver", "2", "2024-02-01", "2024-03-01"))
        let subscription = try testCase.subscription()
        for (date, transaction) in [
            ("2023-12-31T23:59:59.999Z", nil), ("2024-01-01T00:00:00Z", "1"), ("2024-01-31T23:59:59.999Z", "1"),
            ("2024-02-01T00:00:00Z", "2"), ("2024-02-29T23:59:59.999Z", "2"), ("2024-03-01T00:00:00Z", nil),
        ] {
            #expect(
                subscription.periods.map { $0.isActive(at: instant(date)) } == [transaction == "1", transaction == "2"])
            let silver = try testCase.entitlement(at: date)
            #expect(silver.isActive == (transaction != nil))
            if let transaction { #expect(silver.transactionIdentifier == transaction) }
        }
    }

    @Test("An interrupted subscription is one subscription, not active in the gap")
    func gaps() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("silver", "2", "2024-05-01", "2024-06-01"))
        #expect(try testCase.subscription().periods.count == 2)
        for (date, isActive) in [
            ("2024-01-31", true), ("2024-02-01", false), ("2024-04-30", false), ("2024-05-01", true),
        ] {
            #expect(try testCase.entitlement(at: date).isActive == isActive)
        }
        #expect(try testCase.entitlement(at: "2024-03-15").transactionIdentifier == "1")
    }

    @Test("Periods of other products end the earlier one, refunded or not")
    func successors() throws {
        let noon = "2024-01-10T12:00:00Z"
        for canceled in [nil, instant(noon)] {
            let subscription = try ReceiptTestCase.bought(
                .period("silver", "1", "2024-01-01", "2024-02-01").with { $0.cancellationDate = canceled },
                .period("gold", "2", noon, "2025-01-10").canceled("2024-03-01"),
                .period("silver", "3", "2025-01-10", "2025-02-10")
            ).subscription()
            #expect(subscription.periods.map(\.transaction.productIdentifier) == ["silver", "gold", "silver"])
            #expect(subscription.periods.map(\.accessEnd) == [instant(noon), day("2024-03-01"), day("2025-02-10")])
            #expect(subscription.periods.first?.expiration == day("2024-02-01"))
        }
    }

    @Test("Periods of different products that begin in the same second don't end one another")
    func sameSecond() throws {
        let subscription = try ReceiptTestCase.bought(
            .period("gold", "1", "2024-01-01", "2024-03-01"), .period("silver", "2", "2024-01-01", "2024-02-01"),
            .period("gold", "3", "2024-01-15", "2024-02-15")
        ).subscription()
        #expect(subscription.periods.map(\.transaction.productIdentifier) == ["silver", "gold", "gold"])
        #expect(subscription.periods.map(\.accessEnd) == [day("2024-01-15"), day("2024-03-01"), day("2024-02-15")])
    }

    @Test("Of overlapping periods of one product, the one that lasts longest determines the entitlement")
    func overlaps() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-03-01").canceled("2024-01-10"),
            .period("silver", "2", "2024-01-05", "2024-02-01"), .period("silver", "3", "2024-01-20", "2024-02-10"))
        for (date, transaction) in [
            ("2024-01-04", "1"), ("2024-01-05", "2"), ("2024-01-10", "2"), ("2024-01-20", "3"), ("2024-02-09", "3"),
        ] {
            let silver = try testCase.entitlement(at: date)
            #expect(silver.isActive, "\(date)")
            #expect(silver.transactionIdentifier == transaction, "\(date)")
        }
        #expect(try !testCase.entitlement(at: "2024-02-10").isActive)
        let nested = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2025-01-01"), .period("silver", "2", "2024-03-01", "2024-04-01"))
        #expect(try nested.entitlement(at: "2024-03-15").transactionIdentifier == "1")
        #expect(try nested.entitlement(at: "2024-06-01").transactionIdentifier == "1")
    }

    @Test(
        "A refund ends a period at its date, unless the period ended before",
        arguments: [
            ("2024-01-10T12:00:00Z", "2024-01-10T12:00:00Z"), ("2024-02-01T00:00:00Z", "2024-02-01T00:00:00Z"),
            ("2024-06-01T00:00:00Z", "2024-02-01T00:00:00Z"), ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
            ("2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ])
    func refund(_ cancellation: String, _ end: String) throws {
        let testCase = ReceiptTestCase.bought(.period("silver", "1", "2024-01-01", "2024-02-01").canceled(cancellation))
        let subscription = try testCase.subscription()
        #expect(subscription.periods.map(\.start) == [day("2024-01-01")])
        #expect(subscription.periods.map(\.accessEnd) == [instant(end)])
        #expect(subscription.periods.first?.transaction.cancellationDate == instant(cancellation))
        #expect(try !testCase.entitlement(at: end).isActive)
        let before = try testCase.verified().entitlements(at: instant(end) - 1)
        #expect(before.isActive("silver") == (instant(end) > day("2024-01-01")))
    }

    @Test(
        "A period that ends when it begins, or before, doesn't provide access", arguments: ["2024-01-10", "2024-01-05"])
    func emptyPeriod(_ end: String) throws {
        let testCase = ReceiptTestCase.bought(.period("silver", "1", "2024-01-10", end))
        let period = try #require(try testCase.subscription().periods.first)
        #expect(period.start == day(end))
        #expect(period.accessEnd == day(end))
        for date in ["2024-01-01", "2024-01-05", "2024-01-07", "2024-01-10", "2024-01-11"] {
            #expect(try !testCase.entitlement(at: date).isActive)
        }
    }

    @Test("Copies of a transaction are one period")
    func copies() throws {
        let january = TestPurchase.period("silver", "100", "2024-01-01", "2024-02-01", original: "100")
        let subscription = try ReceiptTestCase.bought(
            january.with {
                $0.transactionIdentifier = "1000"; $0.originalTransactionIdentifier = "100"
            },
            january.with {
                $0.transactionIdentifier = "999"; $0.originalTransactionIdentifier = "100"
            }, january,
            .period("silver", "101", "2024-02-01", "2024-03-01", original: "100")
        ).subscription()
        #expect(subscription.periods.map { $0.copies.transactions } == [["100", "999", "1000"], ["101"]])
        #expect(subscription.periods.map { $0.transaction.transactionIdentifier } == ["1000", "101"])
    }

    @Test(
        "Transactions that differ in product or start are separate periods",
        arguments: [
            .period("gold", "2", "2024-01-01", "2024-02-01"), .period("silver", "2", "2024-01-02", "2024-02-01"),
            .period("silver", "2", "2024-01-01", "2024-02-01").without(1702),
        ] as [TestPurchase])
    func otherPeriods(_ other: TestPurchase) throws {
        #expect(
            try ReceiptTestCase.bought(.period("silver", "1", "2024-01-01", "2024-02-01"), other).subscription().periods
                .count
                == 2)
    }

    @Test("Subscriptions are sorted by their first periods")
    func severalSubscriptions() throws {
        let testCase = ReceiptTestCase.bought(
            .period("news", "20", "2024-02-01", "2024-03-01", original: "20"),
            .period("silver", "30", "2024-01-01", "2024-02-01", original: "30"),
            .period("news", "31", "2024-03-01", "2024-04-01", original: "20"),
            .period("silver", "21", "2024-02-15", "2024-03-15", original: "30"),
            .period("music", "9", "2024-02-01", "2024-03-01", original: "9"))
        for testCase in [testCase, testCase.inOrder(reversed: false), testCase.inOrder(reversed: true)] {
            let subscriptions = try testCase.subscriptions()
            #expect(subscriptions.map(\.original) == ["30", "9", "20"])
            #expect(
                subscriptions.map { $0.periods.flatMap { $0.copies.transactions } } == [
                    ["30", "21"], ["9"], ["20", "31"],
                ])
        }
    }

    @Test("A first transaction without an original belongs to the subscription of its renewals")
    func firstWithoutOriginal() throws {
        let subscription = try ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01").without(1705),
            .period("silver", "2", "2024-02-01", "2024-03-01")
        ).subscription()
        #expect(subscription.periods.map { $0.copies.transactions } == [["1"], ["2"]])
    }

    @Test("A period counts without transaction identifier and product type")
    func withoutAttributes() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "2", "2024-02-01", "2024-03-01").without(1703),
            .period("silver", "3", "2024-03-01", "2024-04-01").without(1707))
        #expect(try testCase.subscription().periods.count == 2)
        #expect(try testCase.entitlement(at: "2024-02-15").state == .active)
        #expect(try testCase.entitlement(at: "2024-02-15").transactionIdentifier == nil)
        #expect(try testCase.entitlement(at: "2024-03-15").state == .active)
    }

    @Test(
        "A transaction without a start or an end doesn't provide access or end another period", arguments: [1704, 1708])
    func withoutDates(_ type: Int) throws {
        let undated = TestPurchase.period("silver", "2", "2024-02-01", "2024-03-01").without(type)
        for date in ["2023-12-31", "2024-02-01", "2024-02-15", "2024-03-01", "2025-01-01"] {
            let silver = try ReceiptTestCase.bought(undated).entitlement(at: date)
            #expect(!silver.isActive)
            #expect(silver.kind == .subscription)
        }
        let testCase = ReceiptTestCase.bought(undated, .period("silver", "1", "2024-01-01", "2024-02-01"))
        #expect(try testCase.entitlement(at: "2024-01-15").state == .active)
        #expect(try !testCase.entitlement(at: "2024-02-15").isActive)
    }

    @Test("A subscription without any date has no entitlement")
    func withoutAnyDate() throws {
        let testCase = ReceiptTestCase.bought(.period("silver", "1", "2024-01-01", "2024-02-01").without(1704, 1708))
        #expect(try testCase.subscriptions().isEmpty)
        #expect(try testCase.entitlements().all.isEmpty)
        #expect(try testCase.purchases().count == 1)
    }

    @Test(
        "Other types of products have no periods",
        arguments: [InAppPurchase.ProductType.nonConsumable, .consumable, .nonRenewingSubscription])
    func otherTypes(_ type: InAppPurchase.ProductType) throws {
        for end in [nil, day("2024-02-01")] {
            let thing = TestPurchase("thing", transaction: "1", at: day("2024-01-01"), type: type)
            #expect(try ReceiptTestCase.bought(thing.with { $0.expirationDate = end }).subscriptions().isEmpty)
        }
    }

    @Test("In Xcode's receipts, the periods of a product are one subscription")
    func xcode() throws {
        let testCase = try ReceiptTestCase.bought(
            .period("silver", "0", "2024-01-01", "2024-02-01"), .period("silver", "1", "2024-02-01", "2024-03-01"),
            .period("gold", "0", "2024-01-02", "2024-02-02"), .kept("pro", "2", "2024-01-15")
        ).likeXcode()
        let subscriptions = try testCase.subscriptions()
        #expect(subscriptions.map(\.original) == ["silver", "gold"])
        #expect(
            subscriptions.map { $0.periods.map(\.transaction.productIdentifier) } == [["silver", "silver"], ["gold"]])
        let silver = try #require(try testCase.entitlements(at: "2024-02-15")["silver"])
        #expect(silver.state == .active)
        #expect(silver.since == day("2024-01-01"))
        #expect(silver.originalTransactionIdentifier == nil)
        #expect(silver.transactionIdentifier == "1")
    }

    @Test("Xcode's transactions with the same identifier are distinguished by product and date")
    func xcodeIdentifiers() throws {
        let testCase = try ReceiptTestCase.bought(
            .period("silver", "0", "2024-01-01", "2024-02-01"), .period("silver", "0", "2024-02-01", "2024-03-01"),
            .period("gold", "0", "2024-01-01", "2024-02-01"), .kept("pro", "0", "2024-01-01")
        ).likeXcode()
        let entitlements = try testCase.entitlements(at: "2024-02-15")
        #expect(entitlements.transactions.count == 4)
        #expect(entitlements.active.products == ["pro", "silver"])
    }
}
