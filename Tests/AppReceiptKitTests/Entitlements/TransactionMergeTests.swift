import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// Merges of receipts. The tests of `AppStoreSignedData` include tokens.
@Suite("TransactionMerge")
struct TransactionMergeTests {
    @Test("The newest receipt that contains the transaction determines whether it is refunded")
    func refunds() throws {
        let bought = TestPurchase.kept("pro", "1", "2024-01-01")
        let refunded = bought.canceled("2024-02-01")
        #expect(try state((bought, "2024-01-10"), (refunded, "2024-02-10")) == .refunded)
        #expect(try state((refunded, "2024-02-10"), (bought, "2024-03-10")) == .owned)
        #expect(try state((refunded, "2024-02-10"), (bought, "2024-03-10"), (refunded, "2024-04-10")) == .refunded)
        #expect(try state((refunded, "2024-02-10"), (bought, "2024-01-10")) == .refunded)
        #expect(try state((refunded, "2024-02-10"), (.kept("maps", "2", "2024-01-01"), "2024-03-10")) == .refunded)
    }

    @Test("At equal times, a refund wins")
    func equalTimes() throws {
        let bought = TestPurchase.kept("pro", "1", "2024-01-01")
        #expect(try state((bought, "2024-02-10"), (bought.canceled("2024-02-01"), "2024-02-10")) == .refunded)
        let twice = try ReceiptTestCase.bought(bought, bought.canceled("2024-02-01")).entitlements()
        #expect(twice.transactions.count == 1)
        #expect(twice.state("pro") == .refunded)
    }

    @Test("The newest receipt's date of refund is used")
    func dates() throws {
        let bought = TestPurchase.kept("pro", "1", "2024-01-01")
        let receipts = [(bought.canceled("2024-02-01"), "2024-03-10"), (bought.canceled("2024-02-20"), "2024-04-10")]
        for receipts in [receipts, receipts.reversed()] {
            #expect(try entitlements(receipts)["pro"]?.until == day("2024-02-20"))
        }
    }

    @Test("Without tokens, the newest receipt's expiration date counts, extended or shortened")
    func expirations() throws {
        let january = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-01")
        let extended = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-15")
        for (receipts, end) in [
            ([(january, "2024-01-10"), (extended, "2024-01-20")], "2024-02-15"),
            ([(extended, "2024-01-10"), (january, "2024-01-20")], "2024-02-01"),
            ([(extended, "2024-01-10"), (january.without(1708), "2024-01-20")], "2024-02-15"),
        ] {
            for receipts in [receipts, receipts.reversed()] {
                let silver = try #require(try entitlements(receipts, at: "2024-01-25")["silver"])
                #expect(silver.state == .active)
                #expect(silver.until == day(end))
            }
        }
    }

    private func state(_ receipts: (TestPurchase, String)...) throws -> Entitlement.State? {
        let states = try [receipts, receipts.reversed()].map { try entitlements($0).state("pro") }
        #expect(states[0] == states[1])
        return states[0]
    }

    /// Returns the entitlements from receipts with one purchase and a creation date each.
    private func entitlements(_ receipts: [(TestPurchase, String)], at date: String = "2024-06-01") throws
        -> Entitlements
    {
        Entitlements(
            bundleIdentifier: "com.example.app", environment: .sandbox,
            receipts: try receipts.map { try ReceiptTestCase.created($0.1, $0.0).verified() }, at: day(date))
    }
}
