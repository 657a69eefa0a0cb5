public import AppReceiptFoundation
public import AppReceiptParsing

extension ReceiptVerifier {
    /// Verifies a receipt that is text, such as the base64 that an app sends to a server.
    ///
    /// - Parameters:
    ///   - text: The receipt as base64 or PEM.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, as for a receipt in bytes.
    /// - Returns: The verified receipt.
    /// - Throws: The first failure, with its code and check.
    public func verify(
        _ text: String, expecting expectations: Expectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedReceipt {
        try verify(text.utf8, expecting: expectations, now: now)
    }

    /// Runs every check of a receipt that is text, such as the base64 that an app sends to a server.
    ///
    /// - Parameters:
    ///   - text: The receipt as base64 or PEM.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, as for a receipt in bytes.
    /// - Returns: The results of all checks, and the verified receipt or the first failure.
    public func report(
        _ text: String, expecting expectations: Expectations, now: Date = Date()
    ) -> ReceiptReport {
        report(text.utf8, expecting: expectations, now: now)
    }
}
