import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("EvidenceDates")
struct EvidenceDatesTests {
    @Test("An entitlement is as of the newest receipt that contains its original transaction")
    func asOf() throws {
        let testCases = [
            ReceiptTestCase.created(
                "2024-02-01", .period("silver", "1", "2024-01-01", "2024-02-01"), .kept("pro", "9", "2024-01-01")),
            ReceiptTestCase.created("2024-03-01", .period("silver", "2", "2024-02-01", "2024-03-01")),
            ReceiptTestCase.created("2024-04-01", .kept("maps", "8", "2024-01-01")),
        ]
        let all = try entitlements(testCases)
        #expect(all["silver"]?.asOf == day("2024-03-01"))
        #expect(all["pro"]?.asOf == day("2024-02-01"))
        #expect(all["maps"]?.asOf == day("2024-04-01"))
    }

    @Test("Subscriptions whose periods alternate in a receipt keep their periods and dates")
    func alternating() throws {
        let periods: [TestPurchase] = [
            .period("silver", "1", "2024-01-01", "2024-02-01"),
            .period("gold", "2", "2024-01-02", "2024-02-02", original: "2"),
            .period("silver", "3", "2024-02-01", "2024-03-01"),
            .period("gold", "4", "2024-02-02", "2024-03-02", original: "2"),
        ]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3]] {
            let listed = order.map { periods[$0] }
            let receipts: [ReceiptTestCase] = [
                .created("2024-02-15", periods[0], periods[1]),
                .created("2024-03-01T12:00:00Z", listed[0], listed[1], listed[2], listed[3]),
            ]
            for testCases in [receipts, receipts.reversed()] {
                let all = try entitlements(testCases)
                // The newer receipt was created after the end of silver's last period, and before the end of gold's.
                let silver = try #require(all["silver"])
                #expect(silver.state == .expired)
                #expect(silver.since == day("2024-01-01"))
                #expect(silver.until == day("2024-03-01"))
                let gold = try #require(all["gold"])
                #expect(gold.state == .renewalUnknown)
                #expect(gold.since == day("2024-01-02"))
                #expect(gold.until == day("2024-03-02"))
                #expect(silver.asOf == instant("2024-03-01T12:00:00Z"))
                #expect(gold.asOf == silver.asOf)
            }
        }
    }

    private func entitlements(_ testCases: [ReceiptTestCase]) throws -> Entitlements {
        Entitlements(
            bundleIdentifier: "com.example.app", environment: .sandbox,
            receipts: try testCases.map { try $0.verified() },
            at: day("2024-05-01"))
    }
}
