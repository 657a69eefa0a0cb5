public import AppReceiptParsing
package import AppReceiptSupport

extension ValidationReport where Value == VerifiedReceipt, Contents == AppReceipt {
    /// The receipt's contents, nil if they couldn't be read. Proven only if ``isSigned``.
    public var receipt: AppReceipt? { contents }

    /// What the customer owns at the time of the report; nil if the receipt isn't valid.
    public var entitlements: Entitlements? { (try? result.get())?.entitlements(at: entitlementDate) }

    /// The JSON of the report, with members in the order in which people read them.
    ///
    /// - Parameter attributes: Whether to include the receipt's raw attributes.
    /// - Throws: The encoder's error.
    package func json(attributes: Bool) throws -> JSONValue {
        var object = verdictJSON(entitlements)
        object["receipt"] =
            try receipt.map {
                try JSONValue(parsing: Array(ReceiptJSON.text($0, attributes: attributes, isPretty: false).utf8)[...])
            } ?? .null
        return .object(object)
    }
}

/// The JSON of a report on a receipt.
///
/// `{"verdict", "environment", "failure": {"check", "code", "message", "remedy", "documentation"},
/// "products", "checks": [{"name", "outcome", "code", "message"}], "receipt"}`. Absent values are null, and so is an environment
/// that the signature doesn't prove. The products are encoded as ``Entitlement``, and are empty for a receipt that isn't valid.
/// The receipt is encoded as ``AppReceipt``.
extension ValidationReport: Encodable where Value == VerifiedReceipt, Contents == AppReceipt {
    private enum CodingKeys: String, CodingKey { case receipt }

    /// Encodes the report with the entitlements from this receipt.
    public func encode(to encoder: any Encoder) throws { try encode(to: encoder, entitlements: entitlements) }

    /// Encodes the report with entitlements from additional evidence.
    package func encode(to encoder: any Encoder, entitlements: Entitlements?) throws {
        try verdictJSON(entitlements).encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(receipt, forKey: .receipt)
    }
}
