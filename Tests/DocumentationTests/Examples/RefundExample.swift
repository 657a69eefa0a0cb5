import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Test func refundEndsAccess() throws {
    let day: TimeInterval = 86_400
    let older = TestReceipt(bundleIdentifier: "com.example.app").with {
        let start = $0.creationDate
        $0.purchases = [
            TestPurchase(subscription: "monthly", transaction: "1", from: start, to: start + 30 * day),
            TestPurchase("tools", transaction: "2", at: start),
        ]
    }
    let start = older.creationDate
    // A week later the App Store refunds both purchases. A newer receipt contains one refund, a signed transaction the other.
    let newer = older.with {
        $0.creationDate = start + 8 * day
        $0.purchases[0].cancellationDate = start + 7 * day
    }
    let refund = TestTransaction("tools", transaction: "2", at: start).with {
        $0.revocationDate = start + 7 * day
        $0.signedDate = start + 8 * day
    }

    let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
    let receipts = try [older, newer].map { try verifier.verify(try $0.signed(), expecting: expectations) }
    let transaction = try SignedDataVerifier(anchors: try TestPKI.signedData.anchors).verifyTransaction(
        try refund.signed(),
        expecting: SignedDataExpectations(
            bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: .anyApp))

    // Without the refunds, both purchases give access.
    let before = receipts[0].entitlements(at: start + 10 * day)
    #expect(before.active.map(\.productIdentifier) == ["monthly", "tools"])
    let after = Entitlements(
        bundleIdentifier: "com.example.app", environment: .sandbox, receipts: receipts, transactions: [transaction],
        at: start + 10 * day)
    #expect(after.all.map(\.state) == [.refunded, .refunded])
    #expect(after.active.isEmpty)
}
