import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Rank of entitlements")
struct EntitlementRankTests {
    @Test("The active original that lasts longest determines the entitlement")
    func active() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-03-01", original: "1"),
            .period("silver", "2", "2024-01-15", "2024-02-15", original: "2"))
        for date in ["2024-01-10", "2024-01-20", "2024-02-20"] {
            let silver = try testCase.entitlement(at: date)
            #expect(silver.originalTransactionIdentifier == "1")
            #expect(silver.until == day("2024-03-01"))
        }
    }

    @Test("An active original has precedence over an inactive one, whichever was bought later")
    func activeBeforeInactive() throws {
        let kept = TestPurchase.period("silver", "1", "2024-01-01", "2024-03-01", original: "1")
        let refunded = TestPurchase.period("silver", "2", "2024-01-15", "2024-06-15", original: "2").canceled(
            "2024-01-20")
        for testCase in [ReceiptTestCase.bought(kept, refunded), .bought(refunded, kept)] {
            let silver = try testCase.entitlement(at: "2024-02-01")
            #expect(silver.state == .active)
            #expect(silver.originalTransactionIdentifier == "1")
        }
        let pro = ReceiptTestCase.bought(
            .kept("pro", "1", "2024-01-01"), .kept("pro", "2", "2024-02-01").canceled("2024-03-01"))
        #expect(try pro.entitlement(at: "2024-04-01").originalTransactionIdentifier == "1")
    }

    @Test("The inactive original that began last has precedence over those before it and those that haven't begun")
    func inactive() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01", original: "1"),
            .period("silver", "2", "2024-01-15", "2024-01-20", original: "2"),
            .period("silver", "3", "2024-06-01", "2024-07-01", original: "3"))
        #expect(try testCase.entitlement(at: "2024-03-01").originalTransactionIdentifier == "2")
        #expect(try testCase.entitlement(at: "2024-03-01").state == .expired)
        let early = try testCase.entitlement(at: "2023-12-01")
        #expect(early.state == .notStarted)
        #expect(early.originalTransactionIdentifier == "3")
        #expect(try testCase.entitlement(at: "2024-06-15").originalTransactionIdentifier == "3")
    }

    @Test("A non-consumable has precedence over a subscription's period of the same product")
    func withoutEnd() throws {
        let testCase = ReceiptTestCase.bought(
            .period("pro", "1", "2024-07-01", "2024-08-01", original: "1"), .kept("pro", "2", "2024-01-01"))
        let pro = try testCase.entitlement()
        #expect(pro.kind == .nonConsumable)
        #expect(pro.state == .owned)
    }

    @Test("Equal originals are ranked by their identifiers, whatever the order of the bytes")
    func ties() throws {
        let testCase = ReceiptTestCase.bought(
            .period("silver", "1", "2024-01-01", "2024-02-01", original: "1"),
            .period("silver", "2", "2024-01-01", "2024-02-01", original: "2"))
        for testCase in [testCase, testCase.inOrder(reversed: false), testCase.inOrder(reversed: true)] {
            #expect(try testCase.entitlement(at: "2024-01-15").originalTransactionIdentifier == "2")
            #expect(try testCase.entitlement(at: "2024-03-15").originalTransactionIdentifier == "2")
        }
    }
}
