public import AppReceiptParsing

extension ValidationReport where Value == VerifiedReceipt, Contents == AppReceipt {
    /// The receipt's contents, nil if they couldn't be read. Proven only if ``isSigned``.
    public var receipt: AppReceipt? { contents }

    /// The customer's entitlements at the time of the report; nil if the receipt isn't valid.
    public var entitlements: Entitlements? { (try? result.get())?.entitlements(at: entitlementDate) }

    /// Returns the JSON of the report in UTF-8, with members in the order in which people read them: the verdict first,
    /// products before checks.
    ///
    /// ```
    /// {"verdict", "environment", "failure": {"check", "code", "message", "remedy", "documentation"}, "products",
    ///   "checks": [{"name", "outcome", "code", "message"}], "receipt"}
    /// ```
    ///
    /// Absent values are null, and so is an environment that the signature doesn't prove. The products are encoded as
    /// ``Entitlement``, and are empty for a receipt that isn't valid. The receipt is encoded as `AppReceipt`.
    ///
    /// - Parameters:
    ///   - attributes: Whether to include the receipt's raw attributes.
    ///   - isPretty: Whether to write each member on its own line.
    /// - Returns: The document.
    public func json(attributes: Bool = false, isPretty: Bool = false) -> [UInt8] {
        json(entitlements, attributes: attributes, isPretty: isPretty)
    }
}
