import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("VerifiedSignedData: entitlements")
struct VerifiedSignedDataEntitlementsTests {
    private let start = TestReceipt().creationDate
    private let transaction: String
    private let renewal: String

    init() throws {
        transaction = try TestTransaction(
            "com.example.pro", transaction: "1", at: start, until: start.addingTimeInterval(86_400)
        ).signed()
        renewal = try TestRenewalInfo("com.example.pro", original: "1").signed()
    }

    private func entitlements(_ token: String, at date: Date? = nil, now: Date) throws -> Entitlements? {
        let report = SignedDataVerifier(anchors: try TestPKI.signedData.anchors).report(
            token,
            expecting: SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp), now: now)
        return try report.result.get().entitlements(at: date ?? report.entitlementDate)
    }

    @Test("A transaction alone has an entitlement, and a notification adds its renewal information")
    func sources() throws {
        let alone = try #require(try entitlements(transaction, now: start).flatMap { $0["com.example.pro"] })
        #expect(alone.state == .active)
        #expect(alone.willRenew == nil)
        let token = try TestNotification(type: .subscribed).with {
            $0.signedTransactionInfo = transaction
            $0.signedRenewalInfo = renewal
        }.signed()
        #expect(try entitlements(token, now: start)?["com.example.pro"]?.willRenew == true)
    }

    @Test("Data without a purchase has no entitlements")
    func noPurchase() throws {
        for token in try [renewal, TestAppTransaction().signed(), TestNotification().signed()] {
            #expect(try entitlements(token, now: start) == nil)
        }
    }

    @Test("The current time isn't before the date of signing, but a requested date may be")
    func dates() throws {
        let early = start.addingTimeInterval(-1000)
        #expect(try entitlements(transaction, now: early)?.date == start)
        #expect(try entitlements(transaction, at: early, now: start)?.date == early)
    }
}
