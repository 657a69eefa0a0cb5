#if Server
import AppReceiptSupport
import AppReceiptTesting
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

@Suite("StoredPurchase")
struct StoredPurchaseTests {
    private let cause = EventCause(.transaction)

    @Test("What changed is reported once, to the account, and begins where the last report ended")
    func report() throws {
        var purchase = StoredPurchase(original: try .test(), binding: AccountBinding(account: "ann"))
        let (active, refunded) = (ReportedEntitlement.test("active"), ReportedEntitlement.test("refunded"))
        let first = purchase.report([active], due: 9, because: cause, at: 1)
        #expect(purchase.state == PurchaseState([active], due: 9))
        let repeated = purchase.report([active], due: nil, because: cause, at: 2)
        #expect(repeated.isEmpty && purchase.state.due == nil)
        let second = purchase.report([refunded], due: nil, because: cause, at: 3)
        #expect((first + second).map(\.type) == [.activated, .refunded])
        #expect((first + second).map(\.before) == [nil, active.json.jsonText])
        #expect((first + second).map(\.date) == [1, 3])
        #expect((first + second).allSatisfy { $0.account == "ann" && $0.productIdentifier == "com.example.plus" })
    }

    @Test("A period that hasn't started isn't reported, and is new when it starts")
    func notStarted() throws {
        var purchase = StoredPurchase(original: try .test())
        let none = purchase.report([.test("notStarted")], due: 5, because: cause, at: 1)
        #expect(none.isEmpty && purchase.state == PurchaseState([], due: 5))
        let events = purchase.report([.test("active")], due: nil, because: cause, at: 5)
        #expect(events.map(\.before) == [nil])
    }

    @Test("Only time makes billing retry an expiration")
    func time() throws {
        for (kind, type) in [(EventCause.Kind.time, EntitlementEventType.expired), (.receipt, .enteredBillingRetry)] {
            var purchase = StoredPurchase(original: try .test(), state: PurchaseState([.test("active")], due: 1))
            let events = purchase.report([.test("billingRetry")], due: nil, because: EventCause(kind), at: 1)
            #expect(events.map(\.type) == [type])
        }
    }

    @Test("A transfer names both accounts, and is none before the first report")
    func transfer() throws {
        var purchase = StoredPurchase(original: try .test(), binding: AccountBinding(account: "ben"))
        #expect(purchase.transfer(from: "ann", because: cause, at: 1).isEmpty)
        purchase.state = PurchaseState([.test("active")], due: nil)
        let events = purchase.transfer(from: "ann", because: cause, at: 1)
        #expect(events.map(\.type) == [.transferred])
        #expect(events.map(\.account) == ["ben"] && events.map(\.formerAccount) == ["ann"])
        #expect(events.map(\.before) == events.map(\.after))
    }

    @Test("A forgotten purchase that is compared again is like a new one")
    func forgotten() throws {
        var state = PurchaseState.forgotten(at: 7)
        #expect(state.isForgotten && state.entitlements.isEmpty)
        state.postpone(from: 10)
        #expect(state == PurchaseState([], due: 10 + PurchaseState.pause))
        #expect(PurchaseState(json: "{").entitlements.isEmpty && !PurchaseState(json: "{").isForgotten)
    }

    @Test("A notification from before a purchase was forgotten isn't stored, unless it is a refund")
    func notifications() throws {
        let (old, new) = ("2024-12-01T00:00:00Z", "2024-12-03T00:00:00Z")
        let state = PurchaseState.forgotten(at: try #require(instant("2024-12-02T00:00:00Z").milliseconds))
        func row(_ signed: String, refund: String? = nil) throws -> NotificationRow {
            let notification = try StoreFixtures.notification(
                1, StoreFixtures.period("1", signed: signed, refund: refund)
            ) {
                $0.signedDate = instant(signed)
            }
            return try #require(NotificationRow(notification))
        }
        #expect(try state.excludes(row(old)))
        #expect(try !state.excludes(row(new)) && !state.excludes(row(old, refund: old)))
        #expect(try !PurchaseState().excludes(row(old)))
    }
}
#endif
