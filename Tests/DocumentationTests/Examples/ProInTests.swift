import AppReceiptKit
import AppReceiptTesting
import Testing

@Test func purchaseUnlocks() throws {
    let receipt = TestReceipt(
        bundleIdentifier: "com.example.app", purchases: [TestPurchase("com.example.pro", transaction: "1")])
    let entitlements = try receipt.verified().entitlements()
    #expect(entitlements.isActive("com.example.pro"))
}

@Test func refundLocks() throws {
    let refunded = TestPurchase("com.example.pro", transaction: "1").with { $0.cancellationDate = $0.purchaseDate }
    let entitlements = try TestReceipt(purchases: [refunded]).verified().entitlements()
    #expect(entitlements["com.example.pro"]?.state == .refunded)
}
