import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Test func refundEndsAccess() throws {
    let day: TimeInterval = 86_400
    let start = TestReceipt().creationDate
    let older = TestReceipt(
        bundleIdentifier: "com.example.app",
        purchases: [
            TestPurchase(subscription: "monthly", transaction: "1", from: start, to: start + 30 * day),
            TestPurchase("tools", transaction: "2", at: start),
        ])
    // A week later the App Store refunds both purchases. A newer receipt contains one refund, a signed transaction the other.
    let newer = older.with {
        $0.creationDate = start + 8 * day
        $0.purchases[0].cancellationDate = start + 7 * day
    }
    let refund = TestTransaction("tools", transaction: "2", at: start).with {
        $0.revocationDate = start + 7 * day
        $0.signedDate = start + 8 * day
    }

    // Without the refunds, both purchases give access.
    let before = try older.verified().entitlements(at: start + 10 * day)
    #expect(before.active.map(\.productIdentifier) == ["monthly", "tools"])
    let after = Entitlements(
        bundleIdentifier: "com.example.app", environment: .sandbox,
        receipts: [try older.verified(), try newer.verified()],
        transactions: [try refund.verified()], at: start + 10 * day)
    #expect(after.all.map(\.state) == [.refunded, .refunded])
    #expect(after.active.isEmpty)
}
