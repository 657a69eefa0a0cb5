import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import VerifyReceipt

/// Verified evidence, by default of the app com.example.app in the sandbox.
enum VerifiedFixtures {
    static let start = instant("2024-06-01T00:00:00Z")

    private static let anything = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

    private static func signedData() throws -> SignedDataVerifier {
        SignedDataVerifier(
            anchors: try TestPKI.signedData.anchors, xcode: try XcodeTrust(der: [TestPKI.xcodeTokens.der()]))
    }

    /// Verifies a container without a date, as the responder does.
    static func receipt(container: [UInt8]) throws -> VerifiedReceipt {
        try ReceiptVerifier(
            anchors: TestPKI.standard.anchors, xcode: XcodeTrust(der: [TestPKI.xcode.der()])
        ).verify(
            container, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: .distantPast)
    }

    static func receipt(_ receipt: TestReceipt) throws -> VerifiedReceipt {
        try self.receipt(
            container: receipt.environment == .xcode ? receipt.signedLikeXcode() : receipt.signed())
    }

    static func receipt(
        _ purchases: [TestPurchase], created: String = "2024-07-02T15:04:05Z"
    ) throws -> VerifiedReceipt {
        try receipt(ReceiptFixtures.receipt(purchases, created: created))
    }

    static func transaction(_ transaction: TestTransaction) throws -> VerifiedTransaction {
        try signedData().verifyTransaction(
            transaction.environment == .xcode ? transaction.signedLikeXcode() : transaction.signed(),
            expecting: anything)
    }

    static func renewal(_ renewal: TestRenewalInfo) throws -> VerifiedRenewalInfo {
        try signedData().verifyRenewalInfo(renewal.signed(), expecting: anything)
    }

    static func notification(
        _ type: NotificationType, _ transaction: TestTransaction?, _ renewal: TestRenewalInfo? = nil
    ) throws -> VerifiedNotification {
        let made = try TestNotification(type: type).with {
            $0.signedTransactionInfo = try transaction?.signed()
            $0.signedRenewalInfo = try renewal?.signed()
        }
        return try signedData().verifyNotification(made.signed(), expecting: anything)
    }
}

extension VerifyReceiptResponder {
    /// The response to a receipt, with this history.
    func response(
        to receipt: TestReceipt, _ history: CustomerEvidence, _ members: AppStoreJSON.Object = [:]
    ) async throws -> VerifyReceiptResponse {
        await response(
            to: request(try receipt.signed(), members), evidence: StubHistory(history: history), now: Date.later)
    }
}

extension Date {
    /// A date after all evidence of the tests.
    static let later = instant("2025-01-01T00:00:00Z")
}

extension VerifyReceiptResponse {
    /// The elements of `latest_receipt_info`.
    var latest: [AppStoreJSON] { json["latest_receipt_info"]?.array ?? [] }

    /// The elements of `receipt.in_app`.
    var inApp: [AppStoreJSON] { json["receipt"]?["in_app"]?.array ?? [] }
}

extension [AppStoreJSON] {
    /// The transaction identifiers of the elements.
    var transactions: [String?] { map { $0["transaction_id"]?.string } }

    /// The cancellation dates of the elements.
    var cancellations: [String?] { map { $0["cancellation_date"]?.string } }

    /// The element with this transaction identifier.
    subscript(transaction identifier: String) -> AppStoreJSON? {
        first { $0["transaction_id"]?.string == identifier }
    }
}
