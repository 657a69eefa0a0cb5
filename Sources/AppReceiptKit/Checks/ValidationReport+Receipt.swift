public import AppReceiptParsing
import AppReceiptSupport

extension ValidationReport where Value == VerifiedReceipt, Contents == AppReceipt {
    /// The receipt's contents, nil if they couldn't be read. Proven only if ``isSigned``.
    public var receipt: AppReceipt? { contents }

    /// What the customer owns at the time of the report; nil if the receipt isn't valid.
    public var entitlements: Entitlements? { (try? result.get())?.entitlements(at: now) }
}

/// The JSON of a report on a receipt.
///
/// `{"verdict", "environment", "failure": {"check", "code", "message", "remedy"}, "checks": [{"name", "outcome", "code", "message"}],
/// "products", "receipt"}`. Absent values are null, and so is an environment that the signature doesn't prove. The products are encoded as
/// ``Entitlement``, and are empty for a receipt that isn't valid. The receipt is encoded as ``AppReceipt``.
extension ValidationReport: Encodable where Value == VerifiedReceipt, Contents == AppReceipt {
    private enum CodingKeys: String, CodingKey { case products, receipt }

    /// Encodes the report with the entitlements from this receipt.
    public func encode(to encoder: any Encoder) throws { try encode(to: encoder, entitlements: entitlements) }

    /// Encodes the report with entitlements from additional evidence.
    package func encode(to encoder: any Encoder, entitlements: Entitlements?) throws {
        try verdictJSON.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entitlements?.all ?? [], forKey: .products)
        try container.encode(receipt, forKey: .receipt)
    }
}
