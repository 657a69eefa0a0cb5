import AppReceiptFoundation
import AppReceiptKit

/// The verified tokens of a notification. They are for the notification's app and for the same subscription.
struct NestedData {
    var transaction: VerifiedTransaction?
    var renewalInfo: VerifiedRenewalInfo?
    var appTransaction: VerifiedAppTransaction?
}

extension NestedData {
    /// Verifies the tokens of a notification.
    init(
        of notification: NotificationClaims, verifiedBy verifier: SignedDataVerifier,
        expecting expectations: SignedDataExpectations, now: Date
    ) throws(ReceiptError) {
        self.init()
        // The nested data must be for the app that the notification names, even if other apps are accepted.
        var expected = expectations
        if let bundle = notification.bundleIdentifier { expected.bundleIdentifier = [bundle] }
        if let base = notification.environment?.base { expected.environments = [base] }
        if let app = notification.appAppleIdentifier { expected.appAppleIdentifier = [app] }
        // The App Store doesn't sign notifications for a device.
        expected.device = .anyDevice
        switch notification.subject {
        case .data(let data):
            if let token = data.transaction {
                transaction = try Self.verified("transaction") { () throws(ReceiptError) in
                    try verifier.verifyTransaction(token, expecting: expected, now: now)
                }
            }
            if let token = data.renewalInfo {
                renewalInfo = try Self.verified("renewal information") { () throws(ReceiptError) in
                    try verifier.verifyRenewalInfo(token, expecting: expected, now: now)
                }
            }
        case .appData(let data):
            if let token = data.appTransaction {
                appTransaction = try Self.verified("app transaction") { () throws(ReceiptError) in
                    try verifier.verifyAppTransaction(token, expecting: expected, now: now)
                }
            }
        default:
            break
        }
        // Renewal information doesn't name an app, so only the transaction proves that it belongs to this one.
        if let transaction, let renewalInfo {
            guard let original = transaction.original, original == renewalInfo.original else {
                throw ReceiptError(.nestedDataMismatch)
            }
        }
    }

    private static func verified<Value>(
        _ name: String, by verify: () throws(ReceiptError) -> Value
    ) throws(ReceiptError) -> Value {
        do throws(ReceiptError) {
            return try verify()
        } catch {
            throw ReceiptError(
                error.code, check: .nestedData, "The \(name) in the notification: \(error.message)")
        }
    }
}
