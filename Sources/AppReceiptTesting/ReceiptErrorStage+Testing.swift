public import AppReceiptKit

extension ReceiptError.Stage {
    /// Making test data, which only AppReceiptTesting does.
    public static let testData = Self(rawValue: "test-data")
}
