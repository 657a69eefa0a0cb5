import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("NotificationEvent")
struct NotificationEventTests {
    private static func sentence(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) throws -> String {
        let token = try TestNotification(type: type, subtype: subtype).signed()
        let anchors = try TestPKI.signedData.anchors
        let verified = try SignedDataVerifier(anchors: anchors).verifyNotification(
            token,
            expecting: SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp))
        return NotificationEvent(verified.claims).sentence
    }

    @Test(
        "Each type of notification has its own sentence",
        arguments: [
            NotificationType.subscribed, .didRenew, .didChangeRenewalPreference, .didChangeRenewalStatus,
            .offerRedeemed,
            .didFailToRenew, .gracePeriodExpired, .expired, .priceIncrease, .refund, .refundDeclined, .refundReversed,
            .revoke, .consumptionRequest, .renewalExtended, .renewalExtension, .oneTimeCharge, .externalPurchaseToken,
            .rescindConsent, .migration, .priceChange, .unclaimSeats, .metadataUpdate, .test,
        ])
    func types(type: NotificationType) throws {
        let sentence = try Self.sentence(type)
        #expect(sentence.hasSuffix("."))
        #expect(!sentence.contains(type.rawValue))
    }

    @Test(
        "A subtype changes the sentence",
        arguments: [
            (NotificationType.expired, NotificationSubtype.voluntary, "turned off renewal"),
            (.expired, .billingRetry, "couldn't be billed"), (.expired, .priceIncrease, "higher price"),
            (.expired, .productNotForSale, "for sale"), (.didFailToRenew, .gracePeriod, "grace period began"),
            (.didRenew, .billingRecovery, "billing problem"), (.subscribed, .resubscribe, "again"),
            (.didChangeRenewalPreference, .upgrade, "upgraded"),
            (.didChangeRenewalPreference, .downgrade, "downgraded"),
            (.didChangeRenewalStatus, .autoRenewEnabled, "turned on"), (.priceIncrease, .pending, "hasn't responded"),
        ])
    func subtypes(type: NotificationType, subtype: NotificationSubtype, words: String) throws {
        let sentence = try Self.sentence(type, subtype)
        #expect(sentence.contains(words))
        #expect(sentence != (try Self.sentence(type)))
    }

    private static func sentence(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, _ transaction: TestTransaction,
        _ renewal: TestRenewalInfo? = nil
    ) throws -> String {
        let token = try TestNotification(type: type, subtype: subtype).with {
            $0.signedTransactionInfo = try transaction.signed()
            $0.signedRenewalInfo = try renewal?.signed()
        }.signed()
        let report = verifier.report(token, expecting: expectations, now: now)
        return SignedDataSummary(try report.result.get()).event
    }

    private static let period = TestTransaction(
        "monthly", transaction: "1", at: instant("2024-07-01T12:00:00Z"), until: instant("2024-08-01T12:00:00Z"))

    @Test(
        "The sentence of a revocation is the entitlement's reason",
        arguments: [
            (["revocationType": "REFUND_FULL"], "Apple refunded the purchase on DATE."),
            (["revocationReason": 1], "Apple refunded the purchase on DATE."),
            ([:], "Apple refunded the purchase on DATE."),
            (
                ["revocationType": "REFUND_PRORATED", "revocationPercentage": 33333],
                "Apple refunded a part of the purchase on DATE (33.333 % of the price)."
            ),
            (
                ["revocationType": "REFUND_PRORATED", "revocationPercentage": 50000],
                "Apple refunded a part of the purchase on DATE (50 % of the price)."
            ),
            (["revocationPercentage": 100_000], "Apple refunded the purchase on DATE."),
            (["revocationType": "REFUND_PRORATED"], "Apple refunded a part of the purchase on DATE."),
            (["revocationType": "FAMILY_REVOKE"], "Family Sharing of the purchase ended on DATE."),
            (
                ["inAppOwnershipType": "FAMILY_SHARED", "revocationReason": 0],
                "Family Sharing of the purchase ended on DATE."
            ),
            (
                ["revocationType": "ASSIGNMENT_REVOKE", "inAppOwnershipType": "ASSIGNED"],
                "The assignment of the purchase ended on DATE."
            ),
            (
                ["inAppOwnershipType": "ASSIGNED", "revocationReason": 0],
                "The assignment of the purchase ended on DATE."
            ),
            (["revocationReason": 7], "The App Store revoked the purchase on DATE, for an unknown reason (reason 7)."),
            (
                ["revocationType": "NEW", "revocationReason": 0],
                "The App Store revoked the purchase on DATE, for an unknown reason (type NEW)."
            ),
        ] as [([String: AppStoreJSON], String)])
    func revocations(_ claims: [String: AppStoreJSON], _ sentence: String) throws {
        let expected = sentence.replacingOccurrences(of: "DATE", with: ReceiptDate.string(from: now))
        let revoked = Self.period.with {
            $0.revocationDate = now
            $0.overrides = claims
        }
        for type in [NotificationType.refund, .revoke] {
            #expect(try Self.sentence(type, nil, revoked) == expected)
        }
        let report = verifier.report(try revoked.signed(), expecting: expectations, now: now)
        #expect(SignedDataSummary(try report.result.get()).event == expected)
    }

    @Test("A refund of seats that leaves others says that the purchaser keeps access")
    func seats() throws {
        #expect(
            try Self.sentence(.refund, .seats, Self.period)
                == "Apple refunded seats of the purchase. The purchaser keeps access.")
    }

    @Test("Unclaimed seats are verified for the app that they name")
    func unclaimedSeats() throws {
        let made = TestNotification(type: .unclaimSeats).with {
            $0.overrides = [
                "data": .null,
                "unclaimInfo": [
                    "bundleId": "com.example.app", "environment": "Sandbox",
                    "unclaimSeatIds": ["7edea87d-98f0-42d0-9682-49ca81022f73"],
                ],
            ]
        }
        let token = try made.signed()
        let verified = try verifier.verifyNotification(token, expecting: expectations, now: now)
        #expect(verified.claims.unclaimInfo?.seatClaimIdentifiers?.count == 1)
        #expect(NotificationEvent(verified.claims).sentence.hasPrefix("A seat of a subscription was given up."))
        var other = expectations
        other.bundleIdentifier = "com.example.other"
        #expect(
            code { try verifier.verifyNotification(token, expecting: other, now: now) } == .bundleIdentifierMismatch)
    }

    @Test(
        "The number of unclaimed seats is stated if all can be read",
        arguments: [
            (
                ["7edea87d-98f0-42d0-9682-49ca81022f73", "7edea87d-98f0-42d0-9682-49ca81022f74"],
                "2 seats of a subscription were given up."
            ),
            ([], "Seats of a subscription"),
            (["7edea87d-98f0-42d0-9682-49ca81022f73", "x"], "Seats of a subscription"),
            (.null, "Seats of a subscription"),
        ] as [(AppStoreJSON, String)])
    func numberOfUnclaimedSeats(seats: AppStoreJSON, beginning: String) throws {
        let token = try TestNotification(type: .unclaimSeats).with {
            $0.overrides = [
                "data": .null,
                "unclaimInfo": ["bundleId": "com.example.app", "environment": "Sandbox", "unclaimSeatIds": seats],
            ]
        }.signed()
        let verified = try verifier.verifyNotification(token, expecting: expectations, now: now)
        #expect(NotificationEvent(verified.claims).sentence.hasPrefix(beginning))
    }

    @Test("A planned change names the product of the next period")
    func plannedChange() throws {
        let renewal = TestRenewalInfo("monthly", original: "1")
        let other = renewal.with { $0.autoRenewProductIdentifier = "yearly" }
        #expect(
            try Self.sentence(.didChangeRenewalPreference, .downgrade, Self.period, other)
                == "The customer downgraded to yearly, beginning with the next period.")
        #expect(
            try Self.sentence(.didChangeRenewalPreference, nil, Self.period, other)
                == "The customer chose yearly for the next period.")
        #expect(
            try Self.sentence(.didChangeRenewalPreference, nil, Self.period, renewal)
                == "The customer keeps monthly for the next period.")
        #expect(
            try Self.sentence(.offerRedeemed, .downgrade, Self.period, other)
                == "The customer redeemed an offer and downgraded to yearly, beginning with the next period.")
        let report = verifier.report(try other.signed(), expecting: expectations, now: now)
        #expect(
            SignedDataSummary(try report.result.get()).event == "The subscription is set to renew as yearly.")
    }

    @Test("An unknown type is named")
    func unknown() throws {
        #expect(try Self.sentence(NotificationType(rawValue: "NEWS")) == "A notification of type NEWS.")
    }
}
