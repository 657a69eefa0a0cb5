import AppReceiptParsing
import AppReceiptSupport

/// The comparison of a text in a receipt with the expected one, byte by byte.
struct TextComparison: Sendable {
    let check: ValidationCheck
    /// The codes of a receipt without the text, and with another one.
    let codes: (missing: ReceiptError.Code, mismatch: ReceiptError.Code)
    /// What the text is, such as "app version".
    let name: String
    /// The beginning of the sentence that ends with the text, such as "The receipt is for version".
    let statement: String
    /// Returns the text in a receipt.
    let text: @Sendable (AppReceipt) -> String?
    /// Returns the text in a transaction receipt; nil if transaction receipts don't contain it.
    let transactionReceiptText: (@Sendable (TransactionReceipt) -> String?)?
}

extension CheckRecorder {
    /// Compares a text with the expected one; nil accepts any.
    mutating func compare(_ actual: String?, with expected: String?, by comparison: TextComparison) {
        guard let expected else {
            return skip(comparison.check, because: .notRequested, message: "No \(comparison.name) is expected.")
        }
        _ = run(comparison.check) { () throws(ReceiptError) in
            guard let actual else { throw ReceiptError(comparison.codes.missing) }
            guard ExactString(actual) == ExactString(expected) else { throw ReceiptError(comparison.codes.mismatch) }
        } passed: {
            "\(comparison.statement) \(expected)."
        } failed: { error in
            guard error.code == comparison.codes.mismatch else { return nil }
            return "\(comparison.statement) \(quoted(actual)), not \(quoted(expected))."
        }
    }
}
