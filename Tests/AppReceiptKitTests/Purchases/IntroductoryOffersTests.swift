import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("IntroductoryOffers")
struct IntroductoryOffersTests {
    @Test(
        "one period with the flag is enough, none of several has it is no, and a silent one leaves it open",
        arguments: [
            // Flags of the periods, nil where the attribute is missing; the answer.
            ([], false), ([true], true), ([false], false), ([nil], nil), ([false, false], false),
            ([false, true], true),
            ([true, false, false], true), ([nil, true], true), ([true, nil], true), ([false, nil], nil),
            ([nil, nil], nil),
        ] as [([Bool?], Bool?)])
    func flags(_ flags: [Bool?], _ answer: Bool?) throws {
        let trials = try Self.purchases(flags.map { Flags(trial: $0, introductory: false) })
        #expect(trials.hasUsedTrial(ofAny: ["monthly"]) == answer)
        #expect(trials.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == false)
        let prices = try Self.purchases(flags.map { Flags(trial: false, introductory: $0) })
        #expect(prices.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == answer)
        #expect(prices.hasUsedTrial(ofAny: ["monthly"]) == false)
    }

    @Test(
        "a trial or a price used up the group's offer; it is open only if no period is silent",
        arguments: [
            ([], .eligible), ([Flags(trial: false, introductory: false)], .eligible),
            ([Flags(trial: true, introductory: false)], .used), ([Flags(trial: false, introductory: true)], .used),
            ([Flags(trial: true, introductory: true)], .used), ([Flags(trial: true, introductory: nil)], .used),
            ([Flags(trial: nil, introductory: true)], .used), ([Flags(trial: false, introductory: nil)], .unknown),
            ([Flags(trial: nil, introductory: false)], .unknown), ([Flags(trial: nil, introductory: nil)], .unknown),
            ([Flags(trial: nil, introductory: nil), Flags(trial: false, introductory: true)], .used),
            ([Flags(trial: false, introductory: false), Flags(trial: nil, introductory: false)], .unknown),
            ([Flags(trial: false, introductory: false), Flags(trial: false, introductory: false)], .eligible),
        ] as [([Flags], IntroductoryOfferEligibility)])
    func eligibility(_ flags: [Flags], _ eligibility: IntroductoryOfferEligibility) throws {
        #expect(try Self.purchases(flags).introductoryOfferEligibility(in: ["monthly", "yearly"]) == eligibility)
    }

    @Test("one offer counts for the whole group, whichever product it was for, and for no other group")
    func groups() throws {
        let purchases = try Trial.bought(
            Self.period("monthly", "1"), Self.period("old-monthly", "2") { $0.isTrialPeriod = true },
            Self.period("magazine", "3") { $0.isInIntroductoryOfferPeriod = true }
        ).purchases()
        #expect(purchases.introductoryOfferEligibility(in: ["monthly", "yearly", "old-monthly"]) == .used)
        #expect(purchases.introductoryOfferEligibility(in: ["monthly", "yearly"]) == .eligible)
        #expect(purchases.introductoryOfferEligibility(in: ["magazine"]) == .used)
        #expect(purchases.introductoryOfferEligibility(in: ["newspaper"]) == .eligible)
        #expect(purchases.introductoryOfferEligibility(in: []) == .unknown)
        #expect(purchases.hasUsedTrial(ofAny: ["monthly", "old-monthly"]) == true)
        #expect(purchases.hasUsedTrial(ofAny: ["magazine"]) == false)
        #expect(purchases.hasUsedIntroductoryPrice(ofAny: ["magazine", "monthly"]) == true)
        #expect(purchases.hasUsedIntroductoryPrice(ofAny: []) == false)
    }

    @Test("refunded trials and prices count, also when refunded at once")
    func refunds() throws {
        for date in [day("2024-01-01"), day("2024-01-10"), day("2024-02-01")] {
            let purchases = try Trial.bought(
                Self.period("monthly", "1") { $0.isTrialPeriod = true }.cancelled(at: date),
                Self.period("yearly", "2") { $0.isInIntroductoryOfferPeriod = true }.cancelled(at: date)
            ).purchases()
            #expect(purchases.hasUsedTrial(ofAny: ["monthly"]) == true)
            #expect(purchases.hasUsedIntroductoryPrice(ofAny: ["yearly"]) == true)
            #expect(purchases.introductoryOfferEligibility(in: ["monthly"]) == .used)
        }
    }

    @Test("the periods after a trial do not bring it back")
    func renewals() throws {
        let purchases = try Trial.bought(
            TestPurchase(
                subscription: "monthly", transaction: "1", from: day("2024-01-01"), to: day("2024-01-08"),
                isTrial: true),
            TestPurchase(
                subscription: "monthly", transaction: "2", original: "1", from: day("2024-01-08"),
                to: day("2024-02-08")),
            TestPurchase(
                subscription: "monthly", transaction: "3", original: "1", from: day("2024-02-08"),
                to: day("2024-03-08"))
        ).purchases()
        #expect(purchases.introductoryOfferEligibility(in: ["monthly"]) == .used)
        #expect(purchases.latest(of: "monthly")?.isTrialPeriod == false)
    }

    @Test(
        "what is no subscription does not matter, though it says nothing of introductory prices",
        arguments: [
            InAppPurchase.ProductType.nonConsumable, .consumable, .nonRenewingSubscription,
        ])
    func otherProducts(_ type: InAppPurchase.ProductType) throws {
        let other = TestPurchase("monthly", transaction: "1", at: day("2024-01-01"), type: type)
        let purchases = try Trial.bought(other, Self.period("monthly", "2")).purchases()
        #expect(purchases.of(product: "monthly").first?.isInIntroductoryOfferPeriod == nil)
        #expect(purchases.hasUsedTrial(ofAny: ["monthly"]) == false)
        #expect(purchases.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == false)
        #expect(purchases.introductoryOfferEligibility(in: ["monthly"]) == .eligible)
    }

    @Test("a promotional offer is no introductory one")
    func promotionalOffers() throws {
        let purchases = try Trial.bought(
            Self.period("monthly", "1") { $0.promotionalOfferIdentifier = "come-back" }
        ).purchases()
        #expect(purchases.introductoryOfferEligibility(in: ["monthly"]) == .eligible)
    }

    @Test("a period that does not name its product is of no group")
    func withoutProduct() throws {
        let purchases = try Trial.bought(
            Self.period("monthly", "1") { $0.isTrialPeriod = true }.without(1702)
        ).purchases()
        #expect(purchases.introductoryOfferEligibility(in: ["monthly", ""]) == .eligible)
    }

    @Test("a period that does not name its type is known by its end")
    func withoutType() throws {
        let purchases = try Trial.bought(
            Self.period("monthly", "1") { $0.isTrialPeriod = true }.without(1707)
        ).purchases()
        #expect(purchases.hasUsedTrial(ofAny: ["monthly"]) == true)
    }

    @Test("Xcode says nothing of trials, so that only an introductory price can be told")
    func xcode() throws {
        let price = try Trial.bought(Self.period("monthly", "1") { $0.isInIntroductoryOfferPeriod = true })
            .likeXcode().purchases()
        #expect(price.hasUsedTrial(ofAny: ["monthly"]) == nil)
        #expect(price.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == true)
        #expect(price.introductoryOfferEligibility(in: ["monthly"]) == .used)
        let none = try Trial.bought(Self.period("monthly", "1")).likeXcode().purchases()
        #expect(none.hasUsedTrial(ofAny: ["monthly"]) == nil)
        #expect(none.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == false)
        #expect(none.introductoryOfferEligibility(in: ["monthly"]) == .unknown)
        #expect(none.introductoryOfferEligibility(in: ["yearly"]) == .eligible)
    }

    @Test("a trial counts whatever is said of the type and the end")
    func trialWithoutType() throws {
        let bare = Self.period("monthly", "1") { $0.isTrialPeriod = true }.without(1707, 1708)
        let purchases = try Trial.bought(bare).purchases()
        #expect(purchases.hasUsedTrial(ofAny: ["monthly"]) == true)
        #expect(purchases.introductoryOfferEligibility(in: ["monthly"]) == .used)
    }

    /// What one period says; nil where the attribute is missing.
    struct Flags: Sendable {
        let trial: Bool?
        let introductory: Bool?
    }

    /// Periods of `monthly`, one a day, with these flags.
    private static func purchases(_ flags: [Flags]) throws -> Purchases {
        try Trial.with { trial in
            trial.receipt.purchases = flags.enumerated().map { index, flags in
                var purchase = period("monthly", "\(index + 1)")
                purchase.purchaseDate += Double(index * 86_400)
                purchase.isTrialPeriod = flags.trial ?? false
                purchase.isInIntroductoryOfferPeriod = flags.introductory ?? false
                if flags.trial == nil { purchase = purchase.without(1713) }
                if flags.introductory == nil { purchase = purchase.without(1719) }
                return purchase
            }
        }.purchases()
    }

    /// January.
    private static func period(
        _ product: String, _ transaction: String, _ change: (inout TestPurchase) -> Void = { _ in }
    ) -> TestPurchase {
        TestPurchase(
            subscription: product, transaction: transaction, from: day("2024-01-01"), to: day("2024-02-01")
        ).with(change)
    }
}
