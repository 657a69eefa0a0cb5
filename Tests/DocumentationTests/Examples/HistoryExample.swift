import AppReceiptKit
import AppStoreSignedData
import VerifyReceipt

/// What notifications have brought since the server started; keep a table of your own behind the same protocol.
let history = InMemoryTransactionHistory()

/// The same answer, with renewals, refunds and the state of renewal as far as notifications told of them.
func verifyReceipt(_ requestBody: [UInt8], after notifications: [VerifiedNotification]) async -> [UInt8] {
    for notification in notifications { history.add(notification) }
    return await production.answer(requestBody, history: history).body
}
