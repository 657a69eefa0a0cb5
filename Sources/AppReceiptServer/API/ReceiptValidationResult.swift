#if Server
import AppReceiptKit
import VerifyReceipt

/// The response of the route `validate`: the report on a receipt, and what the stored evidence adds to it.
struct ReceiptValidationResult: Encodable {
    let report: ReceiptReport
    /// The entitlements from the receipt and the stored evidence, or nil if the receipt isn't valid.
    var entitlements: Entitlements?
    /// The transactions in the receipt that were refunded or revoked.
    var revoked: [Purchase] = []
    /// The original transactions that belong to another account, or nil if the request names no account.
    var replays: [String]?

    private enum CodingKeys: String, CodingKey { case revoked, replays }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder, entitlements: entitlements)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(revoked.map { RevokedTransaction($0) }, forKey: .revoked)
        try container.encodeIfPresent(replays, forKey: .replays)
    }
}
#endif
