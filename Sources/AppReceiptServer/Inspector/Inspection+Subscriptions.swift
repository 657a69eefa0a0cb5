#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

extension Inspection {
    /// Encodes subscriptions with their periods.
    func json(_ subscriptions: [Subscription]) -> [JSONValue] {
        subscriptions.map { subscription in
            [
                "original": .string(subscription.original),
                "isActive": .boolean(subscription.periods.contains { $0.isActive(at: now) }),
                "periods": .array(subscription.periods.map(json)),
            ]
        }
    }

    private func json(_ period: Subscription.Period) -> JSONValue {
        let purchase = period.purchase
        return [
            "start": .date(period.start), "end": .date(period.accessEnd), "expiration": .date(period.expiration),
            "product": .text(purchase.productIdentifier), "transaction": .text(purchase.transactionIdentifier),
            "isTrial": .boolean(purchase.isTrialPeriod == true),
            "isIntroductory": .boolean(purchase.isInIntroductoryOfferPeriod == true),
            "offer": .text(purchase.promotionalOfferIdentifier), "canceled": .date(purchase.cancellationDate),
        ]
    }
}
#endif
