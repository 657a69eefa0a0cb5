import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation

extension Scenario {
    private static func period(
        _ start: String, _ end: String, _ product: String = "plus", _ transaction: String = "1",
        of original: String = "1"
    ) -> TestPurchase {
        TestPurchase(
            subscription: product, transaction: transaction, original: original, from: day(start), to: day(end))
    }

    private static func token(
        _ start: String, _ end: String, _ product: String = "plus", _ transaction: String = "1", signed: String? = nil,
        revoked: String? = nil, _ overrides: [String: AppStoreJSON] = [:]
    ) -> Evidence {
        .transaction(
            signed: day(signed ?? start), transaction, product, of: "1", from: day(start), until: day(end),
            revoked: revoked.map(day), overrides)
    }

    /// Auto-renewable subscriptions.
    package static let subscriptions: [Scenario] = [
        Scenario(
            "A period is active until its end", [.receipt(day("07-02"), period("07-01", "08-01"))],
            ["plus": .active(day("08-01"))]),
        Scenario(
            "A transaction doesn't prove that the subscription wasn't renewed", [token("06-01", "07-01")],
            ["plus": .state(.renewalUnknown, until: day("07-01"))]),
        Scenario(
            "A receipt created after the end without a later period proves expiration",
            [.receipt(day("07-02"), period("06-01", "07-01"))], ["plus": .state(.expired, until: day("07-01"))]),
        Scenario(
            "A receipt created before the end doesn't prove expiration",
            [.receipt(day("06-02"), period("06-01", "07-01"))], ["plus": .state(.renewalUnknown, until: day("07-01"))]),
        Scenario(
            "Renewal information with an expiration intent proves expiration",
            [token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", intent: .canceled, status: .off)],
            ["plus": .state(.expired, until: day("07-01"))]),
        Scenario(
            "Renewal information signed before the end doesn't prove expiration",
            [token("06-01", "07-01"), .renewal(signed: day("06-20"), of: "1", intent: .canceled, status: .off)],
            ["plus": .state(.renewalUnknown, until: day("07-01"))]),
        Scenario(
            "Renewal information alone results in no entitlements",
            [.renewal(signed: day("07-02"), of: "1", grace: day("07-20"))],
            [:]),
        Scenario(
            "Billing retry doesn't provide access",
            [token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", retries: true, intent: .billingError)],
            ["plus": .state(.billingRetry, until: day("07-01"))]),
        Scenario(
            "Billing retry ends after 60 days",
            [token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", retries: true)], at: day("08-30"),
            ["plus": .state(.renewalUnknown, until: day("07-01"))]),
        Scenario(
            "A grace period provides access until its end",
            [token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", grace: day("07-17"), retries: true)],
            ["plus": .state(.gracePeriod, until: day("07-17"))]),
        Scenario(
            "After the grace period, billing retry doesn't provide access",
            [token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", grace: day("07-10"), retries: true)],
            ["plus": .state(.billingRetry, until: day("07-10"))]),
        Scenario(
            "Newer renewal information without a grace period ends it",
            [
                token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", grace: day("07-17")),
                .renewal(signed: day("07-03"), of: "1"),
            ],
            ["plus": .state(.renewalUnknown, until: day("07-01"))]),
        Scenario(
            "A refunded renewal ends the grace period before it",
            [
                token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", grace: day("07-17")),
                token("07-05", "08-05", "plus", "2", signed: "07-09", revoked: "07-08"),
            ],
            ["plus": .refunded(day("07-08"))]),
        Scenario(
            "A refund of the running period ends access",
            [
                .receipt(day("07-02"), period("07-01", "08-01")),
                token("07-01", "08-01", signed: "07-06", revoked: "07-05"),
            ],
            ["plus": .refunded(day("07-05"))], cancellations: ["1": day("07-05")]),
        Scenario(
            "A refund of an earlier period doesn't affect the current one",
            [
                .receipt(day("07-02"), period("06-01", "07-01"), period("07-01", "08-01", "plus", "2")),
                token("06-01", "07-01", signed: "07-06", revoked: "07-05"),
            ],
            ["plus": .active(day("08-01"))], cancellations: ["1": day("07-05")]),
        Scenario(
            "A refund of the original revokes a restored copy of a period",
            [
                .receipt(day("07-02"), period("07-01", "08-01", "plus", "2002", of: "2000")),
                .transaction(
                    signed: day("07-06"), "2000", "plus", from: day("07-01"), until: day("08-01"), revoked: day("07-05")
                ),
            ],
            ["plus": .refunded(day("07-05"))], cancellations: ["2002": day("07-05"), "2000": day("07-05")]),
        Scenario(
            "The end of Family Sharing revokes a subscription",
            [
                .receipt(day("07-10"), period("07-01", "08-01")),
                token("07-01", "08-01", signed: "07-05", revoked: "07-05", ["inAppOwnershipType": "FAMILY_SHARED"]),
            ],
            ["plus": .state(.revoked, until: day("07-05"))], cancellations: ["1": day("07-05")]),
        Scenario(
            "A newer receipt extends a period",
            [.receipt(day("07-10"), period("07-01", "08-15")), token("07-01", "08-01", signed: "07-02")],
            ["plus": .active(day("08-15"))]),
        Scenario(
            "A newer receipt doesn't shorten a token's period",
            [.receipt(day("07-10"), period("07-01", "08-01")), token("07-01", "08-15", signed: "07-02")],
            ["plus": .active(day("08-15"))]),
        Scenario(
            "A renewal that is signed before it begins doesn't end the period before it",
            [token("06-20", "07-20"), token("07-20", "08-20", "plus", "2", signed: "07-14")],
            ["plus": .active(day("07-20"))]),
        Scenario(
            "Before its first period, a subscription hasn't started", [token("07-20", "08-20")],
            ["plus": .state(.notStarted, until: day("08-20"))]),
        Scenario(
            "An upgrade ends the period of the other product, even if no token contains it",
            [token("07-01", "08-01"), token("07-10", "08-10", "max", "2")],
            ["plus": .state(.upgraded, until: day("07-10")), "max": .active(day("08-10"))]),
        Scenario(
            "A token's upgrade ends the period, even if the next product isn't known",
            [token("07-01", "08-01", signed: "07-10", ["isUpgraded": true])], ["plus": .state(.upgraded)]),
        Scenario(
            "A later renewal of the other product doesn't reactivate an upgraded period",
            [
                token("06-01", "09-01", signed: "07-10", ["isUpgraded": true]),
                token("08-01", "09-01", "max", "3", signed: "07-14"),
            ],
            ["plus": .state(.upgraded), "max": .state(.notStarted, until: day("09-01"))]),
        Scenario(
            "A cancellation in a receipt is an upgrade if another product begins at that time",
            [
                .receipt(
                    day("07-11"), period("07-01", "08-01").canceled(day("07-10")), period("07-10", "08-10", "max", "2"))
            ],
            ["plus": .state(.upgraded, until: day("07-10")), "max": .active(day("08-10"))],
            cancellations: ["1": day("07-10")]),
        Scenario(
            "A token of an upgraded transaction doesn't clear the receipt's cancellation date",
            [
                .receipt(
                    day("07-11"), period("07-01", "08-01").canceled(day("07-10")), period("07-10", "08-10", "max", "2")),
                token("07-01", "08-01", signed: "07-12", ["isUpgraded": true]),
            ],
            ["plus": .state(.upgraded, until: day("07-10")), "max": .active(day("08-10"))],
            cancellations: ["1": day("07-10")]),
        Scenario(
            "An older token doesn't hide a newer receipt's cancellation of a period",
            [
                .receipt(day("07-11"), period("07-01", "08-01").canceled(day("07-10"))),
                token("07-01", "08-01", signed: "07-02"),
            ],
            ["plus": .refunded(day("07-10"))], cancellations: ["1": day("07-10")]),
        Scenario(
            "A change of product at renewal replaces the product",
            [token("06-01", "07-01"), token("07-01", "08-01", "basic", "2")],
            ["plus": .state(.upgraded, until: day("07-01")), "basic": .active(day("08-01"))]),
        Scenario(
            "A change back to the first product makes it active again",
            [token("06-01", "07-01"), token("06-10", "07-10", "max", "2"), token("07-10", "08-10", "plus", "3")],
            ["plus": .active(day("08-10")), "max": .state(.upgraded, until: day("07-10"))]),
        Scenario(
            "Of several originals of a product, the active one that lasts longest counts",
            [
                token("07-01", "08-01"),
                .transaction(signed: day("07-10"), "9", "plus", from: day("07-10"), until: day("08-10")),
                .transaction(
                    signed: day("07-12"), "10", "plus", from: day("07-12"), until: day("09-12"), revoked: day("07-13")),
            ],
            ["plus": .active(day("08-10"))]),
        Scenario(
            "Additional seats aren't copies, and a refund of some doesn't affect the others",
            [
                token(
                    "07-01", "08-01", "team", "1", signed: "07-06", revoked: "07-05",
                    ["multiSeatInfo": ["invitationManagement": "APPLE"]]),
                token(
                    "07-01", "08-01", "team", "2", signed: "07-06",
                    [
                        "additionalTransactionReason": "SEAT_ADDITION",
                        "multiSeatInfo": ["invitationManagement": "APPLE"],
                    ]),
            ],
            ["team": .active(day("08-01"))]),
        Scenario(
            "The same transaction in another environment is another purchase",
            [
                .receipt(day("07-02"), period("06-01", "07-01")),
                token("07-01", "08-01", signed: "07-06", ["environment": "Production"]),
            ],
            ["plus": .state(.expired, until: day("07-01")), "production/plus": .active(day("08-01"))]),
    ]
}
