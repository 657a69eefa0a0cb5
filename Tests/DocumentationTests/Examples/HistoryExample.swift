import AppReceiptKit
import AppStoreSignedData
import VerifyReceipt

/// The contents of all notifications since the server started. Implement the same protocol with a database of your own.
let history = InMemoryTransactionHistory()

/// Returns the same response, with the renewals, refunds and renewal states that notifications contained.
func verifyReceipt(_ requestBody: [UInt8], after notifications: [VerifiedNotification]) async -> [UInt8] {
    for notification in notifications { history.add(notification) }
    return await production.response(to: requestBody, evidence: history).body
}
