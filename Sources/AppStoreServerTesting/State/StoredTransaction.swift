import AppReceiptSupport
import AppStoreServerAPI

/// A transaction of a customer.
struct StoredTransaction {
    /// The claims, without those that depend on the time of the request.
    var members: JSONObject
    /// The number of the last change of any transaction: the order of histories.
    var modification: Int
    /// Whether the app finished it.
    var isFinished = false

    var identifier: String { members.string("transactionId") ?? "" }
    var original: String { members.string("originalTransactionId") ?? identifier }
    var product: String { members.string("productId") ?? "" }
    var type: SignedProductType? { members.string("type").map { SignedProductType(rawValue: $0) } }
    var isSubscription: Bool { type == .autoRenewableSubscription }
    var purchase: Int64 { members.milliseconds("purchaseDate") ?? 0 }
    var expiration: Int64? { members.milliseconds("expiresDate") }
    var revocation: Int64? { members.milliseconds("revocationDate") }
    var ownership: String { members.string("inAppOwnershipType") ?? PurchaseOwnership.purchased.rawValue }

    /// Whether the purchase was refunded or revoked before this time.
    func isRevoked(at time: Int64) -> Bool { revocation.map { $0 <= time } ?? false }
}
