import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Test func failedPaymentKeepsAccessInTheGracePeriod() throws {
    let day: TimeInterval = 86_400
    let start = TestReceipt().creationDate
    let period = TestTransaction("com.example.plus", transaction: "1", at: start, until: start + 30 * day)
    let renewal = TestRenewalInfo("com.example.plus", original: "1").with {
        $0.signedDate = start + 30 * day
        $0.gracePeriodExpirationDate = start + 46 * day
    }
    let entitlements = Entitlements(
        bundleIdentifier: "com.example.app", environment: .sandbox, transactions: [try period.verified()],
        renewals: [try renewal.verified()], at: start + 40 * day)
    #expect(entitlements["com.example.plus"]?.state == .gracePeriod)
    #expect(entitlements["com.example.plus"]?.until == start + 46 * day)
    #expect(entitlements.isActive("com.example.plus"))
}
