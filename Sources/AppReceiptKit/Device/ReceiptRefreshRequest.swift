/// A request for a new receipt.
public protocol ReceiptRefreshRequest: Sendable {
    /// Performs the request, and returns when the receipt is stored.
    ///
    /// - Throws: The App Store's error; `CancellationError` after the task and the request were canceled.
    func perform() async throws
}
