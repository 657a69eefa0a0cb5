package import AppReceiptKit
package import AppReceiptTesting
package import AppStoreSignedData
package import Foundation

/// Verified evidence, by default of the app com.example.app in the sandbox.
package enum VerifiedFixtures {
    package static let start = instant("2024-06-01T00:00:00Z")

    private static let anything = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

    private static func signedData() throws -> SignedDataVerifier {
        SignedDataVerifier(
            anchors: try TestPKI.signedData.anchors, xcode: try XcodeTrust(der: [TestPKI.xcodeTokens.der()]))
    }

    /// Verifies a container without a date, as the responder does.
    package static func receipt(container: [UInt8]) throws -> VerifiedReceipt {
        try ReceiptVerifier(
            anchors: TestPKI.standard.anchors, xcode: XcodeTrust(der: [TestPKI.xcode.der()])
        ).verify(
            container, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: .distantPast)
    }

    package static func receipt(_ receipt: TestReceipt) throws -> VerifiedReceipt {
        try self.receipt(
            container: receipt.environment == .xcode ? receipt.signedLikeXcode() : receipt.signed())
    }

    package static func receipt(
        _ purchases: [TestPurchase], created: String = "2024-07-02T15:04:05Z"
    ) throws -> VerifiedReceipt {
        try receipt(ReceiptFixtures.receipt(purchases, created: created))
    }

    package static func transaction(_ transaction: TestTransaction) throws -> VerifiedTransaction {
        try signedData().verifyTransaction(
            transaction.environment == .xcode ? transaction.signedLikeXcode() : transaction.signed(),
            expecting: anything)
    }

    package static func renewal(_ renewal: TestRenewalInfo) throws -> VerifiedRenewalInfo {
        try signedData().verifyRenewalInfo(renewal.signed(), expecting: anything)
    }

    package static func notification(
        _ type: NotificationType, _ transaction: TestTransaction?, _ renewal: TestRenewalInfo? = nil
    ) throws -> VerifiedNotification {
        let made = try TestNotification(type: type).with {
            $0.signedTransactionInfo = try transaction?.signed()
            $0.signedRenewalInfo = try renewal?.signed()
        }
        return try signedData().verifyNotification(made.signed(), expecting: anything)
    }
}
