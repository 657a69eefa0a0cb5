import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

/// Changes of products and grace periods, from signed transactions and renewal information.
@Suite("Subscription")
struct SubscriptionTests {
    // MARK: Changes of products

    @Test(
        "An upgrade ends the period when the next product begins, whether or not a token is marked as upgraded",
        arguments: [true, false])
    func upgrade(_ isUpgraded: Bool) throws {
        let plus = try Evidence.period("plus", "1", "2024-06-01", "2024-08-01", signed: "2024-07-02") {
            if isUpgraded { $0.overrides = ["isUpgraded": true] }
        }
        let max = try Evidence.period("max", "2", "2024-07-01", "2024-09-01")
        for evidence in [plus + max, max + plus] {
            #expect(evidence.entitlements(at: "2024-06-30").active.map(\.productIdentifier) == ["plus"])
            #expect(evidence.entitlements(at: "2024-07-01").active.map(\.productIdentifier) == ["max"])
            let old = try #require(evidence.entitlements(at: "2024-07-15")["plus"])
            #expect(old.state == .upgraded)
            #expect(old.until == moment("2024-07-01"))
            #expect(old.since == moment("2024-06-01"))
            #expect(old.reason == "The customer changed to \"max\" on 2024-07-01T00:00:00Z.")
        }
    }

    @Test("An upgraded period without a known successor doesn't grant access, because its end is unknown")
    func upgradeWithoutSuccessor() throws {
        let plus = try Evidence.period("plus", "1", "2024-06-01", "2024-08-01") { $0.overrides = ["isUpgraded": true] }
        // A product that began after the period can't have ended it.
        let late = try Evidence.period("max", "2", "2024-09-01", "2024-10-01")
        for evidence in [plus, plus + late] {
            for date in ["2024-06-01", "2024-06-15", "2024-07-15", "2024-08-15"] {
                let old = try #require(evidence.entitlements(at: date)["plus"])
                #expect(old.state == .upgraded)
                #expect(!old.isActive)
                #expect(old.until == nil)
                #expect(old.reason == "The customer changed to another product of the subscription.")
                #expect(old.nextStep == "Use the entitlement of the product that replaced it.")
            }
            #expect(evidence.state("plus", at: "2024-05-31") == .notStarted)
        }
    }

    @Test("A customer can change products at renewal and change back")
    func crossgrade() throws {
        let evidence =
            try Evidence.period("plus", "1", "2024-06-01", "2024-07-01")
            + .period("max", "2", "2024-07-01", "2024-08-01") + .period("plus", "3", "2024-08-01", "2024-09-01")
        for (date, plus, max) in [
            ("2024-06-30", .active, .notStarted), ("2024-07-01", .upgraded, .active),
            ("2024-08-01", .active, .upgraded),
            ("2024-09-01", .renewalUnknown, .upgraded),
        ] as [(String, Entitlement.State, Entitlement.State)] {
            #expect(evidence.state("plus", at: date) == plus, "\(date)")
            #expect(evidence.state("max", at: date) == max, "\(date)")
        }
        #expect(evidence.entitlements(at: "2024-08-15")["plus"]?.since == moment("2024-08-01"))
    }

    @Test("A refunded successor still ends the earlier period")
    func refundedSuccessor() throws {
        let evidence =
            try Evidence.period("plus", "1", "2024-06-01", "2024-08-01")
            + .period("max", "2", "2024-07-01", "2024-09-01") { $0.revocationDate = moment("2024-07-05") }
        #expect(evidence.state("plus", at: "2024-07-03") == .upgraded)
        #expect(evidence.state("max", at: "2024-07-03") == .active)
        #expect(evidence.state("plus", at: "2024-07-10") == .upgraded)
        #expect(evidence.state("max", at: "2024-07-10") == .refunded)
    }

    @Test("A product of another original transaction doesn't end the period")
    func otherOriginal() throws {
        let evidence =
            try Evidence.period("plus", "1", "2024-06-01", "2024-08-01")
            + .period("max", "2", "2024-07-01", "2024-09-01", original: "2")
        #expect(evidence.entitlements(at: "2024-07-15").active.map(\.productIdentifier) == ["max", "plus"])
    }

    @Test("A product that began after a gap replaced the earlier one, whose access ended with its period")
    func successorAfterGap() throws {
        let evidence =
            try Evidence.period("plus", "1", "2024-06-01", "2024-07-01")
            + .period("max", "2", "2024-08-01", "2024-09-01")
        #expect(evidence.state("plus", at: "2024-07-15") == .expired)
        let plus = try #require(evidence.entitlements(at: "2024-08-15")["plus"])
        #expect(plus.state == .upgraded)
        #expect(plus.until == moment("2024-07-01"))
        #expect(plus.reason == "The customer changed to \"max\" on 2024-08-01T00:00:00Z.")
    }

    @Test("If another product begins on the date of a revocation, a token's is a refund and a receipt's an upgrade")
    func upgradeOrRefund() throws {
        let max = try Evidence.period("max", "2", "2024-06-15", "2024-07-15")
        let token = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-06-16") {
            $0.revocationDate = moment("2024-06-15")
        }
        let receipt = try Evidence.receipt(
            created: "2024-06-16", .period("plus", "1", "2024-06-01", "2024-07-01").canceled("2024-06-15"))
        #expect((max + token).state("plus", at: "2024-06-20") == .refunded)
        #expect((max + receipt).state("plus", at: "2024-06-20") == .upgraded)
        #expect((max + receipt + token).state("plus", at: "2024-06-20") == .refunded)
        #expect(receipt.state("plus", at: "2024-06-20") == .refunded)
    }

    @Test("A copy that was restored after the end of its period neither ends another product nor a grace period")
    func restoredLate() throws {
        // Upgraded on June 15; on August 5 the customer restored the first period, which had ended on July 1.
        let restored = try Evidence.receipt(created: "2024-08-06", .period("plus", "9", "2024-08-05", "2024-07-01"))
        let evidence =
            try Evidence.period("plus", "1", "2024-06-01", "2024-07-01")
            + .period("max", "2", "2024-06-15", "2024-07-15") + restored
        let max = try #require(evidence.entitlements(at: "2024-07-05")["max"])
        #expect(max.state == .active)
        #expect(max.until == moment("2024-07-15"))
        #expect(evidence.state("plus", at: "2024-07-05") == .upgraded)
        let grace =
            try Evidence.period("plus", "1", "2024-06-01", "2024-07-01")
            + .period("plus", "2", "2024-06-15", "2024-07-15") + restored
            + .renewal("plus", signed: "2024-07-16") { $0.gracePeriodExpirationDate = moment("2024-07-31") }
        #expect(grace.state("plus", at: "2024-07-20") == .gracePeriod)
    }

    @Test("A receipt's copy that was restored after the end isn't a later period")
    func restoredCopyShowsEnd() throws {
        let evidence = try Evidence.receipt(
            created: "2024-08-06", .period("plus", "1", "2024-06-01", "2024-07-01"),
            .period("plus", "9", "2024-08-05", "2024-07-01"))
        #expect(evidence.state("plus", at: "2024-08-10") == .expired)
    }

    // MARK: Grace periods

    private func renewal(
        signed: String, grace: String?, product: String = "plus", original: String = "1"
    ) throws -> Evidence {
        try .renewal(product, original: original, signed: signed) { $0.gracePeriodExpirationDate = grace.map(moment) }
    }

    private func june() throws -> Evidence {
        try .period("plus", "1", "2024-05-01", "2024-06-01") + .period("plus", "2", "2024-06-01", "2024-07-01")
    }

    @Test("A grace period follows the last period that had ended when the renewal information was signed")
    func grace() throws {
        for signed in ["2024-07-01", "2024-07-02"] {
            let evidence = try june() + renewal(signed: signed, grace: "2024-07-17")
            #expect(evidence.state("plus", at: "2024-06-30T23:59:59Z") == .active)
            for date in ["2024-07-01", "2024-07-10", "2024-07-16T23:59:59Z"] {
                let plus = try #require(evidence.entitlements(at: date)["plus"])
                #expect(plus.state == .gracePeriod)
                #expect(plus.isActive)
                #expect(plus.until == moment("2024-07-17"))
                #expect(plus.since == moment("2024-05-01"))
                #expect(plus.transactionIdentifier == "2")
                #expect(plus.asOf == moment(signed))
                #expect(plus.willRenew == true)
                #expect(
                    plus.reason
                        == "The renewal couldn't be billed; the billing grace period runs until 2024-07-17T00:00:00Z.")
                #expect(plus.nextStep?.hasPrefix("Keep access") == true)
            }
            let after = try #require(evidence.entitlements(at: "2024-07-17")["plus"])
            #expect(after.state == .renewalUnknown)
            #expect(!after.isActive)
            #expect(after.until == moment("2024-07-17"))
        }
        #expect(try june().state("plus", at: "2024-07-10") == .renewalUnknown)
    }

    @Test("A grace period in renewal information signed before the end has no effect")
    func signedBeforeTheEnd() throws {
        let evidence = try june() + renewal(signed: "2024-06-30T23:59:59Z", grace: "2024-07-17")
        #expect(evidence.state("plus", at: "2024-06-15") == .active)
        #expect(evidence.state("plus", at: "2024-07-10") == .renewalUnknown)
    }

    @Test("Newer renewal information without a grace period ends it, in any order of arrival")
    func newerRenewal() throws {
        let grace = try renewal(signed: "2024-07-01", grace: "2024-07-17")
        let over = try renewal(signed: "2024-07-05", grace: nil)
        for renewals in [grace + over, over + grace] {
            #expect(try (june() + renewals).state("plus", at: "2024-07-10") == .renewalUnknown)
        }
        let again = try renewal(signed: "2024-07-06", grace: "2024-07-20")
        for renewals in [grace + over + again, again + over + grace] {
            #expect(try (june() + renewals).entitlements(at: "2024-07-10")["plus"]?.until == moment("2024-07-20"))
        }
    }

    @Test(
        "A later period of any product ends the grace period, whether or not it was refunded",
        arguments: ["plus", "max"],
        [false, true])
    func laterPeriod(_ product: String, _ isRefunded: Bool) throws {
        let later = try Evidence.period(product, "3", "2024-07-05", "2024-08-05") {
            if isRefunded { $0.revocationDate = moment("2024-07-06") }
        }
        let evidence = try june() + later + renewal(signed: "2024-07-02", grace: "2024-07-17")
        let plus = try #require(evidence.entitlements(at: "2024-07-03")["plus"])
        #expect(plus.state == .gracePeriod)
        #expect(plus.until == moment("2024-07-05"))
        let states: (Entitlement.State?, Entitlement.State?) = (
            evidence.state("plus", at: "2024-07-10"), evidence.state(product, at: "2024-07-10")
        )
        #expect(states.1 == (isRefunded ? .refunded : .active))
        if product == "max" {
            #expect(states.0 == .upgraded)
            #expect(evidence.entitlements(at: "2024-07-10")["plus"]?.until == moment("2024-07-05"))
        } else if !isRefunded {
            #expect(
                evidence.entitlements(at: "2024-07-10")["plus"]?.since == moment("2024-05-01"),
                "the grace period was access")
        }
        #expect(
            !evidence.entitlements(at: "2024-08-10").isActive(product),
            "the renewal information was signed before this period ended")
    }

    @Test("A grace period applies to the product to renew, not to an upgraded one")
    func graceOfProduct() throws {
        let yearly = try Evidence.period("yearly", "1", "2024-06-01", "2024-12-01", signed: "2024-07-02") {
            $0.overrides = ["isUpgraded": true]
        }
        let monthly = try Evidence.period("monthly", "2", "2024-07-01", "2024-08-01")
        let evidence = try yearly + monthly + renewal(signed: "2024-08-02", grace: "2024-08-16", product: "monthly")
        #expect(evidence.entitlements(at: "2024-08-10").active.map(\.productIdentifier) == ["monthly"])
        let late = try yearly + monthly + renewal(signed: "2024-12-02", grace: "2024-12-16", product: "monthly")
        #expect(late.entitlements(at: "2024-12-10").active.map(\.productIdentifier) == ["monthly"])
    }

    @Test("A grace period that ends before the period doesn't shorten it")
    func graceBeforeTheEnd() throws {
        let evidence = try june() + renewal(signed: "2024-07-02", grace: "2024-06-15")
        #expect(evidence.state("plus", at: "2024-06-20") == .active)
        #expect(evidence.state("plus", at: "2024-07-02") == .renewalUnknown)
    }

    @Test("Renewal information of another original transaction has no effect")
    func otherRenewal() throws {
        let evidence = try june() + renewal(signed: "2024-07-02", grace: "2024-07-17", original: "7")
        #expect(evidence.entitlements(at: "2024-07-10") == (try june().entitlements(at: "2024-07-10")))
    }

    @Test("A refund in the grace period ends it")
    func refundInGrace() throws {
        let refunded = try Evidence.period("plus", "2", "2024-06-01", "2024-07-01", signed: "2024-07-06") {
            $0.revocationDate = moment("2024-07-05")
        }
        let evidence = try june() + refunded + renewal(signed: "2024-07-02", grace: "2024-07-17")
        #expect(evidence.entitlements(at: "2024-07-03")["plus"]?.until == moment("2024-07-05"))
        #expect(evidence.state("plus", at: "2024-07-03") == .gracePeriod)
        #expect(evidence.state("plus", at: "2024-07-10") == .refunded)
    }

    @Test("A grace period follows a period that only a receipt contains")
    func graceOfReceipt() throws {
        let receipt = try Evidence.receipt(created: "2024-06-10", .period("plus", "2", "2024-06-01", "2024-07-01"))
        #expect(
            try (receipt + renewal(signed: "2024-07-02", grace: "2024-07-17")).state("plus", at: "2024-07-10")
                == .gracePeriod)
    }
}
