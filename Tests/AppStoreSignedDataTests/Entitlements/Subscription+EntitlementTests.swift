import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

/// States of subscriptions that follow from renewal information.
@Suite("Entitlements of subscriptions")
struct SubscriptionEntitlementTests {
    private func june() throws -> Evidence { try .period("plus", "1", "2024-06-01", "2024-07-01") }

    private func renewal(
        signed: String, intent: Int64? = nil, isInRetry: Bool? = nil,
        _ change: (inout TestRenewalInfo) -> Void = { _ in }
    ) throws -> Evidence {
        try .renewal("plus", signed: signed) { renewal in
            renewal.expirationIntent = intent.map { ExpirationIntent(rawValue: $0) }
            renewal.isInBillingRetryPeriod = isInRetry
            change(&renewal)
        }
    }

    @Test("A transaction alone doesn't prove that the subscription ended")
    func renewalUnknown() throws {
        for signed in ["2024-06-01", "2024-07-15"] {
            let evidence = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: signed)
            let plus = try #require(evidence.entitlements(at: "2024-07-20")["plus"])
            #expect(plus.state == .renewalUnknown)
            #expect(!plus.isActive)
            #expect(plus.until == moment("2024-07-01"))
            #expect(plus.asOf == moment(signed))
            #expect(plus.willRenew == nil)
        }
    }

    @Test(
        "An expiration intent signed after the end means expired, and determines the reason",
        arguments: [
            (Int64(1), "because the customer canceled it"), (2, "because the renewal couldn't be billed"),
            (3, "because the customer didn't consent to a price increase"),
            (4, "because the product wasn't available for renewal"), (5, "for an unknown reason"),
            (9, "for an unknown reason"),
        ])
    func expirationIntents(_ intent: Int64, _ cause: String) throws {
        for signed in ["2024-07-01", "2024-07-02"] {
            let evidence = try june() + renewal(signed: signed, intent: intent) { $0.autoRenewStatus = .off }
            for date in ["2024-07-01", "2024-08-01", "2030-01-01"] {
                let plus = try #require(evidence.entitlements(at: date)["plus"])
                #expect(plus.state == .expired)
                #expect(!plus.isActive)
                #expect(plus.until == moment("2024-07-01"))
                #expect(plus.willRenew == false)
                #expect(plus.asOf == moment(signed))
                #expect(plus.reason == "The subscription ended on 2024-07-01T00:00:00Z \(cause).")
                #expect(plus.nextStep == "End access.")
            }
            #expect(evidence.state("plus", at: "2024-06-15") == .active)
        }
    }

    @Test("Renewal information without an intent, or signed before the end, doesn't show that the subscription ended")
    func intentBeforeTheEnd() throws {
        #expect(
            try (june() + renewal(signed: "2024-06-30T23:59:59Z", intent: 1)).state("plus", at: "2024-07-10")
                == .renewalUnknown)
        #expect(try (june() + renewal(signed: "2024-07-02")).state("plus", at: "2024-07-10") == .renewalUnknown)
        let newer = try renewal(signed: "2024-07-03")
        #expect(
            try (june() + renewal(signed: "2024-07-02", intent: 1) + newer).state("plus", at: "2024-07-10")
                == .renewalUnknown)
    }

    @Test("Renewal information applies to the last period that had ended, not to earlier ones")
    func intentOfLaterPeriod() throws {
        let august = try Evidence.period("plus", "2", "2024-08-01", "2024-09-01")
        let evidence = try june() + august + renewal(signed: "2024-09-02", intent: 1)
        #expect(evidence.entitlements(at: "2024-07-15")["plus"]?.reason.contains("bought again") == true)
        #expect(evidence.state("plus", at: "2024-09-10") == .expired)
        let before = try june() + august + renewal(signed: "2024-07-15", intent: 1)
        #expect(before.state("plus", at: "2024-07-20") == .expired)
        #expect(before.state("plus", at: "2024-08-15") == .active)
        #expect(before.state("plus", at: "2024-09-10") == .renewalUnknown)
    }

    @Test("Billing retry lasts until 60 days after the end")
    func billingRetry() throws {
        let evidence = try june() + renewal(signed: "2024-07-02", intent: 2, isInRetry: true)
        for date in ["2024-07-01", "2024-08-01", "2024-08-29T23:59:59Z"] {
            let plus = try #require(evidence.entitlements(at: date)["plus"])
            #expect(plus.state == .billingRetry)
            #expect(!plus.isActive)
            #expect(plus.until == moment("2024-07-01"))
            #expect(
                plus.reason == "The period ended on 2024-07-01T00:00:00Z and the renewal couldn't be billed; "
                    + "the App Store retries until 2024-08-30T00:00:00Z.")
            #expect(plus.nextStep?.hasPrefix("Remove access, and ask") == true)
        }
        #expect(evidence.state("plus", at: "2024-08-30") == .expired)
        let silent = try june() + renewal(signed: "2024-07-02", isInRetry: true)
        #expect(silent.state("plus", at: "2024-08-29") == .billingRetry)
        #expect(silent.state("plus", at: "2024-08-30") == .renewalUnknown)
        let receipt = try Evidence.receipt(created: "2024-08-15", .period("plus", "1", "2024-06-01", "2024-07-01"))
        #expect((silent + receipt).state("plus", at: "2024-08-29") == .billingRetry)
        #expect((silent + receipt).state("plus", at: "2024-08-30") == .expired)
    }

    @Test("Billing retry counts only if it was signed after the end and no newer information ends it")
    func noBillingRetry() throws {
        #expect(
            try (june() + renewal(signed: "2024-06-30", isInRetry: true)).state("plus", at: "2024-07-10")
                == .renewalUnknown)
        let retry = try renewal(signed: "2024-07-02", isInRetry: true)
        for newer in [try renewal(signed: "2024-07-05", isInRetry: false), try renewal(signed: "2024-07-05")] {
            #expect(try (june() + retry + newer).state("plus", at: "2024-07-10") == .renewalUnknown)
        }
        #expect(
            try (june() + renewal(signed: "2024-07-02", intent: 1, isInRetry: false)).state("plus", at: "2024-07-10")
                == .expired)
        let recovered = try june() + retry + .period("plus", "2", "2024-07-10", "2024-08-10")
        #expect(recovered.state("plus", at: "2024-07-05") == .billingRetry)
        #expect(recovered.state("plus", at: "2024-07-10") == .active)
        #expect(recovered.state("plus", at: "2024-08-10") == .renewalUnknown)
        let changed = try june() + retry + .period("max", "2", "2024-07-10", "2024-08-10")
        #expect(changed.state("plus", at: "2024-07-15") == .upgraded)
    }

    @Test("Billing retry follows the grace period")
    func graceThenRetry() throws {
        let evidence =
            try june()
            + renewal(signed: "2024-07-02", intent: 2, isInRetry: true) {
                $0.gracePeriodExpirationDate = moment("2024-07-17")
            }
        #expect(evidence.state("plus", at: "2024-07-10") == .gracePeriod)
        let plus = try #require(evidence.entitlements(at: "2024-07-17")["plus"])
        #expect(plus.state == .billingRetry)
        #expect(plus.until == moment("2024-07-17"))
        #expect(evidence.state("plus", at: "2024-08-30") == .expired)
    }

    @Test("A receipt created after the end proves the expiration only if no later period is known")
    func receipts() throws {
        let june = TestPurchase.period("plus", "1", "2024-06-01", "2024-07-01")
        let july = TestPurchase.period("plus", "2", "2024-07-01", "2024-08-01")
        #expect(try (self.june() + .receipt(created: "2024-07-01", june)).state("plus", at: "2024-07-10") == .expired)
        #expect(
            try (self.june() + .receipt(created: "2024-06-30", june)).state("plus", at: "2024-07-10") == .renewalUnknown
        )
        #expect(
            try (self.june() + .receipt(created: "2024-07-10", .kept("pro", "9", "2024-01-01"))).state(
                "plus", at: "2024-07-10") == .renewalUnknown)
        let renewed = try self.june() + .receipt(created: "2024-07-10", june, july)
        #expect(renewed.state("plus", at: "2024-07-10") == .active)
        #expect(renewed.state("plus", at: "2024-08-01") == .renewalUnknown)
        // The token's period began after the receipt was created.
        let later = try Evidence.receipt(created: "2024-07-10", june) + .period("plus", "2", "2024-07-15", "2024-08-15")
        #expect(later.state("plus", at: "2024-07-12") == .expired)
        #expect(later.state("plus", at: "2024-07-20") == .active)
        #expect(later.state("plus", at: "2024-08-20") == .renewalUnknown)
    }

    @Test("The newest renewal information determines whether the subscription will renew")
    func willRenew() throws {
        for (status, willRenew) in [(Int64(0), Bool?.some(false)), (1, true), (7, nil)] {
            let evidence =
                try june() + renewal(signed: "2024-06-10") { $0.autoRenewStatus = AutoRenewStatus(rawValue: status) }
            let plus = try #require(evidence.entitlements(at: "2024-06-15")["plus"])
            #expect(plus.willRenew == willRenew)
            #expect(plus.asOf == moment("2024-06-10"))
            #expect(plus.state == .active)
        }
        let off = try renewal(signed: "2024-06-20") { $0.autoRenewStatus = .off }
        for renewals in [try off + renewal(signed: "2024-06-10"), try renewal(signed: "2024-06-10") + off] {
            #expect(try (june() + renewals).entitlements(at: "2024-06-05")["plus"]?.willRenew == false)
        }
        #expect(try june().entitlements(at: "2024-06-15")["plus"]?.willRenew == nil)
    }

    @Test("The period that contains the date determines the state, because renewals are signed before they begin")
    func atDates() throws {
        let evidence = try june() + .period("plus", "2", "2024-07-01", "2024-08-01", signed: "2024-06-30")
        for (date, state, transaction) in [
            ("2024-05-31T23:59:59Z", .notStarted, "1"), ("2024-06-01", .active, "1"),
            ("2024-06-30T12:00:00Z", .active, "1"),
            ("2024-07-01", .active, "2"), ("2024-07-31", .active, "2"), ("2024-08-01", .renewalUnknown, "2"),
        ] as [(String, Entitlement.State, String)] {
            let plus = try #require(evidence.entitlements(at: date)["plus"])
            #expect(plus.state == state, "\(date)")
            #expect(plus.transactionIdentifier == transaction, "\(date)")
            #expect(plus.since == moment("2024-06-01"))
        }
        #expect(evidence.entitlements(at: "2024-06-30T12:00:00Z")["plus"]?.until == moment("2024-07-01"))
    }

    @Test("All evidence counts, whenever it was signed, and a revocation takes effect on its date")
    func laterEvidence() throws {
        let refunded = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-09-01") {
            $0.revocationDate = moment("2024-06-10T12:00:00.500Z")
        }
        let before = try #require(refunded.entitlements(at: "2024-06-10T12:00:00Z")["plus"])
        #expect(before.state == .active)
        #expect(before.until == moment("2024-06-10T12:00:00.500Z"))
        #expect(before.asOf == moment("2024-09-01"))
        #expect(refunded.state("plus", at: "2024-06-10T12:00:00.500Z") == .refunded)
    }

    @Test("A revocation of what was shared or assigned results in the state revoked, any other in refunded")
    func revoked() throws {
        func state(_ type: RevocationType?, _ ownership: PurchaseOwnership) throws -> [Entitlement.State?] {
            let change: (inout TestTransaction) -> Void = { transaction in
                transaction.revocationDate = moment("2024-06-10")
                transaction.ownership = ownership
                if let type { transaction.overrides["revocationType"] = .string(type.rawValue) }
            }
            let evidence =
                try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", change)
                + .kept("pro", "2", "2024-06-01", change)
            let entitlements = evidence.entitlements(at: "2024-06-15")
            #expect(entitlements.all.allSatisfy { $0.ownership == ownership && $0.until == moment("2024-06-10") })
            #expect(entitlements.active.isEmpty)
            return entitlements.all.map(\.state)
        }
        #expect(try state(nil, .purchased) == [.refunded, .refunded])
        #expect(try state(.fullRefund, .purchased) == [.refunded, .refunded])
        #expect(try state(.proratedRefund, .purchased) == [.refunded, .refunded])
        #expect(try state(.familyRevocation, .purchased) == [.revoked, .revoked])
        #expect(try state(nil, .familyShared) == [.revoked, .revoked])
        #expect(try state(nil, PurchaseOwnership(rawValue: "ASSIGNED")) == [.revoked, .revoked])
        let shared = try Evidence.kept("pro", "1", "2024-06-01") { transaction in
            transaction.ownership = .familyShared
            transaction.revocationDate = moment("2024-06-10")
        }
        let pro = try #require(shared.entitlements(at: "2024-06-15")["pro"])
        #expect(pro.reason == "Family Sharing of the purchase ended on 2024-06-10T00:00:00Z.")
        #expect(pro.nextStep == "Remove access.")
        // Only the older token contains the ownership.
        let receipt =
            try Evidence.kept("pro", "1", "2024-06-01") { $0.ownership = .familyShared }
            + .receipt(created: "2024-06-12", .kept("pro", "1", "2024-06-01").canceled("2024-06-10"))
        #expect(receipt.state("pro", at: "2024-06-15") == .revoked)
    }

    @Test("Overlapping periods of a product count as uninterrupted access")
    func sinceOfOverlaps() throws {
        // The refunded period doesn't interrupt the one that overlaps it.
        let evidence =
            try Evidence.period("team", "1", "2024-06-01", "2024-06-30")
            + .period("team", "2", "2024-06-05", "2024-07-01") { $0.revocationDate = moment("2024-06-10") }
            + .period("team", "3", "2024-06-20", "2024-07-20")
        let team = try #require(evidence.entitlements(at: "2024-06-25")["team"])
        #expect(team.transactionIdentifier == "3")
        #expect(team.since == moment("2024-06-01"))
    }

    @Test("A period without an expiration date has an unknown renewal and no end")
    func withoutEnd() throws {
        let evidence =
            try Evidence.period("plus", "1", "2024-06-01", "2024-07-01") { $0.overrides = ["expiresDate": .null] }
            + renewal(signed: "2024-07-02", intent: 1)
            + .receipt(
                created: "2024-07-03", .period("plus", "1", "2024-06-01", "2024-07-01").with { $0.overrides[1708] = [] }
            )
        for date in ["2024-06-01", "2024-06-15", "2024-08-01"] {
            let plus = try #require(evidence.entitlements(at: date)["plus"])
            #expect(plus.state == .renewalUnknown)
            #expect(plus.until == nil)
            #expect(plus.since == moment("2024-06-01"))
            #expect(
                plus.reason
                    == "The end of the last known period isn't known, and the evidence doesn't show whether it was renewed."
            )
        }
    }

    @Test("Extreme dates and large numbers don't crash")
    func extremes() throws {
        let evidence = try Evidence.all(
            .period("plus", "1", "0001-01-01", "9999-12-31", signed: "2024-06-01"),
            .period("plus", "2", "2024-06-01", "2024-07-01") { made in
                made.overrides = [
                    "expiresDate": 8_640_000_000_000_000, "quantity": 9_223_372_036_854_775_807,
                    "multiSeatInfo": .object(["revokedSeatQuantity": -9_223_372_036_854_775_808]),
                ]
            },
            .period("plus", "3", "2024-06-01", "2024-07-01") {
                $0.overrides = ["purchaseDate": -8_640_000_000_000_000, "additionalTransactionReason": "SEAT_ADDITION"]
            },
            .receipt(
                created: "2024-07-10",
                .period("plus", "3", "2024-06-01", "2024-07-01").with { $0.quantity = UInt64(Int64.max) }),
            .receipt(
                created: "2024-07-11",
                .period("plus", "2", "2024-06-01", "2024-07-01").with { $0.quantity = UInt64(Int64.max) }),
            .renewal("plus", signed: "2024-07-12") { $0.gracePeriodExpirationDate = moment("9999-12-31") })
        for date in ["0000-01-01", "2024-06-15", "9999-12-31"] {
            let entitlements = evidence.entitlements(at: date)
            #expect(entitlements.all.count == 1)
            #expect(try JSONEncoder().encode(entitlements.all).isEmpty == false)
        }
    }
}
