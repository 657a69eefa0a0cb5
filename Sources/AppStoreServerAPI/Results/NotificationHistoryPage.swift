public import AppReceiptKit

/// A page of the notifications that the App Store sent, or tried to send.
@available(AppStoreServerAPI 1.0, *)
public struct NotificationHistoryPage: Sendable {
    /// The environment that was asked.
    public let environment: ReceiptEnvironment.Base
    /// The verified notifications, in the App Store's order.
    public let notifications: [SentNotification]
    /// The items that were rejected.
    public let rejected: [RejectedItem]
    /// Whether the response says that there is another page.
    public let hasMore: Bool
}
