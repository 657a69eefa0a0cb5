import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Test func xcodeReceiptIsAcceptedIfItsCertificateIsNamed() throws {
    let device = try DeviceIdentifier(text: "02:00:00:00:00:01")
    var receipt = TestReceipt(bundleIdentifier: "com.example.app")
    receipt.device = device
    let start = receipt.creationDate
    receipt.purchases = [
        TestPurchase(subscription: "monthly", transaction: "1", from: start, to: start + 30 * 86_400)
    ]
    let verifier = ReceiptVerifier(xcode: try XcodeTrust(der: [TestPKI.xcode.der()]))
    let expectations = Expectations(
        bundleIdentifier: "com.example.app", environments: [.xcode], devices: [device])
    let verified = try verifier.verify(try receipt.signedLikeXcode(), expecting: expectations)
    #expect(verified.environment == .xcode)
    #expect(verified.entitlements(at: start).isActive("monthly"))
    #expect(ReceiptVerifier().report(try receipt.signedLikeXcode(), expecting: expectations).failure != nil)
}
