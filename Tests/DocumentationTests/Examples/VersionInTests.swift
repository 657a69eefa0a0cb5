import AppReceiptKit
import AppReceiptTesting
import Testing

@Test func versionIsRead() throws {
    let receipt = TestReceipt(bundleIdentifier: "com.example.app").with {
        $0.environment = .production
        $0.appVersion = "3.1"
    }
    let verified = try receipt.verified()
    #expect(verified.environment == .production)
    #expect(verified.receipt.appVersion == "3.1")
}
