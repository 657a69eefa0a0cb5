import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("PurchaseCopies")
struct PurchaseCopiesTests {
    private static let january = TestPurchase.period("silver", "1", "2024-01-01", "2024-02-01")
    private static let copy = TestPurchase.period("silver", "2", "2024-01-01", "2024-02-01")

    @Test("A period is refunded with any of its copies")
    func periods() throws {
        for testCase in [
            ReceiptTestCase.bought(Self.january.canceled("2024-01-10"), Self.copy),
            .bought(Self.january, Self.copy.canceled("2024-01-10")),
            .bought(Self.january.canceled("2024-01-20"), Self.copy.canceled("2024-01-10")),
        ] {
            #expect(try testCase.subscription().periods.map(\.accessEnd) == [day("2024-01-10")])
            #expect(try testCase.entitlement(at: "2024-01-09").state == .active)
            let silver = try testCase.entitlement(at: "2024-01-10")
            #expect(silver.state == .refunded)
            #expect(silver.until == day("2024-01-10"))
        }
    }

    @Test("A transaction without its own date of refund inherits the earliest of its copies")
    func dates() throws {
        let purchases = try ReceiptTestCase.bought(
            Self.january.canceled("2024-01-20"), Self.copy,
            Self.copy.with { $0.transactionIdentifier = "3" }.canceled("2024-01-10")
        ).purchases()
        #expect(purchases.transactions == ["1", "2", "3"])
        #expect(purchases.map(\.cancellationDate) == [day("2024-01-20"), day("2024-01-10"), day("2024-01-10")])
    }

    @Test(
        "A transaction of another period, product or original isn't a copy",
        arguments: [
            .period("silver", "3", "2024-02-01", "2024-03-01"),
            .period("silver", "3", "2024-01-01T00:00:01Z", "2024-02-01"),
            .period("gold", "3", "2024-01-01", "2024-02-01"),
            .period("silver", "3", "2024-01-01", "2024-02-01", original: "3"),
        ] as [TestPurchase])
    func others(_ other: TestPurchase) throws {
        let entitlements = try ReceiptTestCase.bought(Self.january.canceled("2024-01-10"), other).entitlements(
            at: other.purchaseDate > day("2024-01-02") ? "2024-02-15" : "2024-01-15")
        #expect(entitlements.isActive(other.productIdentifier))
    }

    @Test("Fractions of a second have no effect")
    func fractions() throws {
        let copy = TestPurchase.period("silver", "2", "2024-01-01T00:00:00.9Z", "2024-02-01T00:00:00.1Z")
        let testCase = ReceiptTestCase.bought(Self.january.canceled("2024-01-10"), copy)
        #expect(try testCase.entitlement(at: "2024-01-15").state == .refunded)
        #expect(try testCase.subscription().periods.count == 1)
    }

    @Test("A copy in another receipt counts")
    func acrossReceipts() throws {
        let receipts = [
            try ReceiptTestCase.created("2024-03-01", Self.january.canceled("2024-01-10")).verified(),
            try ReceiptTestCase.created("2024-06-01", Self.copy).verified(),
        ]
        for receipts in [receipts, receipts.reversed()] {
            let entitlements = Entitlements(
                bundleIdentifier: "com.example.app", environment: .sandbox, receipts: receipts, at: day("2024-01-15"))
            #expect(entitlements.state("silver") == .refunded)
        }
    }

    @Test("A copy that was restored after the end of its period doesn't extend it")
    func restoredLate() throws {
        let testCase = ReceiptTestCase.bought(Self.january, .period("silver", "2", "2024-06-01", "2024-02-01"))
        #expect(try testCase.subscription().periods.map(\.accessEnd).max() == day("2024-02-01"))
        #expect(try testCase.entitlement(at: "2024-01-15").transactionIdentifier == "1")
        for date in ["2024-02-01", "2024-03-01", "2024-06-01"] {
            #expect(try !testCase.entitlement(at: date).isActive)
        }
    }
}
