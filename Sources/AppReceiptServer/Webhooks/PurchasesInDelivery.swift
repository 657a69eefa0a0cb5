#if Server
import AppReceiptStore
import AppReceiptSupport

/// The purchases about which a webhook is sent something, so that only one batch does.
@available(AppReceiptServer 1.0, *)
final class PurchasesInDelivery: Sendable {
    private let originals = LockedValueBox<Set<String?>>([])

    /// Begins deliveries.
    ///
    /// - Returns: Those that may be sent, and those about purchases that another batch has begun.
    func begin(_ deliveries: [WebhookDelivery]) -> (sent: [WebhookDelivery], others: [WebhookDelivery]) {
        originals.withLock { originals in
            let others = deliveries.filter { originals.contains($0.original) }
            let sent = deliveries.filter { !originals.contains($0.original) }
            originals.formUnion(sent.map(\.original))
            return (sent, others)
        }
    }

    /// Ends deliveries that were begun.
    func end(_ deliveries: [WebhookDelivery]) { originals.withLock { $0.subtract(deliveries.map(\.original)) } }
}
#endif
