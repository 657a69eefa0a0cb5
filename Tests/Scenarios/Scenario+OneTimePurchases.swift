import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation

extension Scenario {
    private static let bought = TestPurchase("pro", transaction: "2000", at: day("06-01"))

    /// Purchases that aren't subscriptions.
    package static let oneTimePurchases: [Scenario] = [
        Scenario("A purchase in a receipt is owned", [.receipt(day("06-02"), bought)], ["pro": .owned]),
        Scenario(
            "A refund in a token revokes a purchase in the receipt",
            [
                .receipt(day("06-02"), bought),
                .transaction(signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03")),
            ],
            ["pro": .refunded(day("06-03"))], cancellations: ["2000": day("06-03")]),
        Scenario(
            "A refund in a notification revokes a purchase in the receipt",
            [
                .receipt(day("06-02"), bought),
                .refund(
                    .of(signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03")), signed: day("06-03")),
            ],
            ["pro": .refunded(day("06-03"))], cancellations: ["2000": day("06-03")]),
        Scenario(
            "A notification with a known UUID and a newer refund is merged",
            [
                .receipt(day("06-02"), bought),
                .refund(.of(signed: day("06-02"), "2000", from: day("06-01")), signed: day("06-02")),
                .refund(
                    .of(signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03")), signed: day("06-03")),
            ],
            ["pro": .refunded(day("06-03"))], cancellations: ["2000": day("06-03")]),
        Scenario(
            "A newer receipt doesn't clear a token's refund",
            [
                .receipt(day("06-10"), bought),
                .transaction(signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03")),
            ],
            ["pro": .refunded(day("06-03"))], cancellations: ["2000": day("06-03")]),
        Scenario(
            "A later token of the same transaction without revocation date clears a refund",
            [
                .receipt(day("06-02"), bought),
                .transaction(signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03")),
                .transaction(signed: day("06-04"), "2000", from: day("06-01")),
            ],
            ["pro": .owned]),
        Scenario(
            "At equal dates, the revocation wins",
            [
                .receipt(day("06-02"), bought),
                .transaction(signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03")),
                .transaction(signed: day("06-03"), "2000", from: day("06-01")),
            ],
            ["pro": .refunded(day("06-03"))], cancellations: ["2000": day("06-03")]),
        Scenario(
            "A cancellation in a newer receipt revokes a purchase in an older one",
            [.receipt(day("06-02"), bought), .receipt(day("06-10"), bought.canceled(day("06-05")))],
            ["pro": .refunded(day("06-05"))], cancellations: ["2000": day("06-05")]),
        Scenario(
            "A newer receipt with the transaction but no cancellation clears a receipt's cancellation",
            [.receipt(day("06-02"), bought.canceled(day("06-01"))), .receipt(day("06-10"), bought)],
            ["pro": .owned]),
        Scenario(
            "A newer receipt without the transaction doesn't clear a cancellation",
            [
                .receipt(day("06-20"), bought.with { $0.transactionIdentifier = "2002" }.copy(of: "2000")),
                .receipt(day("06-10"), bought.canceled(day("06-05"))),
            ],
            ["pro": .refunded(day("06-05"))], cancellations: ["2002": day("06-05"), "2000": day("06-05")]),
        Scenario(
            "A later token clears a receipt's cancellation",
            [
                .receipt(day("06-02"), bought.canceled(day("06-01"))),
                .transaction(signed: day("06-03"), "2000", from: day("06-01")),
            ],
            ["pro": .owned]),
        Scenario(
            "An older token doesn't hide a receipt's cancellation",
            [
                .receipt(day("06-10"), bought.canceled(day("06-05"))),
                .transaction(signed: day("06-03"), "2000", from: day("06-01")),
            ],
            ["pro": .refunded(day("06-05"))], cancellations: ["2000": day("06-05")]),
        Scenario(
            "A refund of the original revokes a restored copy",
            [
                .receipt(day("06-20"), bought.with { $0.transactionIdentifier = "2002" }.copy(of: "2000")),
                .transaction(signed: day("06-25"), "2000", from: day("06-01"), revoked: day("06-24")),
            ],
            ["pro": .refunded(day("06-24"))], cancellations: ["2002": day("06-24"), "2000": day("06-24")]),
        Scenario(
            "A revocation takes effect at its date",
            [
                .receipt(day("06-02"), bought),
                .transaction(signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03")),
            ],
            at: day("06-02"), ["pro": .owned], cancellations: ["2000": day("06-03")]),
        Scenario(
            "A product that is bought again after a refund is owned",
            [
                .receipt(day("06-20"), bought, TestPurchase("pro", transaction: "3000", at: day("06-10"))),
                .transaction(signed: day("06-05"), "2000", from: day("06-01"), revoked: day("06-05")),
            ],
            ["pro": .owned], cancellations: ["2000": day("06-05")]),
        Scenario(
            "A refund of a consumable doesn't affect another one",
            [
                .receipt(
                    day("06-02"), TestPurchase("coins", transaction: "1", at: day("06-01"), type: .consumable),
                    TestPurchase("coins", transaction: "2", at: day("06-01"), type: .consumable)),
                .transaction(
                    signed: day("06-03"), "1", "coins", from: day("06-01"), revoked: day("06-03"), type: .consumable),
            ],
            ["1": .refunded(day("06-03")), "2": .owned], cancellations: ["1": day("06-03")]),
        Scenario(
            "A refunded non-renewing subscription is refunded",
            [
                .receipt(
                    day("06-02"),
                    TestPurchase("pass", transaction: "1", at: day("06-01"), type: .nonRenewingSubscription)),
                .transaction(
                    signed: day("06-03"), "1", "pass", from: day("06-01"), revoked: day("06-03"),
                    type: .nonRenewingSubscription),
            ],
            ["1": .refunded(day("06-03"))], cancellations: ["1": day("06-03")]),
        Scenario(
            "The end of Family Sharing revokes a purchase",
            [
                .receipt(day("06-02"), bought),
                .transaction(
                    signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03"),
                    ["inAppOwnershipType": "FAMILY_SHARED"]),
            ],
            ["pro": .state(.revoked, until: day("06-03"))], cancellations: ["2000": day("06-03")]),
        Scenario(
            "The revocation type states the end of Family Sharing",
            [
                .receipt(day("06-02"), bought),
                .transaction(
                    signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03"),
                    ["revocationType": "FAMILY_REVOKE"]),
            ],
            ["pro": .state(.revoked, until: day("06-03"))], cancellations: ["2000": day("06-03")]),
        Scenario(
            "A transaction of an unknown type is owned",
            [
                .transaction(
                    signed: day("06-03"), "1", "bundle", from: day("06-01"), type: SignedProductType(rawValue: "Bundle")
                )
            ],
            ["bundle": .owned]),
        Scenario(
            "A transaction of another app has no effect",
            [
                .receipt(day("06-02"), bought),
                .transaction(
                    signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03"),
                    ["bundleId": "com.example.other"]),
            ],
            ["pro": .owned]),
        Scenario(
            "A refund in production has no effect on the sandbox",
            [
                .receipt(day("06-02"), bought),
                .transaction(
                    signed: day("06-03"), "2000", from: day("06-01"), revoked: day("06-03"),
                    ["environment": "Production"]),
            ],
            ["pro": .owned, "production/pro": .refunded(day("06-03"))]),
    ]
}
