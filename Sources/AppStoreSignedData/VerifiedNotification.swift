public import AppReceiptFoundation
public import AppReceiptKit

/// A verified notification and the verified data in it, which is for the same app.
///
/// The App Store sends a notification again until it is acknowledged, and notifications arrive in any order. Identify
/// them by `notificationUUID` and order them by ``VerifiedData/signedDate``.
public struct VerifiedNotification: Sendable, Hashable {
    /// The notification itself.
    public let notification: VerifiedData<NotificationClaims>
    /// The transaction in the notification.
    public let transaction: VerifiedTransaction?
    /// The renewal information in the notification.
    public let renewalInfo: VerifiedRenewalInfo?
    /// The app transaction in the notification.
    public let appTransaction: VerifiedAppTransaction?

    /// The claims of the notification.
    public var claims: NotificationClaims { notification.claims }
    /// The date this copy was signed.
    public var signedDate: Date { notification.signedDate }
    /// The environment; nil if it is unknown or missing.
    public var environment: AppStoreEnvironment? { notification.environment }

    /// Whether the notification states a status of the subscription that is known.
    package var hasKnownStatus: Bool {
        claims.status.flatMap { RenewalEvidence.Status(rawValue: $0.rawValue) } != nil
    }
}

extension VerifiedNotification: CustomStringConvertible {
    /// The event, without data about the customer.
    public var description: String { "VerifiedNotification(\(claims.description))" }
}

extension VerifiedNotification: Encodable {
    /// Encodes the members as they were signed, including the tokens.
    public func encode(to encoder: any Encoder) throws { try notification.encode(to: encoder) }
}
