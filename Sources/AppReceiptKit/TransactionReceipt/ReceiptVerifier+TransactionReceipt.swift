public import AppReceiptFoundation
public import AppReceiptParsing

extension ReceiptVerifier {
    /// Verifies a transaction receipt, a property list with one purchase.
    ///
    /// It passes the checks of a receipt that apply to it. It contains no original app version and no device hash, so it is rejected if one of
    /// them is expected.
    ///
    /// - Parameters:
    ///   - bytes: The property list, or base64 of it.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, used only to report that a purchase date is in the future.
    /// - Returns: The verified receipt.
    /// - Throws: The first failure, with its code and check.
    public func verifyTransactionReceipt(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedTransactionReceipt {
        try report(of: bytes, expecting: expectations, recording: .firstFailure, now: now).result.get()
    }

    /// Runs every check of a transaction receipt and reports the result of each.
    ///
    /// - Parameters:
    ///   - bytes: The property list, or base64 of it.
    ///   - expectations: What the receipt must contain.
    ///   - now: The current time, as for `verifyTransactionReceipt`.
    /// - Returns: The results of all checks, and the verified receipt or the first failure.
    public func reportTransactionReceipt(
        _ bytes: some Collection<UInt8>, expecting expectations: Expectations, now: Date = Date()
    ) -> TransactionReceiptReport {
        report(of: bytes, expecting: expectations, recording: .everyResult, now: now)
    }

    private func report(
        of bytes: some Collection<UInt8>, expecting expectations: Expectations, recording mode: CheckRecorder.Mode,
        now: Date
    ) -> TransactionReceiptReport {
        validate(
            transactionReceipt: Result { () throws(ReceiptError) in try TransactionReceipt(parsing: bytes) },
            expecting: expectations,
            checks: CheckRecorder(ValidationCheck.receiptChecks, of: .transactionReceipt, recording: mode, now: now))
    }
}
