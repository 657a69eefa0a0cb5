#if Server
import AppReceiptKit
import VerifyReceipt

/// A transaction that was refunded or revoked.
struct RevokedTransaction: Encodable {
    private let transactionIdentifier: String?
    private let productIdentifier: String?
    private let revocationDate: String?

    init(_ purchase: Purchase) {
        transactionIdentifier = purchase.transactionIdentifier
        productIdentifier = purchase.productIdentifier
        revocationDate = purchase.cancellationDate.map(ReceiptDate.string(from:))
    }

    private enum CodingKeys: String, CodingKey { case transactionIdentifier, productIdentifier, revocationDate }

    /// Encodes every member, absent values as null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transactionIdentifier, forKey: .transactionIdentifier)
        try container.encode(productIdentifier, forKey: .productIdentifier)
        try container.encode(revocationDate, forKey: .revocationDate)
    }
}
#endif
