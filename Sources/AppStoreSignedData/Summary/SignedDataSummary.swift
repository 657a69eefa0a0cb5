import AppReceiptKit
package import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What happened according to verified signed data: the event, the product, the period and the price.
package struct SignedDataSummary: Sendable {
    /// What happened, in one sentence.
    package let event: String
    private var transaction: TransactionClaims?
    private var renewal: RenewalInfoClaims?

    /// - Parameter data: The verified data.
    package init(_ data: VerifiedSignedData) {
        switch data {
        case .transaction(let transaction):
            event = Self.event(transaction.claims)
            self.transaction = transaction.claims
        case .renewalInfo(let renewal):
            event =
                switch renewal.claims.autoRenewStatus {
                case .on: "The subscription is set to renew."
                case .off: "The subscription won't renew."
                default: "The state of a subscription's renewal."
                }
            self.renewal = renewal.claims
        case .appTransaction:
            event = "The customer has the app."
        case .notification(let notification):
            event = NotificationEvent(notification.claims).sentence
            transaction = notification.transaction?.claims
            renewal = notification.renewalInfo?.claims
        }
    }

    private static func event(_ transaction: TransactionClaims) -> String {
        if transaction.revocationDate != nil {
            return transaction.ownership == .familyShared || transaction.revocationType == .familyRevocation
                ? "Family Sharing of the purchase ended." : "Apple refunded the purchase."
        }
        if transaction.isUpgraded == true { return "The customer upgraded to another product." }
        guard transaction.productType == .autoRenewableSubscription else { return "The customer bought the product." }
        return transaction.reason == .renewal ? "The subscription was renewed." : "The customer subscribed."
    }

    /// `{"event", "product", "original", "from", "until", "graceUntil", "revoked", "price", "renewal"}`; absent values are null.
    /// Prices are texts such as `9.99 USD`.
    package var json: JSONValue {
        [
            "event": .string(event),
            "product": .text(transaction?.productIdentifier ?? renewal?.productIdentifier),
            "original": .text(transaction?.originalTransactionIdentifier ?? renewal?.originalTransactionIdentifier),
            "from": .date(transaction?.purchaseDate), "until": .date(transaction?.expirationDate),
            "graceUntil": .date(renewal?.gracePeriodExpirationDate), "revoked": .date(transaction?.revocationDate),
            "price": .text(Self.price(transaction?.price, transaction?.currency)),
            "renewal": renewal.map(Self.json) ?? .null,
        ]
    }

    private static func json(_ renewal: RenewalInfoClaims) -> JSONValue {
        let isOn: JSONValue =
            switch renewal.autoRenewStatus {
            case .on: true
            case .off: false
            default: .null
            }
        return [
            "isOn": isOn, "product": .text(renewal.autoRenewProductIdentifier), "date": .date(renewal.renewalDate),
            "price": .text(price(renewal.renewalPrice, renewal.currency)),
        ]
    }

    /// A price in thousandths as a decimal number with its currency. Nil without one of them, because a number alone misleads.
    package static func price(_ thousandths: Int64?, _ currency: String?) -> String? {
        guard let thousandths, let currency, thousandths >= 0 else { return nil }
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let digits = String(1000 + rest).dropFirst()
        return "\(whole).\(digits.hasSuffix("0") ? digits.dropLast() : digits) \(currency)"
    }
}
