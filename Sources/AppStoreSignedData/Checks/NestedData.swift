import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tokens in a notification, each verified by itself, and whether they belong to it and to each other.
struct NestedData {
    private(set) var transaction: VerifiedTransaction?
    private(set) var renewalInfo: VerifiedRenewalInfo?
    private(set) var appTransaction: VerifiedAppTransaction?

    init() {}

    init(
        _ notification: NotificationClaims, _ verifier: SignedDataVerifier, _ expectations: SignedDataExpectations,
        now: Date
    ) throws(ReceiptError) {
        // What is inside must be for the app that the notification names, whatever else is accepted.
        var expected = expectations
        if let bundle = notification.bundleIdentifier { expected.bundleIdentifier = .identifier(bundle) }
        if let base = notification.environment?.base { expected.environments = .only([base]) }
        if let app = notification.appAppleIdentifier { expected.appAppleIdentifier = .identifier(app) }
        // The store signs notifications for no device.
        expected.device = .anyDevice
        switch notification.subject {
        case .data(let data):
            if let token = data.transaction {
                transaction = try Self.of("transaction") { () throws(ReceiptError) in
                    try verifier.verifyTransaction(token, expecting: expected, now: now)
                }
            }
            if let token = data.renewalInfo {
                renewalInfo = try Self.of("renewal information") { () throws(ReceiptError) in
                    try verifier.verifyRenewalInfo(token, expecting: expected, now: now)
                }
            }
        case .appData(let data):
            if let token = data.appTransaction {
                appTransaction = try Self.of("app transaction") { () throws(ReceiptError) in
                    try verifier.verifyAppTransaction(token, expecting: expected, now: now)
                }
            }
        default:
            break
        }
        // Renewal information names no app: it belongs to the transaction, or to anybody.
        if let claims = transaction?.claims, let renewal = renewalInfo?.claims {
            let line = claims.originalTransactionIdentifier ?? claims.transactionIdentifier
            guard let line, line == renewal.originalTransactionIdentifier else {
                throw ReceiptError(.nestedDataMismatch)
            }
        }
    }

    private static func of<Data>(
        _ name: String, _ verify: () throws(ReceiptError) -> Data
    ) throws(ReceiptError) -> Data {
        do throws(ReceiptError) {
            return try verify()
        } catch {
            throw ReceiptError(
                error.code, stage: .nestedData, "The \(name) in the notification: \(error.message)")
        }
    }
}
