import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Entitlements")
struct EntitlementsTests {
    @Test("There is one entitlement for each product, sorted by product identifier")
    func byProduct() throws {
        let entitlements = try Self.shop().entitlements(at: "2024-02-15")
        #expect(entitlements.environment == .sandbox)
        #expect(entitlements.date == day("2024-02-15"))
        #expect(entitlements.all.products == ["coins", "gold", "pass", "pro", "silver"])
        #expect(entitlements.all.map(\.state) == [.owned, .active, .owned, .owned, .upgraded])
        #expect(entitlements.active.products == ["gold", "pro"])
        for entitlement in entitlements.all {
            #expect(entitlements[entitlement.productIdentifier] == entitlement)
            #expect(entitlements.isActive(entitlement.productIdentifier) == entitlement.isActive)
            #expect(entitlement.environment == .sandbox)
        }
        for product in ["bronze", "Gold", ""] {
            #expect(entitlements[product] == nil)
            #expect(!entitlements.isActive(product))
        }
    }

    @Test("The active products change at the second of a purchase, upgrade, refund or end")
    func active() throws {
        let verified = try Self.shop().verified()
        for (date, products) in [
            ("2023-12-31T23:59:59Z", []), ("2024-01-01T00:00:00Z", ["silver"]),
            ("2024-01-15T00:00:00Z", ["pro", "silver"]), ("2024-01-31T23:59:59Z", ["pro", "silver"]),
            ("2024-02-01T00:00:00Z", ["pro", "silver"]), ("2024-02-10T11:59:59Z", ["pro", "silver"]),
            ("2024-02-10T12:00:00Z", ["gold", "pro"]), ("2024-02-19T23:59:59Z", ["gold", "pro"]),
            ("2024-02-20T00:00:00Z", ["gold"]), ("2024-03-10T11:59:59Z", ["gold"]), ("2024-03-10T12:00:00Z", []),
            ("2030-01-01T00:00:00Z", []),
        ] as [(String, [String])] {
            #expect(verified.entitlements(at: instant(date)).active.products == products, "\(date)")
        }
    }

    @Test("The current product of several is the active one that lasts longest")
    func currentOfAny() throws {
        let entitlements = try ReceiptTestCase.bought(
            .period("week", "1", "2024-07-01", "2024-07-08", original: "1"),
            .period("year", "2", "2024-06-01", "2025-06-01", original: "2"),
            .period("ended", "3", "2024-01-01", "2024-02-01", original: "3"),
            .period("month-a", "4", "2024-07-01", "2024-08-01", original: "4"),
            .period("month-b", "5", "2024-07-01", "2024-08-01", original: "5"), .kept("pro", "6", "2024-01-01")
        ).entitlements()
        #expect(entitlements.current(ofAny: ["week", "year", "ended"])?.productIdentifier == "year")
        #expect(entitlements.current(ofAny: ["week", "ended"])?.productIdentifier == "week")
        #expect(entitlements.current(ofAny: ["month-a", "month-b"])?.productIdentifier == "month-b")
        #expect(entitlements.current(ofAny: ["year", "pro"])?.productIdentifier == "pro", "it has no end")
        #expect(entitlements.current(ofAny: ["ended", "other"]) == nil)
        #expect(entitlements.current(ofAny: []) == nil)
    }

    @Test("The subscript returns the newest entitlement to a consumable")
    func newestConsumable() throws {
        let coins = TestPurchase("coins", transaction: "9", at: day("2024-01-01"), type: .consumable)
        let entitlements = try ReceiptTestCase.bought(
            coins.with {
                $0.transactionIdentifier = "3"; $0.purchaseDate = day("2024-03-01")
            }, coins,
            coins.with {
                $0.transactionIdentifier = "12"; $0.purchaseDate = day("2024-02-01")
            }
        ).entitlements()
        #expect(entitlements.all.map(\.transactionIdentifier) == ["9", "12", "3"])
        #expect(entitlements["coins"]?.transactionIdentifier == "3")
    }

    @Test("An empty receipt has no entitlements")
    func empty() throws {
        let entitlements = try ReceiptTestCase.bought().entitlements()
        #expect(entitlements.all.isEmpty)
        #expect(entitlements.active.isEmpty)
        #expect(entitlements.transactions.isEmpty)
        #expect(entitlements["pro"] == nil)
        #expect(!entitlements.isActive("pro"))
        #expect(entitlements.current(ofAny: ["pro"]) == nil)
        let none = Entitlements(
            bundleIdentifier: "com.example.app", environment: .sandbox, receipts: [], at: day("2024-01-01"))
        #expect(none.all.isEmpty)
        #expect(none.environment == .sandbox)
    }

    @Test("A purchase without a product identifier has no entitlement")
    func withoutProduct() throws {
        let entitlements = try ReceiptTestCase.bought(
            .kept("pro", "1", "2024-01-01").without(1702),
            .period("silver", "2", "2024-07-01", "2024-08-01").without(1702)
        ).entitlements()
        #expect(entitlements.transactions.map(\.transactionIdentifier) == ["1", "2"])
        #expect(entitlements.all.isEmpty)
        #expect(!entitlements.isActive(""))
    }

    @Test("At equal dates and without transactions, the entitlement to a product precedes those to single transactions")
    func ties() {
        let purchases = [nil, InAppPurchase.ProductType.nonRenewingSubscription].map { type in
            AppStoreTransaction {
                $0.productIdentifier = "pro"
                $0.purchaseDate = day("2024-01-01")
                $0.productType = type
                $0.quantity = 1
            }
        }
        for ordered in [purchases, purchases.reversed()] {
            let evidence = PurchaseLedger.ReceiptEvidence(creationDate: day("2024-02-01"), transactions: ordered)
            let ledger = PurchaseLedger(environment: .production, receipts: [evidence])
            let entitlements = Entitlements(ledger, at: day("2024-02-01"))
            #expect(entitlements.all.map(\.kind) == [.unknown, .nonRenewing])
        }
    }

    @Test("The order of the receipt's bytes has no effect")
    func orderOfBytes() throws {
        for testCase in try [Self.shop(), Self.shop().likeXcode()] {
            let (one, other) = (
                try testCase.inOrder(reversed: false).verified(), try testCase.inOrder(reversed: true).verified()
            )
            #expect(
                one.receipt.purchases.map(\.transactionIdentifier)
                    == other.receipt.purchases.map(\.transactionIdentifier).reversed())
            #expect(one.receipt.purchases != other.receipt.purchases)
            for date in ["2023-06-01", "2024-01-15", "2024-02-10", "2024-02-15", "2024-03-01", "2024-07-02"] {
                #expect(one.entitlements(at: day(date)) == other.entitlements(at: day(date)))
                #expect(one.entitlements(at: day(date)).hashValue == other.entitlements(at: day(date)).hashValue)
            }
        }
    }

    @Test("Entitlements are equal if their evidence and dates are equal")
    func equality() throws {
        let pro = TestPurchase.kept("pro", "1", "2024-01-01")
        let one = try ReceiptTestCase.bought(pro).entitlements()
        #expect(try ReceiptTestCase.bought(pro).entitlements() == one)
        #expect(try ReceiptTestCase.bought(pro, pro).entitlements() == one, "the same transaction twice")
        #expect(try ReceiptTestCase.bought(pro).entitlements(at: "2025-01-01") != one)
        #expect(try ReceiptTestCase.bought(pro.canceled("2024-01-02")).entitlements() != one)
        #expect(try ReceiptTestCase.bought().entitlements() != one)
    }

    @Test("Receipts of other apps and environments have no effect")
    func scope() throws {
        let own = try ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01")).verified()
        let refunded = ReceiptTestCase.created(
            "2024-08-01", .kept("pro", "1", "2024-01-01").canceled("2024-07-20"), .kept("more", "2", "2024-01-01"))
        var others = [try refunded.likeXcode().verified()]
        for environment in [ReceiptEnvironment.production, .productionVPP, .init(rawValue: "Staging")] {
            var testCase = refunded
            testCase.receipt.environment = environment
            testCase.expectations.environments = .anyEnvironment
            others.append(try testCase.verified())
        }
        for bundleIdentifier in ["com.example.other", "com.example.App", "com.example.app "] {
            var testCase = refunded
            testCase.receipt.bundleIdentifier = bundleIdentifier
            testCase.expectations = Expectations(
                bundleIdentifier: [bundleIdentifier], environments: [.sandbox])
            others.append(try testCase.verified())
        }
        let alone = Self.entitlements([own])
        #expect(alone.isActive("pro"))
        #expect(alone.all.count == 1)
        for other in others {
            #expect(Self.entitlements([own, other]) == alone)
            #expect(Self.entitlements([other]).all.isEmpty)
            #expect(Self.entitlements([other]).transactions.isEmpty)
        }
        #expect(Self.entitlements(others + [own] + others) == alone)
        #expect(Self.entitlements([try refunded.verified(), own]) != alone)
        let production = Entitlements(
            bundleIdentifier: "com.example.app", environment: .production, receipts: [own] + others,
            at: day("2024-09-01"))
        #expect(production.environment == .production)
        #expect(production.all.allSatisfy { $0.environment == .production })
        #expect(production.state("pro") == .refunded)
        #expect(production.isActive("more"))
    }

    @Test("Bundle identifiers that are canonically equivalent but spelled differently are different apps")
    func unicodeScope() throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.receipt.bundleIdentifier = "com.example.caf\u{E9}"
            testCase.receipt.purchases = [.kept("pro", "1", "2024-01-01")]
            testCase.expectations = Expectations(bundleIdentifier: "com.example.caf\u{E9}", environments: [.sandbox])
        }
        let receipt = try testCase.verified()
        for (spelling, count) in [("com.example.caf\u{E9}", 1), ("com.example.cafe\u{301}", 0)] {
            let entitlements = Entitlements(
                bundleIdentifier: spelling, environment: .sandbox, receipts: [receipt], at: day("2024-07-02"))
            #expect(entitlements.all.count == count)
        }
    }

    @Test("A receipt of an unknown environment has purchases but no entitlements")
    func unknownEnvironment() throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.receipt.overrides[0] = [DERWriter.utf8String("Staging")]
            testCase.receipt.purchases = [.kept("pro", "1", "2024-01-01")]
            testCase.expectations.environments = .anyEnvironment
        }
        let entitlements = try testCase.entitlements()
        #expect(entitlements.environment == nil)
        #expect(entitlements.transactions.count == 1)
        #expect(entitlements.all.isEmpty)
        #expect(!entitlements.isActive("pro"))
    }

    @Test("Several receipts count together, in any order and any number of copies")
    func severalReceipts() throws {
        let first = try ReceiptTestCase.created(
            "2024-03-01", .kept("pro", "1", "2024-01-01"), .kept("maps", "2", "2024-02-01")
        )
        .verified()
        let second = try ReceiptTestCase.created(
            "2024-06-01", .kept("maps", "2", "2024-02-01").canceled("2024-05-01"), .kept("themes", "3", "2024-05-05")
        ).verified()
        let together = Self.entitlements([first, second])
        #expect(together.all.products == ["maps", "pro", "themes"])
        #expect(together.all.map(\.state) == [.refunded, .owned, .owned])
        #expect(together.all.map(\.asOf) == [day("2024-06-01"), day("2024-03-01"), day("2024-06-01")])
        for receipts in [[second, first], [first, first, second], [second, first, second]] {
            #expect(Self.entitlements(receipts) == together)
        }
    }

    @Test("The default date is the current time, but not before the receipt's creation date")
    func defaultDate() throws {
        let testCase = ReceiptTestCase.bought(
            .kept("kept", "1", "2024-01-01"), .period("ended", "2", "2024-07-01", "2024-07-10"))
        let verified = try testCase.verified()
        #expect(verified.entitlements(at: verified.creationDate).active.products == ["ended", "kept"])
        #expect(verified.entitlements().active.products == ["kept"])
        let future = try ReceiptTestCase.created("2031-12-01", .kept("pro", "1", "2031-11-15")).verified()
        #expect(future.entitlements().date >= future.creationDate)
        #expect(future.entitlements().isActive("pro"))
        let own = Self.entitlements([verified])
        #expect(own.active.products == ["kept"])
    }

    @Test("An explicit date may be before the creation date")
    func earlierDate() throws {
        let verified = try ReceiptTestCase.bought(
            .period("old", "1", "2024-01-01", "2024-02-01", original: "1"),
            .period("ends", "2", "2024-06-02", "2024-07-02T15:04:05Z", original: "2"),
            .period("begins", "3", "2024-07-02T15:04:05Z", "2024-08-01", original: "3"),
            .kept("refunded", "4", "2024-01-01").canceled("2024-07-01"), .kept("kept", "5", "2024-01-01")
        ).verified()
        #expect(verified.entitlements(at: day("2024-01-15")).active.products == ["kept", "old", "refunded"])
        #expect(verified.entitlements(at: instant("2024-07-02T15:04:04Z")).active.products == ["ends", "kept"])
        #expect(verified.entitlements(at: instant("2024-07-02T15:04:05Z")).active.products == ["begins", "kept"])
        #expect(verified.entitlements(at: day("2024-08-01")).active.products == ["kept"])
        #expect(verified.entitlements(at: .distantPast).active.isEmpty)
        #expect(verified.entitlements(at: .distantFuture).active.products == ["kept"])
    }

    private static func entitlements(_ receipts: [VerifiedReceipt]) -> Entitlements {
        Entitlements(
            bundleIdentifier: "com.example.app", environment: .sandbox, receipts: receipts, at: day("2024-09-01"))
    }

    /// Two months of silver, the second upgraded to gold after nine days and a half; a non-consumable that is refunded;
    /// a consumable and a non-renewing subscription.
    private static func shop() -> ReceiptTestCase {
        let noon = "2024-02-10T12:00:00Z"
        return ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"),
            .period("silver", "2", "2024-02-01", "2024-03-01").canceled(noon),
            .period("gold", "3", noon, "2024-03-10T12:00:00Z"), .kept("pro", "20", "2024-01-15").canceled("2024-02-20"),
            TestPurchase("coins", transaction: "21", at: day("2024-01-01"), type: .consumable),
            TestPurchase("pass", transaction: "22", at: day("2024-01-01"), type: .nonRenewingSubscription))
    }
}
