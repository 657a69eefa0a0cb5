#if Server
import AppReceiptSupport
import Testing

@testable import AppReceiptStore

@Suite("EntitlementChange")
struct EntitlementChangeTests {
    /// An entitlement with a state and the members that matter.
    private static func entitlement(_ state: String, _ members: AppStoreJSON.Object = [:]) -> ReportedEntitlement {
        var json: AppStoreJSON.Object = [
            "productIdentifier": "com.example.plus", "kind": "subscription", "state": .string(state),
            "isActive": .boolean(["active", "gracePeriod", "owned"].contains(state)), "quantity": 1,
        ]
        for member in members.members { json[member.name] = member.value }
        return ReportedEntitlement(stored: .object(json))
    }

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
        #expect(Self.types(nil, Self.entitlement(state)) == expected)
    }

    @Test(
        "An unchanged entitlement isn't an event",
        arguments: [
            "active", "owned", "gracePeriod", "billingRetry", "expired", "renewalUnknown", "refunded", "revoked",
        ])
    func unchanged(state: String) {
        let entitlement = Self.entitlement(state, ["until": "2024-08-01T00:00:00Z", "willRenew": true])
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
        #expect(Self.types(Self.entitlement(before), Self.entitlement(after)) == [expected])
    }

    @Test(
        "What time alone ends has expired, also if the App Store may still bill it",
        arguments: [
            "expired", "renewalUnknown", "billingRetry",
        ])
    func time(state: String) {
        #expect(Self.types(Self.entitlement("gracePeriod"), Self.entitlement(state), byTime: true) == [.expired])
    }

    @Test("A later end is a renewal, and an earlier one tells the state again")
    func periods() {
        let (first, second) =
            (["until": "2024-08-01T00:00:00Z"], ["until": "2024-09-01T00:00:00Z"])
            as (AppStoreJSON.Object, AppStoreJSON.Object)
        #expect(Self.types(Self.entitlement("active", first), Self.entitlement("active", second)) == [.renewed])
        #expect(Self.types(Self.entitlement("active", second), Self.entitlement("active", first)) == [.activated])
    }

    @Test(
        "What else changes of an entitlement tells its state again, but not what follows the period",
        arguments: [
            ("active", EntitlementEventType.activated), ("gracePeriod", .enteredGracePeriod),
            ("billingRetry", .enteredBillingRetry), ("expired", .expired), ("renewalUnknown", .expired),
            ("refunded", .refunded), ("revoked", .revoked),
        ])
    func toldAgain(state: String, expected: EntitlementEventType) {
        let before = Self.entitlement(state)
        for change: AppStoreJSON.Object in [
            ["since": "2024-01-01T00:00:00Z"], ["transactionIdentifier": "7"],
        ] {
            #expect(Self.types(before, Self.entitlement(state, change)) == [expected])
        }
        for change: AppStoreJSON.Object in [
            ["asOf": "2024-01-01T00:00:00Z"], ["willRenew": true], ["renewsAs": "com.example.basic"],
            ["reason": "New."], ["ownership": "PURCHASED"],
        ] {
            #expect(Self.types(before, Self.entitlement(state, change)) == [])
        }
        let dates = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.250Z"].map { date in
            Self.entitlement(state, ["since": .string(date), "until": .string(date)])
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
                Self.types(Self.entitlement("gracePeriod", before), Self.entitlement("gracePeriod", after))
                    == [.enteredGracePeriod])
        }
    }

    @Test("A transaction whose kind is learned later is the entitlement that was reported")
    func learnedKind() {
        let unknown = Self.entitlement("owned", ["kind": "unknown", "transactionIdentifier": "1"])
        let consumable = Self.entitlement("owned", ["kind": "consumable", "transactionIdentifier": "1"])
        #expect(consumable.position(in: [unknown]) == 0)
        #expect(consumable.position(in: [consumable, unknown]) == 0)
        let other = Self.entitlement("owned", ["kind": "consumable", "transactionIdentifier": "2"])
        #expect(other.position(in: [unknown, consumable]) == nil)
    }

    @Test("A change of product is one event, of the new product")
    func product() {
        let after = Self.entitlement("active", ["productIdentifier": "com.example.yearly", "willRenew": false])
        #expect(Self.types(Self.entitlement("active", ["willRenew": true]), after) == [.productChanged])
    }

    @Test("Turning the renewal off or on is an event while the subscription runs; learning it is none")
    func renewal() {
        let (on, off) = (
            Self.entitlement("active", ["willRenew": true]), Self.entitlement("active", ["willRenew": false])
        )
        #expect(Self.types(on, off) == [.renewalTurnedOff])
        #expect(Self.types(off, on) == [.renewalTurnedOn])
        #expect(Self.types(Self.entitlement("active"), off) == [])
        #expect(Self.types(on, Self.entitlement("expired", ["willRenew": false])) == [.expired])
        let renewed = Self.entitlement("active", ["willRenew": false, "until": "2024-09-01T00:00:00Z"])
        let before = Self.entitlement("active", ["willRenew": true, "until": "2024-08-01T00:00:00Z"])
        #expect(Self.types(before, renewed) == [.renewed, .renewalTurnedOff])
    }

    @Test("A part of a refund is a refund, more of it is another one, and none is its reversal")
    func partialRefunds() {
        let half = Self.entitlement("owned", ["refundedPercentage": 50, "quantity": 1])
        let whole = Self.entitlement("owned", ["quantity": 2])
        #expect(Self.types(whole, half) == [.refunded])
        #expect(Self.types(half, Self.entitlement("owned", ["refundedPercentage": 75, "quantity": 1])) == [.refunded])
        #expect(Self.types(half, whole) == [.refundReversed])
    }

    @Test("A new transaction after a refund is a purchase, not its reversal")
    func boughtAgain() {
        let refunded = Self.entitlement("refunded", ["transactionIdentifier": "1"])
        #expect(Self.types(refunded, Self.entitlement("active", ["transactionIdentifier": "2"])) == [.activated])
        #expect(Self.types(refunded, Self.entitlement("active", ["transactionIdentifier": "1"])) == [.refundReversed])
    }

    @Test("Another quantity without a refund is a change of seats")
    func seats() {
        #expect(Self.types(Self.entitlement("active"), Self.entitlement("active", ["quantity": 5])) == [.seatsChanged])
    }
}
#endif
