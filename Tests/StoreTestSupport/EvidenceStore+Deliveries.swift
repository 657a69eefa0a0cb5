#if Server
package import AppReceiptStore

extension EvidenceStore {
    /// Takes the delivery that has been due longest.
    package func takeDelivery(
        to webhook: String, at date: Int64, leasedUntil lease: Int64
    ) async throws(StoreError) -> WebhookDelivery? {
        try await takeDeliveries(to: webhook, at: date, leasedUntil: lease, limit: 1).first
    }
}
#endif
