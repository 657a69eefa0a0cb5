package import AppReceiptFoundation
import AppReceiptKit
package import AppReceiptSupport

/// The event in verified signed data, with the product, the period and the price.
package struct SignedDataSummary: Sendable {
    /// The event, in one sentence.
    package let event: String
    private var transaction: TransactionClaims?
    private var renewal: RenewalInfoClaims?
    private var appRevocationDate: Date?

    /// - Parameter data: The verified data.
    package init(_ data: VerifiedSignedData) {
        let entitlement = Self.entitlement(data)
        switch data {
        case .transaction(let transaction):
            event = Self.event(in: transaction.claims, entitlement: entitlement)
            self.transaction = transaction.claims
        case .renewalInfo(let renewal):
            event =
                switch renewal.claims.autoRenewStatus {
                case .on where !renewal.claims.isSameProduct:
                    "The subscription is set to renew as \(renewal.claims.autoRenewProductIdentifier ?? "")."
                case .on: "The subscription is set to renew."
                case .off: "The subscription won't renew."
                default: "The state of a subscription's renewal."
                }
            self.renewal = renewal.claims
        case .appTransaction(let appTransaction):
            let revoked = appTransaction.claims.revocationDate
            event = revoked.map(Self.refundOfApp) ?? "The customer has the app."
            appRevocationDate = revoked
        case .realtimeRequest:
            event = "The App Store asks which message to show to a customer who is about to cancel."
        case .notification(let notification):
            transaction = notification.transaction?.claims
            renewal = notification.renewalInfo?.claims
            event = NotificationEvent(notification.claims, entitlement: entitlement, renewal: renewal).sentence
        }
    }

    /// Returns the sentence about an app that was refunded.
    package static func refundOfApp(_ date: Date) -> String {
        "The app itself was refunded on \(ReceiptDate.string(from: date).prefix(10))."
    }

    /// Returns the entitlement that results from the data alone, when it was signed or, if that is later, when it was
    /// revoked.
    private static func entitlement(_ data: VerifiedSignedData) -> Entitlement? {
        guard let transaction = data.transaction, let product = transaction.claims.productIdentifier else { return nil }
        let dates = [
            transaction.signedDate, data.notification?.signedDate, data.renewalInfo?.signedDate,
            transaction.claims.revocationDate,
        ]
        return dates.compactMap { $0 }.max().flatMap { data.entitlements(at: $0)?[product] }
    }

    private static func event(in transaction: TransactionClaims, entitlement: Entitlement?) -> String {
        if transaction.revocationDate != nil, let entitlement { return entitlement.reason }
        if transaction.isUpgraded == true { return "The customer upgraded to another product." }
        guard transaction.productType == .autoRenewableSubscription else { return "The customer bought the product." }
        return transaction.reason == .renewal ? "The subscription was renewed." : "The customer subscribed."
    }

    /// `{"event", "product", "original", "from", "until", "graceUntil", "revoked", "price", "renewal"}`; absent values
    /// are null. Prices are texts such as `9.99 USD`.
    package var json: AppStoreJSON {
        [
            "event": .string(event),
            "product": .text(transaction?.productIdentifier ?? renewal?.productIdentifier),
            "original": .text(transaction?.originalTransactionIdentifier ?? renewal?.originalTransactionIdentifier),
            "from": .date(transaction?.purchaseDate), "until": .date(transaction?.expirationDate),
            "graceUntil": .date(renewal?.gracePeriodExpirationDate),
            "revoked": .date(transaction?.revocationDate ?? appRevocationDate),
            "price": .text(Self.price(transaction?.price, in: transaction?.currency)),
            "renewal": renewal.map(Self.json) ?? .null,
        ]
    }

    private static func json(_ renewal: RenewalInfoClaims) -> AppStoreJSON {
        let isOn: AppStoreJSON =
            switch renewal.autoRenewStatus {
            case .on: true
            case .off: false
            default: .null
            }
        return [
            "isOn": isOn, "product": .text(renewal.autoRenewProductIdentifier), "date": .date(renewal.renewalDate),
            "price": .text(price(renewal.renewalPrice, in: renewal.currency)),
        ]
    }

    /// Returns a price in thousandths as a decimal number with its currency. Nil without one of them, because a number
    /// alone misleads.
    package static func price(_ thousandths: Int64?, in currency: String?) -> String? {
        guard let thousandths, let currency, thousandths >= 0 else { return nil }
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let digits = String(1000 + rest).dropFirst()
        return "\(whole).\(digits.hasSuffix("0") ? digits.dropLast() : digits) \(currency)"
    }
}
