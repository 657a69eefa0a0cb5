import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Introductory offers")
struct IntroductoryOffersTests {
    @Test(
        "An offer is used if one period has the flag, and unknown if a period lacks it",
        arguments: [
            // The flags of the periods, nil if the attribute is missing, and the result.
            ([], false), ([true], true), ([false], false), ([nil], nil), ([false, false], false),
            ([false, true], true),
            ([true, false, false], true), ([nil, true], true), ([true, nil], true), ([false, nil], nil),
            ([nil, nil], nil),
        ] as [([Bool?], Bool?)])
    func flags(_ flags: [Bool?], _ answer: Bool?) throws {
        let trials = try Self.entitlements(flags.map { Flags(trial: $0, introductory: false) })
        #expect(trials.hasUsedTrial(ofAny: ["monthly"]) == answer)
        #expect(trials.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == false)
        let prices = try Self.entitlements(flags.map { Flags(trial: false, introductory: $0) })
        #expect(prices.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == answer)
        #expect(prices.hasUsedTrial(ofAny: ["monthly"]) == false)
    }

    @Test(
        "A trial or an introductory price uses up the group's offer",
        arguments: [
            ([], .eligible), ([Flags(trial: false, introductory: false)], .eligible),
            ([Flags(trial: true, introductory: false)], .ineligible),
            ([Flags(trial: false, introductory: true)], .ineligible),
            ([Flags(trial: true, introductory: true)], .ineligible),
            ([Flags(trial: true, introductory: nil)], .ineligible),
            ([Flags(trial: nil, introductory: true)], .ineligible),
            ([Flags(trial: false, introductory: nil)], .unknown),
            ([Flags(trial: nil, introductory: false)], .unknown), ([Flags(trial: nil, introductory: nil)], .unknown),
            ([Flags(trial: nil, introductory: nil), Flags(trial: false, introductory: true)], .ineligible),
            ([Flags(trial: false, introductory: false), Flags(trial: nil, introductory: false)], .unknown),
            ([Flags(trial: false, introductory: false), Flags(trial: false, introductory: false)], .eligible),
        ] as [([Flags], IntroductoryOfferEligibility)])
    func eligibility(_ flags: [Flags], _ eligibility: IntroductoryOfferEligibility) throws {
        #expect(
            try Self.entitlements(flags).introductoryOfferEligibility(inGroupOf: ["monthly", "yearly"]) == eligibility)
    }

    @Test("An offer counts for all products of the group and for no other group")
    func groups() throws {
        let entitlements = try ReceiptTestCase.bought(
            Self.period("monthly", "1"), Self.period("old-monthly", "2") { $0.isTrialPeriod = true },
            Self.period("magazine", "3") { $0.isInIntroductoryOfferPeriod = true }
        ).entitlements()
        #expect(
            entitlements.introductoryOfferEligibility(inGroupOf: ["monthly", "yearly", "old-monthly"]) == .ineligible)
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["monthly", "yearly"]) == .eligible)
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["magazine"]) == .ineligible)
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["newspaper"]) == .eligible)
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: []) == .unknown)
        #expect(entitlements.hasUsedTrial(ofAny: ["monthly", "old-monthly"]) == true)
        #expect(entitlements.hasUsedTrial(ofAny: ["magazine"]) == false)
        #expect(entitlements.hasUsedIntroductoryPrice(ofAny: ["magazine", "monthly"]) == true)
        #expect(entitlements.hasUsedIntroductoryPrice(ofAny: []) == false)
    }

    @Test("Refunded trials and introductory prices count")
    func refunds() throws {
        for date in [day("2024-01-01"), day("2024-01-10"), day("2024-02-01")] {
            let entitlements = try ReceiptTestCase.bought(
                Self.period("monthly", "1") { $0.isTrialPeriod = true }.canceled(at: date),
                Self.period("yearly", "2") { $0.isInIntroductoryOfferPeriod = true }.canceled(at: date)
            ).entitlements()
            #expect(entitlements.hasUsedTrial(ofAny: ["monthly"]) == true)
            #expect(entitlements.hasUsedIntroductoryPrice(ofAny: ["yearly"]) == true)
            #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["monthly"]) == .ineligible)
        }
    }

    @Test("Periods after a trial don't make it available again")
    func renewals() throws {
        let entitlements = try ReceiptTestCase.bought(
            TestPurchase(
                subscription: "monthly", transaction: "1", from: day("2024-01-01"), to: day("2024-01-08"),
                isTrial: true),
            TestPurchase(
                subscription: "monthly", transaction: "2", original: "1", from: day("2024-01-08"),
                to: day("2024-02-08")),
            TestPurchase(
                subscription: "monthly", transaction: "3", original: "1", from: day("2024-02-08"),
                to: day("2024-03-08"))
        ).entitlements()
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["monthly"]) == .ineligible)
        #expect(entitlements.transactions.last?.isTrialPeriod == false)
    }

    @Test(
        "Purchases other than subscriptions have no effect",
        arguments: [
            InAppPurchase.ProductType.nonConsumable, .consumable, .nonRenewingSubscription,
        ])
    func otherProducts(_ type: InAppPurchase.ProductType) throws {
        let other = TestPurchase("monthly", transaction: "1", at: day("2024-01-01"), type: type)
        let entitlements = try ReceiptTestCase.bought(other, Self.period("monthly", "2")).entitlements()
        #expect(entitlements.transactions.count == 2)
        #expect(entitlements.transactions.first?.isInIntroductoryOfferPeriod == nil)
        #expect(entitlements.hasUsedTrial(ofAny: ["monthly"]) == false)
        #expect(entitlements.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == false)
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["monthly"]) == .eligible)
    }

    @Test("A promotional offer isn't an introductory offer")
    func promotionalOffers() throws {
        let entitlements = try ReceiptTestCase.bought(
            Self.period("monthly", "1") { $0.promotionalOfferIdentifier = "come-back" }
        ).entitlements()
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["monthly"]) == .eligible)
    }

    @Test("A period without a product identifier belongs to no group")
    func withoutProduct() throws {
        let entitlements = try ReceiptTestCase.bought(
            Self.period("monthly", "1") { $0.isTrialPeriod = true }.without(1702)
        ).entitlements()
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["monthly", ""]) == .eligible)
    }

    @Test("A period without a product type counts because it has an end")
    func withoutType() throws {
        let entitlements = try ReceiptTestCase.bought(
            Self.period("monthly", "1") { $0.isTrialPeriod = true }.without(1707)
        ).entitlements()
        #expect(entitlements.hasUsedTrial(ofAny: ["monthly"]) == true)
    }

    @Test("Xcode's receipts contain introductory prices but not trials")
    func xcode() throws {
        let price = try ReceiptTestCase.bought(Self.period("monthly", "1") { $0.isInIntroductoryOfferPeriod = true })
            .likeXcode().entitlements()
        #expect(price.hasUsedTrial(ofAny: ["monthly"]) == nil)
        #expect(price.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == true)
        #expect(price.introductoryOfferEligibility(inGroupOf: ["monthly"]) == .ineligible)
        let none = try ReceiptTestCase.bought(Self.period("monthly", "1")).likeXcode().entitlements()
        #expect(none.hasUsedTrial(ofAny: ["monthly"]) == nil)
        #expect(none.hasUsedIntroductoryPrice(ofAny: ["monthly"]) == false)
        #expect(none.introductoryOfferEligibility(inGroupOf: ["monthly"]) == .unknown)
        #expect(none.introductoryOfferEligibility(inGroupOf: ["yearly"]) == .eligible)
    }

    @Test("A trial counts without product type and expiration date")
    func trialWithoutType() throws {
        let bare = Self.period("monthly", "1") { $0.isTrialPeriod = true }.without(1707, 1708)
        let entitlements = try ReceiptTestCase.bought(bare).entitlements()
        #expect(entitlements.hasUsedTrial(ofAny: ["monthly"]) == true)
        #expect(entitlements.introductoryOfferEligibility(inGroupOf: ["monthly"]) == .ineligible)
    }

    /// The flags of one period, nil if the attribute is missing.
    struct Flags: Sendable {
        let trial: Bool?
        let introductory: Bool?
    }

    /// Returns the entitlements from periods of `monthly` with these flags, one a day.
    private static func entitlements(_ flags: [Flags]) throws -> Entitlements {
        try ReceiptTestCase.with { testCase in
            testCase.receipt.purchases = flags.enumerated().map { index, flags in
                var purchase = period("monthly", "\(index + 1)")
                purchase.purchaseDate += Double(index * 86_400)
                purchase.isTrialPeriod = flags.trial ?? false
                purchase.isInIntroductoryOfferPeriod = flags.introductory ?? false
                if flags.trial == nil { purchase = purchase.without(1713) }
                if flags.introductory == nil { purchase = purchase.without(1719) }
                return purchase
            }
        }.entitlements()
    }

    /// Returns a period of January.
    private static func period(
        _ product: String, _ transaction: String, _ change: (inout TestPurchase) -> Void = { _ in }
    ) -> TestPurchase {
        TestPurchase(
            subscription: product, transaction: transaction, from: day("2024-01-01"), to: day("2024-02-01")
        ).with(change)
    }
}
