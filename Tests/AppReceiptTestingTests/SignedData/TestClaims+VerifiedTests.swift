import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Testing

@Suite("TestClaims, verified")
struct TestClaimsVerifiedTests {
    @Test("Receipts and signed data of any app and environment are verified as of the date of their signature")
    func verified() throws {
        let receipt = TestReceipt(bundleIdentifier: "com.example.other").with { $0.environment = .production }
        #expect(try receipt.verified().receipt.bundleIdentifier == "com.example.other")
        #expect(try !receipt.verified().isFromFuture)
        let transaction = TestTransaction("pro", transaction: "1").with {
            $0.bundleIdentifier = "com.example.other"
            $0.environment = .production
        }
        #expect(try transaction.verified().claims.productIdentifier == "pro")
        #expect(try TestRenewalInfo("pro", original: "1").verified().claims.originalTransactionIdentifier == "1")
        #expect(try TestAppTransaction().verified().claims.originalAppVersion == "1.0")
        #expect(try TestNotification(type: .test).verified().claims.notificationType == .test)
    }

    @Test("Claims and receipts that aren't valid throw their error")
    func invalid() throws {
        let twice = TestReceipt().with { $0.overrides[3] = [[0x0C, 0x01, 0x31], [0x0C, 0x01, 0x32]] }
        let error = #expect(throws: ReceiptError.self) { try twice.verified() }
        #expect(error?.code == .attributeDuplicate)
        let undated = TestTransaction("pro", transaction: "1").with { $0.overrides = ["signedDate": .null] }
        #expect(throws: ReceiptError.self) { try undated.verified() }
    }
}
