#if Server

/// Something to send to a webhook.
package struct WebhookDelivery: Sendable, Hashable {
    /// What is sent.
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
    /// How often it was tried.
    package let attempts: Int
    /// When it was due first, in milliseconds since 1970.
    package let firstDue: Int64
    /// When it is tried next, in milliseconds since 1970; nil if it was given up.
    package let due: Int64?
    /// What is sent.
    package let content: Content
    /// How the last attempt failed; nil if none did.
    package let failure: DeliveryFailure?

    /// What identifies it for the receiver, the same for every attempt.
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

/// Why an attempt to deliver failed, and when.
package struct DeliveryFailure: Sendable, Hashable {
    /// In milliseconds since 1970.
    package let date: Int64
    /// The status of the answer, or why there was none, such as `status 500` or `timed out`.
    package let reason: String

    package init(date: Int64, reason: String) {
        self.date = date
        self.reason = reason
    }
}

/// How an attempt to deliver ended.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The receiver has it.
    case delivered
    /// It is tried again at a date, in milliseconds since 1970.
    case postponed(until: Int64)
    /// It isn't tried again, unless somebody replays it.
    case dead
}
#endif
