package import AppReceiptFoundation
package import AppReceiptKit

/// Verified signed data of any kind.
public enum VerifiedSignedData: Sendable, Hashable {
    /// A transaction.
    case transaction(VerifiedTransaction)
    /// Renewal information.
    case renewalInfo(VerifiedRenewalInfo)
    /// An app transaction.
    case appTransaction(VerifiedAppTransaction)
    /// A notification with its verified data.
    case notification(VerifiedNotification)
    /// A realtime request of retention messaging.
    case realtimeRequest(VerifiedRealtimeRequest)
}

extension VerifiedSignedData {
    /// The transaction itself, or the one in a notification.
    package var transaction: VerifiedTransaction? {
        switch self {
        case .transaction(let transaction): transaction
        case .notification(let notification): notification.transaction
        case .renewalInfo, .appTransaction, .realtimeRequest: nil
        }
    }

    /// The app that the data names; nil if it names none.
    package var bundleIdentifier: String? {
        switch self {
        case .transaction(let transaction): transaction.claims.bundleIdentifier
        case .notification(let notification):
            notification.claims.bundleIdentifier ?? notification.transaction?.claims.bundleIdentifier
        case .appTransaction(let transaction): transaction.claims.bundleIdentifier
        case .renewalInfo, .realtimeRequest: nil
        }
    }

    /// The notification, nil for other data.
    package var notification: VerifiedNotification? {
        if case .notification(let notification) = self { notification } else { nil }
    }

    /// The renewal information itself, or that in a notification.
    package var renewalInfo: VerifiedRenewalInfo? {
        switch self {
        case .renewalInfo(let renewal): renewal
        case .notification(let notification): notification.renewalInfo
        case .transaction, .appTransaction, .realtimeRequest: nil
        }
    }

    /// The app transaction.
    package var appTransaction: VerifiedAppTransaction? {
        if case .appTransaction(let transaction) = self { transaction } else { nil }
    }

    /// The environment; nil if it isn't known.
    package var environment: AppStoreEnvironment? {
        switch self {
        case .transaction(let transaction): transaction.environment
        case .renewalInfo(let renewal): renewal.environment
        case .appTransaction(let transaction): transaction.environment
        case .notification(let notification): notification.environment
        case .realtimeRequest(let request): request.environment
        }
    }
}

extension VerifiedSignedData {
    /// Derives the customer's entitlements from this data alone.
    ///
    /// The transaction and the renewal information of a notification count together. Renewal information alone proves
    /// no purchase, and an app transaction contains none.
    ///
    /// - Parameters:
    ///   - date: The date at which the entitlements apply.
    /// - Returns: The entitlements; nil for data without a transaction.
    package func entitlements(at date: Date) -> Entitlements? {
        guard let transaction, let environment = transaction.environment,
            let bundle = transaction.claims.bundleIdentifier
        else { return nil }
        var evidence = CustomerEvidence()
        evidence.add(self)
        return Entitlements(of: evidence, bundleIdentifier: bundle, environment: environment, at: date)
    }
}
