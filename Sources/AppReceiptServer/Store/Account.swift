#if Server
import AppReceiptFoundation

/// An account of a customer, as a keyed digest. Accounts can be compared but not identified.
struct Account: Sendable, Hashable {
    /// HMAC-SHA256 under a key that never leaves the database.
    let digest: Data
    /// Whether its name is a UUID, which can be compared with an `appAccountToken`.
    let isUUID: Bool
}
#endif
