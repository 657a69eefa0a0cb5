public import AppReceiptKit

extension ValidationCheck {
    /// Making test data, which only AppReceiptTesting does.
    public static let testData = Self(rawValue: "test-data")
}

extension ReceiptError {
    /// Runs a change to a test case, and converts an error that isn't a `ReceiptError` to `test-change-failed`.
    static func changing(_ change: () throws -> Void) throws(ReceiptError) {
        do {
            try change()
        } catch let error as ReceiptError {
            throw error
        } catch {
            throw ReceiptError(.testChangeFailed, "A change to the test case threw an error: \(error)")
        }
    }
}
