#if Server

/// Something to send to a webhook.
package struct WebhookDelivery: Sendable, Hashable {
    /// The content of a delivery.
    package enum Content: Sendable, Hashable {
        /// An event.
        case event(EntitlementEvent)
        /// A notification of Apple, as it was received.
        case notification([UInt8])
    }

    /// Its number.
    package let number: Int64
    /// The webhook.
    package let webhook: String
    /// The number of the event or notification, which is the same for every attempt.
    package let event: Int64
    /// The original transaction that it is about; nil if it is about none.
    package let original: String?
    /// The number of attempts.
    package let attempts: Int
    /// The date it was due first.
    package let firstDue: Int64
    /// The date of the next attempt; nil if it was given up.
    package let due: Int64?
    /// The content.
    package let content: Content
    /// The failure of the last attempt; nil if it didn't fail.
    package let failure: DeliveryFailure?

    /// The identifier for the receiver, the same for every attempt.
    package var identifier: String {
        switch content {
        case .event: "evt_\(event)"
        case .notification: "ntf_\(event)"
        }
    }

    package init(
        number: Int64, webhook: String, event: Int64, original: String?, attempts: Int, firstDue: Int64,
        due: Int64?, content: Content, failure: DeliveryFailure?
    ) {
        self.number = number
        self.webhook = webhook
        self.event = event
        self.original = original
        self.attempts = attempts
        self.firstDue = firstDue
        self.due = due
        self.content = content
        self.failure = failure
    }
}

/// The failure of an attempt to deliver.
package struct DeliveryFailure: Sendable, Hashable {
    /// The date of the attempt.
    package let date: Int64
    /// The status of the answer, or why there was none, such as `status 500` or `timed out`.
    package let reason: String

    package init(date: Int64, reason: String) {
        self.date = date
        self.reason = reason
    }
}

/// The outcome of an attempt to deliver.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The receiver has it.
    case delivered
    /// It is tried again at a date.
    case postponed(until: Int64)
    /// It isn't tried again, unless somebody replays it.
    case dead
}
#endif
