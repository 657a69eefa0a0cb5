import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// The states that result from receipts alone.
@Suite("Subscription: entitlements")
struct SubscriptionEntitlementTests {
    @Test("A period is active from its start until its end")
    func active() throws {
        // The first period, a renewal, a wrong original date, and no optional attributes.
        let january = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-01")
        let purchases = [
            january, january.with { $0.transactionIdentifier = "2" },
            january.with { $0.originalPurchaseDate = day("2023-01-01") },
            january.with { $0.originalPurchaseDate = day("2024-01-15") }, january.without(1707), january.without(1706),
        ]
        for purchase in purchases {
            let testCase = ReceiptTestCase.bought(purchase)
            for date in ["2024-01-01", "2024-01-15", "2024-01-31T23:59:59.999Z"] {
                let silver = try testCase.entitlement(at: date)
                #expect(silver.state == .active)
                #expect(silver.isActive)
                #expect(silver.kind == .subscription)
                #expect(silver.since == day("2024-01-01"))
                #expect(silver.until == day("2024-02-01"))
                #expect(silver.asOf == instant("2024-07-02T15:04:05Z"))
                #expect(silver.originalTransactionIdentifier == "1")
                #expect(silver.willRenew == nil)
                #expect(silver.quantity == 1)
                #expect(silver.ownership == nil)
                #expect(silver.nextStep == nil)
                #expect(silver.reason == "The period runs until 2024-02-01T00:00:00Z.")
            }
            #expect(try !testCase.entitlement(at: "2023-12-31T23:59:59.999Z").isActive)
            #expect(try !testCase.entitlement(at: "2024-02-01").isActive)
        }
        #expect(
            try ReceiptTestCase.bought(january.with { $0.isTrialPeriod = true }).entitlement(at: "2024-01-15").reason
                == "The free trial runs until 2024-02-01T00:00:00Z.")
    }

    @Test("A subscription is notStarted only if no period contains or precedes the date")
    func notStarted() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("silver", "2", "2024-05-01", "2024-06-01"))
        let silver = try testCase.entitlement(at: "2023-12-31")
        #expect(silver.state == .notStarted)
        #expect(!silver.isActive)
        #expect(silver.since == day("2024-01-01"))
        #expect(silver.until == day("2024-02-01"))
        #expect(silver.transactionIdentifier == "1")
        #expect(silver.reason == "The first period begins on 2024-01-01T00:00:00Z.")
        #expect(silver.nextStep == "Grant access when the period begins.")
        #expect(try testCase.entitlement(at: "2024-03-01").state != .notStarted)
    }

    @Test("A renewal in the receipt that hasn't begun yet has no effect on the current period")
    func renewalInAdvance() throws {
        let testCase = ReceiptTestCase.created(
            "2024-01-31T12:00:00Z", .period("silver", "1", "2024-01-01", "2024-02-01"),
            .period("silver", "2", "2024-02-01", "2024-03-01"))
        let silver = try testCase.entitlement(at: "2024-01-31T12:00:00Z")
        #expect(silver.state == .active)
        #expect(silver.transactionIdentifier == "1")
        #expect(silver.until == day("2024-02-01"))
        let next = try testCase.entitlement(at: "2024-02-01")
        #expect(next.state == .active)
        #expect(next.transactionIdentifier == "2")
        #expect(next.since == day("2024-01-01"))
    }

    @Test("A subscription expired if a receipt created after the end lists no later period")
    func expired() throws {
        let testCase = ReceiptTestCase.created("2024-02-01", .period("silver", "1", "2024-01-01", "2024-02-01"))
        for date in ["2024-02-01", "2024-03-01", "2030-01-01"] {
            let silver = try testCase.entitlement(at: date)
            #expect(silver.state == .expired)
            #expect(!silver.isActive)
            #expect(silver.since == day("2024-01-01"))
            #expect(silver.until == day("2024-02-01"))
            #expect(
                silver.reason
                    == "The subscription ended on 2024-02-01T00:00:00Z and wasn't renewed, as a later receipt shows.")
            #expect(silver.nextStep == "End access.")
        }
    }

    @Test("A receipt created before the end doesn't show whether the subscription was renewed")
    func renewalUnknown() throws {
        for created in ["2024-01-15", "2024-01-31T23:59:59Z"] {
            let silver = try ReceiptTestCase.created(created, .period("silver", "1", "2024-01-01", "2024-02-01"))
                .entitlement(
                    at: "2024-02-01")
            #expect(silver.state == .renewalUnknown)
            #expect(!silver.isActive)
            #expect(silver.until == day("2024-02-01"))
            #expect(silver.asOf == moment(created))
            #expect(
                silver.reason
                    == "The last known period ended on 2024-02-01T00:00:00Z, and the evidence doesn't show whether it was renewed."
            )
            #expect(silver.nextStep?.hasPrefix("Request a new receipt") == true)
        }
    }

    @Test("Before a later purchase, a subscription was expired")
    func gapsAreUnknown() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("silver", "2", "2024-05-01", "2024-06-01"))
        #expect(try testCase.entitlement(at: "2024-03-01").state == .expired)
        #expect(try testCase.entitlement(at: "2024-06-01").state == .expired)
    }

    @Test("Before a later purchase of another product, a subscription was expired")
    func laterPeriodOfAnotherProduct() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("gold", "2", "2024-05-01", "2024-06-01"))
        #expect(try testCase.entitlements(at: "2024-03-01").state("silver") == .expired)
        let later = try testCase.entitlements(at: "2024-05-15")
        #expect(later.state("silver") == .upgraded)
        #expect(later.state("gold") == .active)
    }

    @Test("Any receipt created after the end shows it, even if it isn't the newest")
    func expiredBySeveralReceipts() throws {
        let january = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-01")
        let march = TestPurchase.period("silver", "2", "2024-03-01", "2024-04-01")
        func state(_ testCases: ReceiptTestCase..., at date: String) throws -> Entitlement.State? {
            Entitlements(
                bundleIdentifier: "com.example.app", environment: .sandbox,
                receipts: try testCases.map { try $0.verified() },
                at: day(date)
            ).state("silver")
        }
        let early = ReceiptTestCase.created("2024-01-15", january)
        let gap = ReceiptTestCase.created("2024-02-15", january)
        let late = ReceiptTestCase.created("2024-03-15", january, march)
        let other = ReceiptTestCase.created("2024-02-15", .kept("pro", "9", "2024-01-01"))
        #expect(try state(early, at: "2024-02-20") == .renewalUnknown)
        #expect(try state(early, other, at: "2024-02-20") == .renewalUnknown, "it doesn't contain the original")
        #expect(try state(early, gap, at: "2024-02-20") == .expired)
        #expect(try state(early, late, at: "2024-02-20") == .expired, "it was bought again")
        #expect(try state(late, gap, early, at: "2024-02-20") == .expired)
        #expect(try state(late, gap, early, at: "2024-03-20") == .active)
        #expect(try state(late, gap, early, at: "2024-04-01") == .renewalUnknown)
    }

    @Test("A refund takes effect at its date")
    func refunded() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01").canceled("2024-01-10T12:00:00Z"))
        let before = try testCase.entitlement(at: "2024-01-10T11:59:59.999Z")
        #expect(before.state == .active)
        #expect(before.until == instant("2024-01-10T12:00:00Z"))
        for date in ["2024-01-10T12:00:00Z", "2024-01-20", "2024-02-01", "2030-01-01"] {
            let silver = try testCase.entitlement(at: date)
            #expect(silver.state == .refunded)
            #expect(!silver.isActive)
            #expect(silver.since == day("2024-01-01"))
            #expect(silver.until == instant("2024-01-10T12:00:00Z"))
            #expect(silver.reason == "Apple refunded or revoked the purchase on 2024-01-10T12:00:00Z.")
            #expect(silver.nextStep == "Remove access.")
        }
    }

    @Test("A period refunded when it began, or before, was never active", arguments: ["2023-06-01", "2024-01-01"])
    func refundedAtOnce(_ date: String) throws {
        let testCase = ReceiptTestCase.bought(.period("silver", "1", "2024-01-01", "2024-02-01").canceled(date))
        for day in ["2023-05-01", "2023-12-31", "2024-01-01", "2024-01-15", "2024-02-01"] {
            #expect(try !testCase.entitlement(at: day).isActive)
        }
        #expect(try testCase.entitlement(at: "2024-01-01").state == .refunded)
        #expect(
            try testCase.entitlement(at: "2023-12-31").state == (date < "2024-01-01" ? .refunded : .notStarted))
    }

    @Test("A refund after the end doesn't change what was active before")
    func refundedLate() throws {
        let testCase = ReceiptTestCase.bought(.period("silver", "1", "2024-01-01", "2024-02-01").canceled("2024-03-01"))
        #expect(try testCase.entitlement(at: "2024-01-31").state == .active)
        #expect(try testCase.entitlement(at: "2024-02-15").state == .expired)
        #expect(try testCase.entitlement(at: "2024-03-01").state == .refunded)
    }

    @Test("A refunded renewal leaves the subscription without access, and the next renewal restores it")
    func refundedRenewal() throws {
        let january = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-01")
        let february = TestPurchase.period("silver", "2", "2024-02-01", "2024-03-01").canceled("2024-02-10")
        let refunded = ReceiptTestCase.bought(january, february)
        let silver = try refunded.entitlement(at: "2024-02-15")
        #expect(silver.state == .refunded)
        #expect(silver.transactionIdentifier == "2")
        #expect(silver.since == day("2024-01-01"))
        let renewed = ReceiptTestCase.bought(january, february, .period("silver", "3", "2024-02-20", "2024-03-20"))
        #expect(try renewed.entitlement(at: "2024-02-15").state == .refunded)
        let again = try renewed.entitlement(at: "2024-02-20")
        #expect(again.state == .active)
        #expect(again.since == day("2024-02-20"))
        #expect(again.transactionIdentifier == "3")
    }

    @Test("A cancellation in a receipt is an upgrade if another product begins at that time")
    func upgraded() throws {
        let noon = "2024-01-10T12:00:00Z"
        let silver = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-01")
        for silver in [silver, silver.canceled(noon), silver.canceled("2024-01-10T12:00:00.400Z")] {
            let testCase = ReceiptTestCase.bought(silver, .period("gold", "2", noon, "2025-01-10"))
            #expect(try testCase.entitlements(at: "2024-01-10T11:59:59Z").active.products == ["silver"])
            let entitlements = try testCase.entitlements(at: noon)
            #expect(entitlements.active.products == ["gold"])
            let old = try #require(entitlements["silver"])
            #expect(old.state == .upgraded)
            #expect(old.since == day("2024-01-01"))
            #expect(old.until?.timeIntervalSince(instant(noon)).rounded(.down) == 0)
            #expect(old.reason.hasPrefix("The customer changed to \"gold\" on 2024-01-10T12:00:00"))
            #expect(old.nextStep == "Use the entitlement of the product that replaced it.")
            #expect(try #require(entitlements["gold"]).since == instant(noon))
        }
    }

    @Test("A cancellation at another time, or in another subscription, is a refund")
    func refundBesideAnotherProduct() throws {
        let silver = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-01").canceled("2024-01-10")
        let later = try ReceiptTestCase.bought(silver, .period("gold", "2", "2024-01-12", "2024-02-12")).entitlements(
            at: "2024-01-20")
        #expect(later.state("silver") == .refunded)
        #expect(later.state("gold") == .active)
        let other = try ReceiptTestCase.bought(silver, .period("gold", "2", "2024-01-10", "2024-02-10", original: "2"))
            .entitlements(at: "2024-01-20")
        #expect(other.state("silver") == .refunded)
        #expect(other.state("gold") == .active)
        let same = try ReceiptTestCase.bought(silver, .period("silver", "2", "2024-01-10", "2024-02-10")).entitlements(
            at: "2024-01-20")
        #expect(same.state("silver") == .active)
        #expect(
            try ReceiptTestCase.bought(silver, .period("silver", "2", "2024-01-10", "2024-01-15")).entitlements(
                at: "2024-01-12"
            )
            .state("silver") == .active)
    }

    @Test("A change of products at renewal is an upgrade, and so is the change back")
    func crossgrade() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("gold", "2", "2024-02-01", "2024-03-01"),
            .period("silver", "3", "2024-03-01", "2024-04-01"))
        for (date, silver, gold) in [
            ("2024-01-31", .active, .notStarted), ("2024-02-01", .upgraded, .active),
            ("2024-02-29", .upgraded, .active),
            ("2024-03-01", .active, .upgraded), ("2024-03-31", .active, .upgraded), ("2024-04-01", .expired, .upgraded),
        ] as [(String, Entitlement.State, Entitlement.State)] {
            let entitlements = try testCase.entitlements(at: date)
            #expect(entitlements.state("silver") == silver, "\(date)")
            #expect(entitlements.state("gold") == gold, "\(date)")
        }
        let silver = try #require(try testCase.entitlements(at: "2024-02-15")["silver"])
        #expect(silver.until == day("2024-02-01"))
        #expect(silver.since == day("2024-01-01"))
        #expect(silver.transactionIdentifier == "1")
        let back = try #require(try testCase.entitlements(at: "2024-03-15")["silver"])
        #expect(back.since == day("2024-03-01"))
        #expect(back.until == day("2024-04-01"))
        #expect(back.transactionIdentifier == "3")
        let gold = try #require(try testCase.entitlements(at: "2024-04-15")["gold"])
        #expect(gold.since == day("2024-02-01"))
        #expect(gold.until == day("2024-03-01"))
    }

    @Test("Before a known change of products, the reason contains the product that follows")
    func plannedChange() throws {
        let noon = "2024-01-10T12:00:00Z"
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("gold", "2", noon, "2024-02-10"))
        let silver = try #require(try testCase.entitlements(at: "2024-01-05")["silver"])
        #expect(silver.state == .active)
        #expect(silver.until == instant(noon))
        #expect(silver.reason == "The period runs until 2024-01-10T12:00:00Z, when \"gold\" replaces it.")
    }

    @Test("Uninterrupted access began with the first of the periods that follow each other")
    func since() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01"), .period("silver", "2", "2024-02-02", "2024-03-01"),
            .period("silver", "3", "2024-03-01", "2024-04-01"), .period("silver", "4", "2024-03-31", "2024-05-01"),
            .period("silver", "5", "2024-05-01T00:00:00.500Z", "2024-06-01"))
        #expect(try testCase.entitlement(at: "2024-01-15").since == day("2024-01-01"))
        #expect(try testCase.entitlement(at: "2024-02-01T12:00:00Z").since == day("2024-01-01"))
        for date in ["2024-02-15", "2024-03-15", "2024-04-15", "2024-05-15", "2024-07-01"] {
            #expect(try testCase.entitlement(at: date).since == day("2024-02-02"), "\(date)")
        }
    }

    @Test("A trial and the periods after it are uninterrupted access")
    func testCase() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-01-08").with { $0.isTrialPeriod = true },
            .period("silver", "2", "2024-01-08", "2024-02-08"))
        #expect(try testCase.entitlement(at: "2024-01-15").since == day("2024-01-01"))
    }
}
