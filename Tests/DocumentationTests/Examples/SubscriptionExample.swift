import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Test func subscriptionEndsAndRefundCounts() throws {
    let day: TimeInterval = 86_400
    var receipt = TestReceipt(bundleIdentifier: "com.example.app")
    receipt.device = DeviceIdentifier(bytes: [2, 0, 0, 0, 0, 1])
    let start = receipt.creationDate
    receipt.purchases = [
        TestPurchase(subscription: "monthly", transaction: "1", from: start - 30 * day, to: start, isTrial: true),
        TestPurchase(subscription: "monthly", transaction: "2", original: "1", from: start, to: start + 30 * day),
        TestPurchase("refunded", transaction: "3", at: start).with { $0.cancellationDate = start + day },
    ]
    // As Xcode's local testing signs it; only a verifier that names the certificate accepts it.
    let bytes = try receipt.signedLikeXcode()
    let verifier = ReceiptVerifier(xcode: try XcodeTrust(certificates: [TestPKI.xcode.der()]))
    let expectations = Expectations(
        bundleIdentifier: "com.example.app", environments: [.xcode], devices: .oneOf([receipt.device].compactMap { $0 })
    )
    let verified = try verifier.verify(bytes, expecting: expectations)
    let active = verified.receipt.purchases.filter { ($0.expirationDate ?? .distantPast) > start + 10 * day }
    #expect(active.map(\.transactionIdentifier) == ["2"])
}
