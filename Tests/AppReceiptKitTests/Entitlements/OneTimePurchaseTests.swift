import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("OneTimePurchase")
struct OneTimePurchaseTests {
    @Test("A non-consumable is owned from its purchase on, without an end")
    func nonConsumables() throws {
        let testCase = ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01"))
        #expect(try testCase.entitlement(at: "2023-12-31T23:59:59.999Z").state == .notStarted)
        for date in ["2024-01-01", "2024-06-01", "4001-01-01"] {
            let pro = try testCase.entitlement(at: date)
            #expect(pro.state == .owned)
            #expect(pro.isActive)
            #expect(pro.kind == .nonConsumable)
            #expect(pro.since == day("2024-01-01"))
            #expect(pro.until == nil)
            #expect(pro.asOf == instant("2024-07-02T15:04:05Z"))
            #expect(pro.originalTransactionIdentifier == "1")
            #expect(pro.transactionIdentifier == "1")
            #expect(pro.willRenew == nil)
            #expect(pro.quantity == 1)
            #expect(pro.ownership == nil)
            #expect(
                pro.reason
                    == "Bought on 2024-01-01T00:00:00Z, and as of 2024-07-02T15:04:05Z neither refunded nor revoked.")
            #expect(pro.nextStep == nil)
        }
    }

    @Test("A purchase after the date in question isn't started")
    func notStarted() throws {
        let pro = try ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01")).entitlement(at: "2023-06-01")
        #expect(pro.state == .notStarted)
        #expect(!pro.isActive)
        #expect(pro.since == day("2024-01-01"))
        #expect(pro.until == nil)
        #expect(pro.nextStep == "Grant access from the date of purchase.")
    }

    @Test("A refund ends ownership at its date")
    func refunds() throws {
        let testCase = ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01").canceled("2024-01-10T12:00:00Z"))
        #expect(try testCase.entitlement(at: "2024-01-01").state == .owned)
        let before = try testCase.entitlement(at: "2024-01-10T11:59:59.999Z")
        #expect(before.state == .owned)
        #expect(before.isActive)
        #expect(before.until == nil)
        for date in ["2024-01-10T12:00:00Z", "2024-01-20", "2030-01-01"] {
            let pro = try testCase.entitlement(at: date)
            #expect(pro.state == .refunded)
            #expect(!pro.isActive)
            #expect(pro.since == day("2024-01-01"))
            #expect(pro.until == instant("2024-01-10T12:00:00Z"))
            #expect(pro.reason == "Apple refunded or revoked the purchase on 2024-01-10T12:00:00Z.")
            #expect(pro.nextStep == "Remove access.")
        }
    }

    @Test("A purchase refunded when it began, or before, was never owned", arguments: ["2023-06-01", "2024-01-01"])
    func refundedAtOnce(_ date: String) throws {
        let testCase = ReceiptTestCase.bought(.kept("pro", "1", "2024-01-01").canceled(date))
        for date in ["2023-05-01", "2023-12-31", "2024-01-01", "2024-01-02", "2025-01-01"] {
            #expect(try !testCase.entitlement(at: date).isActive)
        }
    }

    @Test("A restored non-consumable is owned since the earlier of its two dates")
    func restored() throws {
        for (purchased, original) in [("2024-03-03", "2021-05-05"), ("2021-05-05", "2024-03-03")] {
            let restored = TestPurchase.kept("pro", "2", purchased).with { purchase in
                purchase.originalTransactionIdentifier = "1"
                purchase.originalPurchaseDate = day(original)
            }
            for restored in [restored, restored.without(1707)] {
                let testCase = ReceiptTestCase.bought(restored)
                #expect(try testCase.entitlement(at: "2021-05-04T23:59:59Z").state == .notStarted)
                for date in ["2021-05-05", "2022-01-01", "2024-03-03"] {
                    let pro = try testCase.entitlement(at: date)
                    #expect(pro.isActive)
                    #expect(pro.since == day("2021-05-05"))
                    #expect(pro.originalTransactionIdentifier == "1")
                    #expect(pro.transactionIdentifier == "2")
                }
            }
        }
    }

    @Test("The copies of a non-consumable are one entitlement, with the values of the last copy")
    func copies() throws {
        let testCase = ReceiptTestCase.bought(
            .kept("pro", "2", "2024-01-01").with { $0.originalTransactionIdentifier = "1" },
            .kept("pro", "1", "2021-01-01"))
        let pro = try testCase.entitlement()
        #expect(pro.state == .owned)
        #expect(pro.transactionIdentifier == "2")
        #expect(pro.since == day("2021-01-01"))
        #expect(try testCase.purchases().transactions == ["1", "2"])
    }

    @Test("A non-consumable is refunded with any of its copies, and owned again when it is bought again")
    func refundedCopies() throws {
        let bought = TestPurchase.kept("pro", "1", "2024-01-01")
        let restored = TestPurchase.kept("pro", "2", "2024-01-05").with { $0.originalTransactionIdentifier = "1" }
        for testCase in [
            ReceiptTestCase.bought(bought.canceled("2024-01-10"), restored),
            .bought(bought, restored.canceled("2024-01-10")),
        ] {
            #expect(try testCase.entitlement(at: "2024-01-09").state == .owned)
            let pro = try testCase.entitlement(at: "2024-01-10")
            #expect(pro.state == .refunded)
            #expect(pro.until == day("2024-01-10"))
        }
        let again = ReceiptTestCase.bought(bought.canceled("2024-01-10"), restored, .kept("pro", "3", "2024-02-01"))
        #expect(try again.entitlement(at: "2024-01-09").transactionIdentifier == "2")
        #expect(try again.entitlement(at: "2024-01-20").state == .refunded)
        let pro = try again.entitlement(at: "2024-02-01")
        #expect(pro.isActive)
        #expect(pro.transactionIdentifier == "3")
        #expect(pro.since == day("2024-02-01"))
    }

    @Test("A purchase without any date is owned at every date")
    func withoutDates() throws {
        let pro = TestPurchase.kept("pro", "1", "2024-01-01").with { $0.originalPurchaseDate = day("2023-06-01") }
        #expect(try ReceiptTestCase.bought(pro.without(1704)).entitlement(at: "2023-06-01").state == .owned)
        #expect(try ReceiptTestCase.bought(pro.without(1704)).entitlement(at: "2023-05-31").state == .notStarted)
        #expect(try ReceiptTestCase.bought(pro.without(1706)).entitlement(at: "2024-01-01").state == .owned)
        #expect(try ReceiptTestCase.bought(pro.without(1706)).entitlement(at: "2023-12-31").state == .notStarted)
        let undated = ReceiptTestCase.bought(pro.without(1704, 1706))
        for date in ["1999-01-01", "2024-06-01"] {
            let pro = try undated.entitlement(at: date)
            #expect(pro.state == .owned)
            #expect(pro.since == nil)
            #expect(pro.reason == "Bought, and as of 2024-07-02T15:04:05Z neither refunded nor revoked.")
        }
        #expect(
            try ReceiptTestCase.bought(pro.without(1704, 1706).canceled("2024-01-01")).entitlement().state == .refunded)
    }

    @Test(
        "Consumables and non-renewing subscriptions have one entitlement for each transaction, never active",
        arguments: [
            (InAppPurchase.ProductType.consumable, Entitlement.Kind.consumable),
            (.nonRenewingSubscription, .nonRenewing),
        ])
    func singles(_ type: InAppPurchase.ProductType, _ kind: Entitlement.Kind) throws {
        let entitlements = try ReceiptTestCase.bought(
            TestPurchase("coins", transaction: "2", at: day("2024-02-01"), type: type).with { $0.quantity = 5 },
            TestPurchase("coins", transaction: "10", at: day("2024-01-01"), type: type).canceled("2024-01-05"),
            // A copy has a transaction identifier of its own.
            TestPurchase("coins", transaction: "3", at: day("2024-03-01"), type: type).with {
                $0.originalTransactionIdentifier = "2"
            }
        ).entitlements()
        #expect(entitlements.all.map(\.transactionIdentifier) == ["10", "2", "3"])
        #expect(entitlements.all.map(\.state) == [.refunded, .owned, .owned])
        #expect(entitlements.all.map(\.since) == [day("2024-01-01"), day("2024-02-01"), day("2024-03-01")])
        #expect(entitlements.all.map(\.until) == [day("2024-01-05"), nil, nil])
        #expect(entitlements.all.map(\.quantity) == [1, 5, 1])
        #expect(entitlements.all.allSatisfy { $0.kind == kind && !$0.isActive })
        #expect(entitlements.all.allSatisfy { $0.nextStep != nil })
        #expect(entitlements.active.isEmpty)
        #expect(!entitlements.isActive("coins"))
        #expect(entitlements["coins"]?.transactionIdentifier == "3")
        #expect(
            try ReceiptTestCase.bought(TestPurchase("coins", transaction: "2", at: day("2024-02-01"), type: type))
                .entitlement(
                    at: "2024-01-31"
                ).state == .notStarted)
    }

    @Test("A consumable is revoked with a copy of the same original and product")
    func consumableCopies() throws {
        let coins = TestPurchase("coins", transaction: "1", at: day("2024-01-01"), type: .consumable)
        let entitlements = try ReceiptTestCase.bought(
            coins.canceled("2024-01-05"),
            coins.with {
                $0.transactionIdentifier = "2"; $0.originalTransactionIdentifier = "1"
            },
            coins.with { $0.transactionIdentifier = "3" },
            coins.with {
                $0.transactionIdentifier = "4"; $0.originalTransactionIdentifier = "1"; $0.productIdentifier = "gems"
            }
        ).entitlements()
        #expect(entitlements.all.map(\.transactionIdentifier) == ["1", "2", "3", "4"])
        #expect(entitlements.all.map(\.state) == [.refunded, .refunded, .owned, .owned])
    }

    @Test(
        "A product whose type is missing or unknown is owned if it has no end, and active unless an unknown type is stated"
    )
    func unknownTypes() throws {
        for purchase in [
            TestPurchase.kept("lease", "1", "2024-01-01").without(1707),
            TestPurchase("lease", transaction: "1", at: day("2024-01-01"), type: .init(rawValue: 5)),
            TestPurchase("lease", transaction: "1", at: day("2024-01-01"), type: .freeSubscription),
        ] {
            let lease = try ReceiptTestCase.bought(purchase).entitlement()
            #expect(lease.kind == (purchase.productType == .freeSubscription ? .freeSubscription : .unknown))
            #expect(lease.state == .owned)
            #expect(lease.isActive == (purchase.productType.rawValue != 5))
            let period = try ReceiptTestCase.bought(purchase.with { $0.expirationDate = day("2024-02-01") })
                .entitlement(
                    at: "2024-01-15")
            #expect(period.kind == .subscription)
            #expect(period.state == .active)
            #expect(try ReceiptTestCase.bought(purchase.canceled("2024-02-01")).entitlement().state == .refunded)
        }
    }

    @Test(
        "An end doesn't make a purchase of another known type a subscription",
        arguments: [InAppPurchase.ProductType.nonConsumable, .consumable, .nonRenewingSubscription])
    func ends(_ type: InAppPurchase.ProductType) throws {
        let purchase = TestPurchase("thing", transaction: "1", at: day("2024-01-01"), type: type).with {
            $0.expirationDate = day("2024-02-01")
        }
        let thing = try ReceiptTestCase.bought(purchase).entitlement(at: "2024-03-01")
        #expect(thing.state == .owned)
        #expect(thing.kind != .subscription)
        #expect(thing.until == nil)
        #expect(try ReceiptTestCase.bought(purchase).subscriptions().isEmpty)
    }

    @Test("In Xcode's receipts, everything without an end is owned, consumables too")
    func xcode() throws {
        let testCase = ReceiptTestCase.bought(
            .kept("pro", "1", "2024-01-01"), .period("silver", "2", "2024-01-02", "2024-02-02"),
            TestPurchase("coins", transaction: "3", at: day("2024-01-03"), type: .consumable))
        let xcode = try testCase.likeXcode().entitlements(at: "2024-01-15")
        #expect(xcode.all.products == ["coins", "pro", "silver"])
        #expect(xcode.all.map(\.kind) == [.unknown, .unknown, .subscription])
        #expect(xcode.all.map(\.isActive) == [true, true, true])
        #expect(xcode.all.allSatisfy { $0.originalTransactionIdentifier == nil && $0.environment == .xcode })
        let store = try testCase.entitlements(at: "2024-01-15")
        #expect(store.all.map(\.kind) == [.consumable, .nonConsumable, .subscription])
        #expect(store.all.map(\.isActive) == [false, true, true])
    }

    @Test("Transactions with neither identifier nor original are separate purchases")
    func unidentified() throws {
        let pro = TestPurchase.kept("pro", "1", "2024-01-01").without(1703, 1705)
        let entitlements = try ReceiptTestCase.bought(
            pro.canceled("2024-01-02"), pro.with { $0.purchaseDate = day("2024-03-01") }
        ).entitlements()
        #expect(entitlements.transactions.count == 2)
        #expect(entitlements.all.count == 1)
        #expect(entitlements.isActive("pro"))
        let entitlement = try #require(entitlements["pro"])
        #expect(entitlement.originalTransactionIdentifier == nil)
        #expect(entitlement.transactionIdentifier == nil)
        #expect(entitlement.since == day("2024-03-01"))
        #expect(entitlement.asOf == instant("2024-07-02T15:04:05Z"))
    }
}
