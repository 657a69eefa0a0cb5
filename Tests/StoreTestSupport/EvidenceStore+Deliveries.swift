#if Server
package import AppReceiptStore

extension EvidenceStore {
    /// The deliveries that were given up, the oldest first.
    package func deadDeliveries(limit: Int) async throws(StoreError) -> [WebhookDelivery] {
        try await failedDeliveries(limit: limit).filter { $0.due == nil }
    }

    /// Takes the delivery that has been due longest.
    package func takeDelivery(
        to webhook: String, at date: Int64, leasedUntil lease: Int64
    ) async throws(StoreError) -> WebhookDelivery? {
        try await takeDeliveries(to: webhook, at: date, leasedUntil: lease, limit: 1).first
    }
}
#endif
