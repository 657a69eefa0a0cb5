#if Server
import AppReceiptStore
import AppReceiptSupport

/// The message of a delivery.
struct WebhookMessage: Sendable {
    /// The identifier, the same for every attempt.
    let identifier: String
    let body: [UInt8]

    /// Returns the messages of a delivery; none if the format has no name for the event.
    static func all(of delivery: WebhookDelivery, format: WebhookConfiguration.Format) -> [WebhookMessage] {
        switch (delivery.content, format) {
        case (.notification(let body), _):
            return [WebhookMessage(identifier: delivery.identifier, body: body)]
        case (.event(let event), .standard):
            var writer = JSONWriter()
            writer.openObject()
            event.write(to: &writer)
            writer.closeObject()
            return [WebhookMessage(identifier: delivery.identifier, body: writer.bytes)]
        case (.event(let event), .openIAP):
            // The same body for every attempt.
            return OpenIAPEvent.all(of: event).map {
                WebhookMessage(identifier: $0.identifier, body: $0.body(processed: delivery.firstDue))
            }
        }
    }
}
#endif
