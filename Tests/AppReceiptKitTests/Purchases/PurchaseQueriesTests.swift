import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("PurchaseQueries")
struct PurchaseQueriesTests {
    @Test("the purchases of a product come oldest first, refunded ones included")
    func ofProduct() throws {
        let purchases = try Trial.bought(
            Self.period("silver", "3", "2024-03-01", "2024-04-01"), Self.kept("pro", "4", "2024-01-15"),
            Self.period("silver", "1", "2024-01-01", "2024-02-01").cancelled(at: day("2024-01-02")),
            Self.period("silver", "2", "2024-02-01", "2024-03-01")
        ).purchases()
        #expect(purchases.of(product: "silver").transactions == ["1", "2", "3"])
        #expect(purchases.of(product: "pro").transactions == ["4"])
        #expect(purchases.of(product: "gold").isEmpty)
        #expect(purchases.of(product: "Silver").isEmpty)
        #expect(purchases.of(product: "").isEmpty)
    }

    @Test("the purchases of several products come oldest first, mixed")
    func ofProducts() throws {
        let purchases = try Trial.bought(
            Self.period("silver", "1", "2024-01-01", "2024-02-01"), Self.kept("pro", "3", "2024-02-15"),
            Self.period("gold", "2", "2024-02-01", "2024-03-01"), Self.period("silver", "4", "2024-03-01", "2024-04-01")
        ).purchases()
        #expect(purchases.of(products: ["silver", "gold", "bronze"]).transactions == ["1", "2", "4"])
        #expect(purchases.of(products: ["pro"]).transactions == ["3"])
        #expect(purchases.of(products: []).isEmpty)
    }

    @Test("by product each list is the product's own, and what names no product is in none of them")
    func byProduct() throws {
        let purchases = try Trial.bought(
            Self.period("silver", "2", "2024-02-01", "2024-03-01"), Self.kept("pro", "3", "2024-02-15"),
            Self.period("silver", "1", "2024-01-01", "2024-02-01"), Self.kept("lost", "9", "2024-01-01").without(1702)
        ).purchases()
        #expect(purchases.all.count == 4)
        #expect(purchases.byProduct.mapValues(\.transactions) == ["silver": ["1", "2"], "pro": ["3"]])
        for (product, list) in purchases.byProduct { #expect(purchases.of(product: product) == list) }
        #expect(purchases.of(product: "").isEmpty)
    }

    @Test("what names no product gives something, but no product")
    func withoutProduct() throws {
        let purchases = try Trial.bought(Self.kept("pro", "1", "2024-01-01").without(1702)).purchases()
        #expect(purchases.active(at: day("2024-02-01")).transactions == ["1"])
        #expect(purchases.ownedNonConsumables.transactions == ["1"])
        #expect(!purchases.isActive("pro", at: day("2024-02-01")) && !purchases.isActive("", at: day("2024-02-01")))
        #expect(!purchases.owns("pro") && !purchases.owns(""))
        #expect(purchases.latest(of: "") == nil)
    }

    @Test("a non-consumable of which one copy was refunded is gone, and one bought anew is not")
    func refundedCopy() throws {
        let bought = TestPurchase("pro", transaction: "1", at: day("2024-01-01")).cancelled(at: day("2024-01-10"))
        let restored = TestPurchase("pro", transaction: "2", at: day("2024-01-05")).with {
            $0.originalTransactionIdentifier = "1"
        }
        let gone = try Trial.bought(bought, restored).purchases()
        #expect(!gone.owns("pro") && gone.ownedNonConsumables.isEmpty)
        #expect(gone.isActive("pro", at: day("2024-01-09")) && !gone.isActive("pro", at: day("2024-01-10")))
        let anew = TestPurchase("pro", transaction: "3", at: day("2024-02-01"))
        let owned = try Trial.bought(bought, restored, anew).purchases()
        #expect(owned.owns("pro") && owned.ownedNonConsumables.transactions == ["3"])
        #expect(owned.isActive("pro", at: day("2024-02-01")) && !owned.isActive("pro", at: day("2024-01-20")))
    }

    @Test("an empty receipt answers every question with nothing")
    func empty() throws {
        let purchases = try Trial.bought().purchases()
        #expect(purchases.all.isEmpty && purchases.byProduct.isEmpty && purchases.ownedNonConsumables.isEmpty)
        #expect(purchases.of(product: "pro").isEmpty && purchases.of(products: ["pro"]).isEmpty)
        #expect(purchases.latest(of: "pro") == nil && !purchases.owns("pro"))
        #expect(purchases.active(at: day("2024-01-01")).isEmpty && !purchases.isActive("pro", at: day("2024-01-01")))
        #expect(purchases.subscriptionLines.isEmpty && purchases.subscriptionLine("1") == nil)
        #expect(purchases.latestTransaction(ofLine: "1") == nil)
    }

    @Test("the latest of a subscription is the period that was bought last, refunded or not")
    func latestPeriod() throws {
        let january = Self.period("silver", "1", "2024-01-01", "2024-02-01")
        let february = Self.period("silver", "2", "2024-02-01", "2024-03-01")
        #expect(try Trial.bought(january, february).purchases().latest(of: "silver")?.transactionIdentifier == "2")
        let refunded = february.cancelled(at: day("2024-02-02"))
        let latest = try Trial.bought(january, refunded).purchases().latest(of: "silver")
        #expect(latest?.transactionIdentifier == "2" && latest?.cancellationDate == day("2024-02-02"))
        // After a refunded year a month counts, though the year would have ended later.
        let year = Self.period("silver", "0", "2023-06-01", "2024-06-01").cancelled(at: day("2023-07-01"))
        #expect(
            try Trial.bought(january, february, year).purchases().latest(of: "silver")?.transactionIdentifier == "2")
        #expect(try Trial.bought(january, february).purchases().latest(of: "gold") == nil)
    }

    @Test("of two transactions of the same period the later one is the latest, by date and then by number")
    func latestOfSamePeriod() throws {
        let nine = Self.period("silver", "9", "2024-01-01", "2024-02-01")
        let ten = Self.period("silver", "10", "2024-01-01", "2024-02-01")
        let later = Self.period("silver", "8", "2024-01-02", "2024-02-01")
        for list in [[nine, ten], [ten, nine]] {
            let trial = Trial.with { $0.receipt.purchases = list }
            #expect(try trial.purchases().latest(of: "silver")?.transactionIdentifier == "10")
        }
        #expect(try Trial.bought(nine, later, ten).purchases().latest(of: "silver")?.transactionIdentifier == "8")
    }

    @Test(
        "the latest of what has no end is what was bought last, refunded or not",
        arguments: [
            InAppPurchase.ProductType.nonConsumable, .consumable, .nonRenewingSubscription,
        ])
    func latestPurchase(_ type: InAppPurchase.ProductType) throws {
        let purchases = try Trial.bought(
            TestPurchase("thing", transaction: "3", at: day("2024-03-01"), type: type),
            TestPurchase("thing", transaction: "4", at: day("2024-04-01"), type: type)
                .cancelled(at: day("2024-04-02")),
            TestPurchase("thing", transaction: "5", at: day("2024-02-01"), type: type)
        ).purchases()
        #expect(purchases.latest(of: "thing")?.transactionIdentifier == "4")
    }

    @Test("what has no dates is the latest only if there is nothing else")
    func latestWithoutDates() throws {
        let undated = Self.kept("pro", "99", "2024-05-01").without(1704)
        #expect(try Trial.bought(undated).purchases().latest(of: "pro")?.transactionIdentifier == "99")
        let dated = Self.kept("pro", "1", "2024-01-01")
        #expect(try Trial.bought(undated, dated).purchases().latest(of: "pro")?.transactionIdentifier == "1")
    }

    @Test("active is what gives something at the date, oldest first")
    func active() throws {
        let purchases = try Self.shop().purchases()
        for (date, transactions) in [
            ("2023-12-31T23:59:59Z", []), ("2024-01-01T00:00:00Z", ["1"]), ("2024-01-15T00:00:00Z", ["1", "20"]),
            ("2024-01-31T23:59:59Z", ["1", "20"]), ("2024-02-01T00:00:00Z", ["20", "2"]),
            // Upgraded to gold at noon.
            ("2024-02-10T11:59:59Z", ["20", "2"]), ("2024-02-10T12:00:00Z", ["20", "3"]),
            // The non-consumable is refunded.
            ("2024-02-19T23:59:59Z", ["20", "3"]), ("2024-02-20T00:00:00Z", ["3"]),
            ("2024-03-10T11:59:59Z", ["3"]), ("2024-03-10T12:00:00Z", []), ("2030-01-01T00:00:00Z", []),
        ] as [(String, [String?])] {
            #expect(purchases.active(at: instant(date)).transactions == transactions, "\(date)")
        }
    }

    @Test("a product is active if one of its purchases is, and several are if one of them is")
    func isActive() throws {
        let purchases = try Self.shop().purchases()
        let dates = [
            "2023-12-31T23:59:59Z", "2024-01-01T00:00:00Z", "2024-01-15T00:00:00Z", "2024-02-01T00:00:00Z",
            "2024-02-10T11:59:59Z", "2024-02-10T12:00:00Z", "2024-02-20T00:00:00Z", "2024-03-10T12:00:00Z",
        ]
        let sets: [Set<String>] = [
            [], ["silver"], ["silver", "gold"], ["gold", "pro"], ["coins", "pass"], ["other"],
        ]
        for date in dates.map(instant) {
            let products = Set(purchases.active(at: date).compactMap(\.productIdentifier))
            for product in ["silver", "gold", "pro", "coins", "pass", "other", ""] {
                #expect(purchases.isActive(product, at: date) == products.contains(product), "\(product) at \(date)")
            }
            for set in sets {
                #expect(
                    purchases.isActive(anyOf: set, at: date) == !set.isDisjoint(with: products), "\(set) at \(date)")
            }
        }
        #expect(purchases.isActive("silver", at: instant("2024-02-10T11:59:59Z")))
        #expect(!purchases.isActive("silver", at: instant("2024-02-10T12:00:00Z")))
        #expect(purchases.isActive(anyOf: ["silver", "gold"], at: instant("2024-02-10T12:00:00Z")))
        #expect(!purchases.isActive(anyOf: [], at: instant("2024-02-10T12:00:00Z")))
    }

    @Test("a product is active while any of its overlapping periods is")
    func overlapping() throws {
        let purchases = try Trial.bought(
            Self.period("silver", "1", "2024-01-01", "2024-03-01").cancelled(at: day("2024-01-10")),
            Self.period("silver", "2", "2024-01-05", "2024-02-01"),
            Self.period("silver", "3", "2024-01-20", "2024-02-10")
        ).purchases()
        #expect(purchases.active(at: day("2024-01-05")).transactions == ["1", "2"])
        #expect(purchases.active(at: day("2024-01-10")).transactions == ["2"])
        #expect(purchases.active(at: day("2024-01-20")).transactions == ["2", "3"])
        #expect(purchases.isActive("silver", at: day("2024-02-01")))
        #expect(!purchases.isActive("silver", at: day("2024-02-10")))
    }

    @Test("owned are the non-consumables that were not refunded, and nothing else")
    func owned() throws {
        let purchases = try Trial.bought(
            Self.kept("pro", "3", "2024-03-01"), Self.kept("themes", "1", "2024-01-01"),
            Self.kept("maps", "2", "2024-02-01").cancelled(at: day("2024-02-05")),
            TestPurchase("coins", transaction: "4", at: day("2024-01-01"), type: .consumable),
            TestPurchase("pass", transaction: "5", at: day("2024-01-01"), type: .nonRenewingSubscription),
            Self.period("silver", "6", "2024-01-01", "2100-01-01"),
            TestPurchase("riddle", transaction: "7", at: day("2024-01-01"), type: .init(rawValue: 4))
        ).purchases()
        #expect(purchases.ownedNonConsumables.transactions == ["1", "3"])
        for (product, isOwned) in [
            ("pro", true), ("themes", true), ("maps", false), ("coins", false), ("pass", false), ("silver", false),
            ("riddle", false), ("", false),
        ] {
            #expect(purchases.owns(product) == isOwned, "\(product)")
        }
    }

    @Test("bought again after a refund it is owned again")
    func ownedAgain() throws {
        let purchases = try Trial.bought(
            Self.kept("pro", "1", "2024-01-01").cancelled(at: day("2024-01-05")), Self.kept("pro", "2", "2024-06-01")
        ).purchases()
        #expect(purchases.owns("pro"))
        #expect(purchases.ownedNonConsumables.transactions == ["2"])
        #expect(purchases.isActive("pro", at: day("2024-01-04")))
        #expect(!purchases.isActive("pro", at: day("2024-03-01")))
        #expect(purchases.isActive("pro", at: day("2024-06-01")))
    }

    @Test("a restored non-consumable is owned, by each of its transactions")
    func restored() throws {
        let first = Self.kept("pro", "1", "2021-01-01")
        let restored = Self.kept("pro", "2", "2024-01-01").with { purchase in
            purchase.originalTransactionIdentifier = "1"
            purchase.originalPurchaseDate = day("2021-01-01")
        }
        let alone = try Trial.bought(restored).purchases()
        #expect(alone.owns("pro") && alone.isActive("pro", at: day("2022-01-01")))
        let both = try Trial.bought(restored, first).purchases()
        #expect(both.owns("pro"))
        #expect(both.ownedNonConsumables.transactions == ["1", "2"])
        #expect(both.latest(of: "pro")?.transactionIdentifier == "2")
        #expect(both.active(at: day("2022-01-01")).transactions == ["1", "2"])
    }

    @Test("where the type is not said, as by Xcode, everything without an end is owned, consumables too")
    func ownedWithoutType() throws {
        let trial = Trial.bought(
            Self.kept("pro", "1", "2024-01-01"), Self.period("silver", "2", "2024-01-02", "2024-02-02"),
            TestPurchase("coins", transaction: "3", at: day("2024-01-03"), type: .consumable))
        let purchases = try trial.likeXcode().purchases()
        #expect(purchases.ownedNonConsumables.transactions == ["1", "3"])
        #expect(purchases.owns("pro") && purchases.owns("coins") && !purchases.owns("silver"))
        #expect(
            purchases.isActive("silver", at: day("2024-01-15")) && !purchases.isActive("silver", at: day("2024-02-02")))
        let store = try trial.purchases()
        #expect(store.ownedNonConsumables.transactions == ["1"])
    }

    @Test("what has no dates is owned but at no date active")
    func ownedWithoutDates() throws {
        let purchases = try Trial.bought(Self.kept("pro", "1", "2024-01-01").without(1704, 1706)).purchases()
        #expect(purchases.owns("pro"))
        #expect(purchases.active(at: day("2024-06-01")).isEmpty)
    }

    /// Two months of silver, the second upgraded to gold after nine days and a half; what is bought once; what is never
    /// active.
    private static func shop() -> Trial {
        Trial.bought(
            period("silver", "1", "2024-01-01", "2024-02-01"),
            period("silver", "2", "2024-02-01", "2024-03-01").cancelled(at: instant("2024-02-10T12:00:00Z")),
            TestPurchase(
                subscription: "gold", transaction: "3", original: "1", from: instant("2024-02-10T12:00:00Z"),
                to: instant("2024-03-10T12:00:00Z")),
            kept("pro", "20", "2024-01-15").cancelled(at: day("2024-02-20")),
            TestPurchase("coins", transaction: "21", at: day("2024-01-01"), type: .consumable),
            TestPurchase("pass", transaction: "22", at: day("2024-01-01"), type: .nonRenewingSubscription))
    }

    private static func kept(_ product: String, _ transaction: String, _ date: String) -> TestPurchase {
        TestPurchase(product, transaction: transaction, at: day(date))
    }

    private static func period(
        _ product: String, _ transaction: String, _ start: String, _ end: String
    ) -> TestPurchase {
        TestPurchase(subscription: product, transaction: transaction, original: "1", from: day(start), to: day(end))
    }
}
