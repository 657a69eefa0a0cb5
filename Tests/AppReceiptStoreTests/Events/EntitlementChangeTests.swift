#if Server
import AppReceiptSupport
import Testing

@testable import AppReceiptStore

@Suite("EntitlementChange")
struct EntitlementChangeTests {
    private static func types(
        _ before: ReportedEntitlement?, _ after: ReportedEntitlement, byTime: Bool = false
    ) -> [EntitlementEventType] {
        EntitlementChange.types(from: before, to: after, isByTime: byTime)
    }

    @Test(
        "The first event of a purchase has the type of its state",
        arguments: [
            ("active", [EntitlementEventType.activated]), ("owned", [.activated]),
            ("gracePeriod", [.enteredGracePeriod]),
            ("billingRetry", [.enteredBillingRetry]), ("expired", [.expired]), ("renewalUnknown", [.expired]),
            ("refunded", [.refunded]), ("revoked", [.revoked]), ("upgraded", [.productChanged]), ("notStarted", []),
        ])
    func first(state: String, expected: [EntitlementEventType]) {
        #expect(Self.types(nil, ReportedEntitlement.test(state)) == expected)
    }

    @Test(
        "An unchanged entitlement isn't an event",
        arguments: [
            "active", "owned", "gracePeriod", "billingRetry", "expired", "renewalUnknown", "refunded", "revoked",
        ])
    func unchanged(state: String) {
        let entitlement = ReportedEntitlement.test(state, ["until": "2024-08-01T00:00:00Z", "willRenew": true])
        #expect(Self.types(entitlement, entitlement) == [])
    }

    @Test(
        "A change of state is one event",
        arguments: [
            ("active", "gracePeriod", EntitlementEventType.enteredGracePeriod),
            ("active", "billingRetry", .enteredBillingRetry), ("gracePeriod", "billingRetry", .enteredBillingRetry),
            ("active", "expired", .expired), ("active", "renewalUnknown", .expired),
            ("renewalUnknown", "expired", .expired),
            ("gracePeriod", "active", .renewed), ("billingRetry", "active", .renewed),
            ("renewalUnknown", "active", .renewed),
            ("expired", "active", .activated), ("active", "refunded", .refunded), ("owned", "refunded", .refunded),
            ("refunded", "owned", .refundReversed), ("refunded", "active", .refundReversed),
            ("refunded", "expired", .refundReversed), ("owned", "revoked", .revoked), ("revoked", "owned", .activated),
            ("refunded", "revoked", .revoked), ("refunded", "upgraded", .productChanged),
        ])
    func states(before: String, after: String, expected: EntitlementEventType) {
        #expect(Self.types(ReportedEntitlement.test(before), ReportedEntitlement.test(after)) == [expected])
    }

    @Test(
        "What time alone ends has expired, also if the App Store may still bill it",
        arguments: [
            "expired", "renewalUnknown", "billingRetry",
        ])
    func time(state: String) {
        #expect(
            Self.types(ReportedEntitlement.test("gracePeriod"), ReportedEntitlement.test(state), byTime: true) == [
                .expired
            ])
    }

    @Test("A later end is a renewal, and an earlier one tells the state again")
    func periods() {
        let (first, second) =
            (["until": "2024-08-01T00:00:00Z"], ["until": "2024-09-01T00:00:00Z"])
            as (AppStoreJSON.Object, AppStoreJSON.Object)
        #expect(
            Self.types(ReportedEntitlement.test("active", first), ReportedEntitlement.test("active", second)) == [
                .renewed
            ])
        #expect(
            Self.types(ReportedEntitlement.test("active", second), ReportedEntitlement.test("active", first)) == [
                .activated
            ])
    }

    @Test(
        "What else changes of an entitlement tells its state again, but not what follows the period",
        arguments: [
            ("active", EntitlementEventType.activated), ("gracePeriod", .enteredGracePeriod),
            ("billingRetry", .enteredBillingRetry), ("expired", .expired), ("renewalUnknown", .expired),
            ("refunded", .refunded), ("revoked", .revoked),
        ])
    func toldAgain(state: String, expected: EntitlementEventType) {
        let before = ReportedEntitlement.test(state)
        for change: AppStoreJSON.Object in [
            ["since": "2024-01-01T00:00:00Z"], ["transactionIdentifier": "7"],
        ] {
            #expect(Self.types(before, ReportedEntitlement.test(state, change)) == [expected])
        }
        for change: AppStoreJSON.Object in [
            ["asOf": "2024-01-01T00:00:00Z"], ["willRenew": true], ["renewsAs": "com.example.basic"],
            ["reason": "New."], ["ownership": "PURCHASED"],
        ] {
            #expect(Self.types(before, ReportedEntitlement.test(state, change)) == [])
        }
        let dates = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.250Z"].map { date in
            ReportedEntitlement.test(state, ["since": .string(date), "until": .string(date)])
        }
        #expect(Self.types(dates[0], dates[1]) == [])
    }

    @Test("A grace period with another end, or with one at all, isn't a renewal")
    func gracePeriod() {
        let ends: [AppStoreJSON.Object] = [
            [:], ["until": "2024-08-01T00:00:00Z"], ["until": "2024-09-01T00:00:00Z"],
            ["until": "2024-08-15T00:00:00Z"],
        ]
        for (before, after) in zip(ends, ends.dropFirst()) {
            #expect(
                Self.types(
                    ReportedEntitlement.test("gracePeriod", before), ReportedEntitlement.test("gracePeriod", after))
                    == [.enteredGracePeriod])
        }
    }

    @Test("A transaction whose kind is learned later is the entitlement that was reported")
    func learnedKind() {
        let unknown = ReportedEntitlement.test("owned", ["kind": "unknown", "transactionIdentifier": "1"])
        let consumable = ReportedEntitlement.test("owned", ["kind": "consumable", "transactionIdentifier": "1"])
        #expect(consumable.position(in: [unknown]) == 0)
        #expect(consumable.position(in: [consumable, unknown]) == 0)
        let other = ReportedEntitlement.test("owned", ["kind": "consumable", "transactionIdentifier": "2"])
        #expect(other.position(in: [unknown, consumable]) == nil)
    }

    @Test("A change of product is one event, of the new product")
    func product() {
        let after = ReportedEntitlement.test("active", ["productIdentifier": "com.example.yearly", "willRenew": false])
        #expect(Self.types(ReportedEntitlement.test("active", ["willRenew": true]), after) == [.productChanged])
    }

    @Test("Turning the renewal off or on is an event while the subscription runs; learning it is none")
    func renewal() {
        let (on, off) = (
            ReportedEntitlement.test("active", ["willRenew": true]),
            ReportedEntitlement.test("active", ["willRenew": false])
        )
        #expect(Self.types(on, off) == [.renewalTurnedOff])
        #expect(Self.types(off, on) == [.renewalTurnedOn])
        #expect(Self.types(ReportedEntitlement.test("active"), off) == [])
        #expect(Self.types(on, ReportedEntitlement.test("expired", ["willRenew": false])) == [.expired])
        let renewed = ReportedEntitlement.test("active", ["willRenew": false, "until": "2024-09-01T00:00:00Z"])
        let before = ReportedEntitlement.test("active", ["willRenew": true, "until": "2024-08-01T00:00:00Z"])
        #expect(Self.types(before, renewed) == [.renewed, .renewalTurnedOff])
    }

    @Test("A part of a refund is a refund, more of it is another one, and none is its reversal")
    func partialRefunds() {
        let half = ReportedEntitlement.test("owned", ["refundedPercentage": 50, "quantity": 1])
        let whole = ReportedEntitlement.test("owned", ["quantity": 2])
        #expect(Self.types(whole, half) == [.refunded])
        #expect(
            Self.types(half, ReportedEntitlement.test("owned", ["refundedPercentage": 75, "quantity": 1])) == [
                .refunded
            ])
        #expect(Self.types(half, whole) == [.refundReversed])
    }

    @Test("A new transaction after a refund is a purchase, not its reversal")
    func boughtAgain() {
        let refunded = ReportedEntitlement.test("refunded", ["transactionIdentifier": "1"])
        #expect(
            Self.types(refunded, ReportedEntitlement.test("active", ["transactionIdentifier": "2"])) == [.activated])
        #expect(
            Self.types(refunded, ReportedEntitlement.test("active", ["transactionIdentifier": "1"])) == [
                .refundReversed
            ])
    }

    @Test("Another quantity without a refund is a change of seats")
    func seats() {
        #expect(
            Self.types(ReportedEntitlement.test("active"), ReportedEntitlement.test("active", ["quantity": 5])) == [
                .seatsChanged
            ])
    }
}
#endif
