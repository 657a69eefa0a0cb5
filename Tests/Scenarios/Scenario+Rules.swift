import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation

extension Scenario {
    private static func token(
        _ start: String, _ end: String?, _ product: String = "plus", _ transaction: String = "1",
        of original: String = "1",
        signed: String? = nil, revoked: String? = nil, type: SignedProductType? = nil,
        _ overrides: [String: AppStoreJSON] = [:]
    ) -> Evidence {
        .transaction(
            signed: day(signed ?? start), transaction, product, of: original, from: day(start), until: end.map(day),
            revoked: revoked.map(day), type: type, overrides)
    }

    /// A renewal, signed a day before it begins unless a date is given.
    private static func renewal(
        _ start: String, _ end: String, _ product: String = "plus", _ transaction: String = "2", signed: String,
        revoked: String? = nil, _ overrides: [String: AppStoreJSON] = [:]
    ) -> Evidence {
        token(
            start, end, product, transaction, signed: signed, revoked: revoked,
            overrides.merging(["transactionReason": "RENEWAL"]) { own, _ in own })
    }

    private static func notification(
        _ type: NotificationType, status: SubscriptionStatus, signed: String, _ start: String = "06-01",
        _ end: String = "07-01", _ transaction: String = "1", renewal: TestRenewalInfo? = nil,
        _ overrides: [String: AppStoreJSON] = [:]
    ) -> Evidence {
        .notification(
            TestNotification(type: type).with {
                $0.status = status
                $0.signedDate = day(signed)
            },
            .of(
                signed: day(signed), transaction, "plus", of: "1", from: day(start), until: day(end), overrides),
            renewal)
    }

    private static func milliseconds(_ date: String) -> AppStoreJSON {
        .number(AppStoreJSON.Number(Int64(day(date).timeIntervalSince1970 * 1000)))
    }

    /// The rules of meaning, in their order.
    package static let rules: [Scenario] =
        identityAndOrder + copiesAndSuccession + graceAndEnds + earlyRenewals + revocations

    private static let identityAndOrder: [Scenario] = [
        Scenario(
            "Transactions that share an original are one customer's, whatever their app transactions are",
            [
                token("06-15", "07-15", signed: "06-15", ["appTransactionId": "71"]),
                token("07-15", "08-15", "plus", "2", signed: "07-15", ["appTransactionId": "72"]),
            ], at: day("07-20"), ["plus": .active(day("08-15"))]),
        Scenario(
            "Of two tokens of the same date, the one with the upgrade wins",
            [
                token("07-01", "08-01", signed: "07-10"),
                token("07-01", "08-01", signed: "07-10", ["isUpgraded": true]),
            ], ["plus": .state(.upgraded)]),
    ]

    private static let copiesAndSuccession: [Scenario] = [
        Scenario(
            "A restored copy with the same web order line item is refunded with the period",
            [
                token("07-01", "08-01", signed: "07-10", revoked: "07-09", ["webOrderLineItemId": "900"]),
                token("07-03", "08-01", "plus", "77", signed: "07-03", ["webOrderLineItemId": "900"]),
            ], ["plus": .refunded(day("07-09"))]),
        Scenario(
            "Assigned transactions of the same second aren't copies",
            [
                token(
                    "07-01", "08-01", signed: "07-10", revoked: "07-09",
                    ["inAppOwnershipType": "ASSIGNED", "revocationType": "ASSIGNMENT_REVOKE"]),
                token("07-01", "08-01", "plus", "2", signed: "07-10", ["inAppOwnershipType": "ASSIGNED"]),
            ], ["plus": .active(day("08-01"))]),
        Scenario(
            "A period that was refunded before it began doesn't end the earlier one",
            [
                token("07-01", "08-01"),
                renewal("07-14", "08-14", "max", signed: "07-13", revoked: "07-13"),
            ], ["plus": .active(day("08-01")), "max": .refunded(day("07-13"))]),
        Scenario(
            "A copy that was restored after its own end doesn't hide the current period",
            [
                token("07-10", "08-10", "plus", "3"),
                token("07-12", "07-10", "plus", "4", signed: "07-12"),
            ], ["plus": .active(day("08-10"))]),
    ]

    private static let graceAndEnds: [Scenario] = [
        Scenario(
            "A signed status of a grace period without an end keeps access",
            [notification(.didFailToRenew, status: .billingGracePeriod, signed: "07-01")],
            ["plus": .state(.gracePeriod)]),
        Scenario(
            "A grace period without an end lasts at most 28 days",
            [notification(.didFailToRenew, status: .billingGracePeriod, signed: "07-01")], at: day("07-30"),
            ["plus": .state(.billingRetry, until: day("07-01"))]),
        Scenario(
            "A signed status of a billing retry doesn't provide access",
            [notification(.didFailToRenew, status: .billingRetry, signed: "07-01")],
            ["plus": .state(.billingRetry, until: day("07-01"))]),
        Scenario(
            "A signed status of expiration proves it",
            [notification(.expired, status: .expired, signed: "07-02")],
            ["plus": .state(.expired, until: day("07-01"))]),
        Scenario(
            "A newer signed status ends the grace period in older renewal information",
            [
                token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", grace: day("07-17"), retries: true),
                notification(.expired, status: .expired, signed: "07-10"),
            ], ["plus": .state(.expired, until: day("07-01"))]),
        Scenario(
            "A newer signed status of a billing retry ends the grace period",
            [
                token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", grace: day("07-17"), retries: true),
                notification(.didFailToRenew, status: .billingRetry, signed: "07-10"),
            ], ["plus": .state(.billingRetry, until: day("07-10"))]),
        Scenario(
            "An older status has no effect beside a newer one and newer renewal information",
            [
                token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", grace: day("07-17"), retries: true),
                notification(.didRenew, status: .active, signed: "07-03"),
                notification(.didFailToRenew, status: .billingGracePeriod, signed: "07-04"),
            ], ["plus": .state(.gracePeriod, until: day("07-17"))]),
        Scenario(
            "An unknown status doesn't replace a known one",
            [
                notification(.expired, status: .expired, signed: "07-02"),
                notification(.expired, status: SubscriptionStatus(rawValue: 99), signed: "07-03"),
            ], ["plus": .state(.expired, until: day("07-01"))]),
        Scenario(
            "Newer renewal information that says that the subscription renews refutes an older receipt's silence",
            [
                .receipt(
                    day("07-02"),
                    TestPurchase(
                        subscription: "plus", transaction: "1", original: "1", from: day("06-01"), to: day("07-01"))),
                .renewal(signed: day("07-10"), of: "1"),
            ], ["plus": .state(.renewalUnknown, until: day("07-01"))]),
        Scenario(
            "Before a period that recovered it, a subscription was in billing retry",
            [token("05-01", "06-01"), renewal("06-20", "07-20", signed: "06-20")], at: day("06-10"),
            ["plus": .state(.billingRetry, until: day("06-01"))]),
        Scenario(
            "Before it was bought again, a subscription was expired",
            [
                token("05-01", "06-01"),
                token("06-20", "07-20", "plus", "2", signed: "06-20", ["transactionReason": "PURCHASE"]),
            ], at: day("06-10"), ["plus": .state(.expired, until: day("06-01"))]),
    ]

    private static let earlyRenewals: [Scenario] = [
        Scenario(
            "An early renewal alone is active until the end of its period",
            [renewal("07-16", "08-16", signed: "07-15")], ["plus": .active(day("08-16"))]),
        Scenario(
            "A transaction other than an older original is an early renewal without a reason, too",
            [
                token(
                    "07-16", "08-16", "plus", "2", signed: "07-15", ["originalPurchaseDate": milliseconds("05-16")])
            ], ["plus": .active(day("08-16"))]),
        Scenario(
            "A signed status of an active subscription shows that it runs",
            [notification(.didRenew, status: .active, signed: "07-15", "07-16", "08-16")],
            ["plus": .active(day("08-16"))]),
        Scenario(
            "The start of the recent subscription shows that it runs",
            [
                token("07-16", "08-16", signed: "07-15"),
                .renewal(
                    TestRenewalInfo("plus", original: "1").with {
                        $0.signedDate = day("07-15")
                        $0.overrides = ["recentSubscriptionStartDate": milliseconds("05-16")]
                    }),
            ], ["plus": .active(day("08-16"))]),
        Scenario(
            "A renewal that begins later than a day proves nothing about the present",
            [renewal("07-18", "08-18", signed: "07-17")], ["plus": .state(.renewalUnknown)]),
        Scenario(
            "A first period that begins within a day hasn't started",
            [token("07-16", "08-16", signed: "07-15")], ["plus": .state(.notStarted, until: day("08-16"))]),
        Scenario(
            "A refunded early renewal doesn't provide access",
            [renewal("07-16", "08-16", signed: "07-15", revoked: "07-15")], ["plus": .refunded(day("07-15"))]),
        Scenario(
            "An early renewal is active until it is refunded",
            [renewal("07-16", "08-16", signed: "07-16", revoked: "07-15")], at: day("07-15") - 3600,
            ["plus": .active(day("07-15"))]),
        Scenario(
            "A renewal that was signed before the known period ended proves no other period",
            [token("05-15", "07-15"), renewal("07-16", "08-16", signed: "07-14")],
            ["plus": .state(.billingRetry, until: day("07-15"))]),
        Scenario(
            "An upgraded period that is refunded later stays upgraded before the refund",
            [token("07-01", "08-01", signed: "07-20", revoked: "07-18", ["isUpgraded": true])],
            ["plus": .state(.upgraded)]),
        Scenario(
            "An early renewal after an unknown period provides access",
            [token("05-15", "06-15"), renewal("07-16", "08-16", signed: "07-15")], ["plus": .active(day("08-16"))]),
    ]

    private static let revocations: [Scenario] = [
        Scenario(
            "The end of an assignment isn't a refund",
            [
                token(
                    "07-01", "08-01", signed: "07-10", revoked: "07-09",
                    ["inAppOwnershipType": "ASSIGNED", "revocationType": "ASSIGNMENT_REVOKE", "revocationReason": 0])
            ], ["plus": .state(.revoked, until: day("07-09"))]),
        Scenario(
            "A revocation for an unknown reason isn't a refund",
            [token("07-01", "08-01", signed: "07-10", revoked: "07-09", ["revocationReason": 7])],
            ["plus": .state(.revoked, until: day("07-09"))]),
        Scenario(
            "A subscription that a bundle's component replaced is upgraded",
            [
                token("07-01", "08-01", signed: "07-10", revoked: "07-09", ["revocationReason": 7]),
                token(
                    "07-09", "08-09", "component", "5", of: "5", signed: "07-10",
                    ["bundleProductId": "bundle", "previousOriginalTransactionId": "1"]),
            ], ["plus": .state(.upgraded, until: day("07-09")), "component": .active(day("08-09"))]),
        Scenario(
            "A refund of a part of several items leaves the others",
            [
                token(
                    "07-01", nil, "coins", signed: "07-10", revoked: "07-09", type: .consumable,
                    ["quantity": 3, "revocationType": "REFUND_PRORATED", "revocationPercentage": 33333])
            ], ["1": .owned]),
        Scenario(
            "A refund of a part of one item is a refund",
            [
                token(
                    "07-01", nil, "pro", signed: "07-10", revoked: "07-09",
                    ["revocationType": "REFUND_PRORATED", "revocationPercentage": 50000])
            ], ["pro": .refunded(day("07-09"))]),
        Scenario(
            "Of two originals of a product, one in billing retry counts more than a refunded one",
            [
                token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", retries: true),
                token("07-03", "08-03", "plus", "9", of: "9", signed: "07-10", revoked: "07-09"),
            ], ["plus": .state(.billingRetry, until: day("07-01"))]),
        Scenario(
            "A period that ended without renewal keeps its state if renewal information says that it renews",
            [token("06-01", "07-01"), .renewal(signed: day("07-02"), of: "1", intent: ExpirationIntent(rawValue: 4))],
            ["plus": .state(.expired, until: day("07-01"))]),
    ]
}
