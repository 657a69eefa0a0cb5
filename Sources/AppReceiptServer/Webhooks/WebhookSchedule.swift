#if Server
import AppReceiptStore

/// The times of retries: after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h, then every 12 h, for three days in all.
enum WebhookSchedule {
    private static let delays: [Int64] = [5, 30, 120, 600, 3600, 21_600]
    private static let lastDelay: Int64 = 43_200
    private static let days: Int64 = 3 * 86_400

    /// Returns the outcome of an attempt.
    ///
    /// - Parameters:
    ///   - status: The status of the answer; nil if there was none.
    ///   - delivery: The delivery.
    ///   - format: The format, which says which answers are final.
    ///   - date: The current time, in milliseconds since 1970.
    static func outcome(
        status: Int?, of delivery: WebhookDelivery, format: WebhookConfiguration.Format, at date: Int64
    ) -> DeliveryOutcome {
        if let status {
            if (200..<300).contains(status) { return .delivered }
            if isFinal(status, format: format) { return .dead }
        }
        let delay = delivery.attempts < delays.count ? delays[delivery.attempts] : lastDelay
        let next = date + delay * 1000
        return next > delivery.firstDue + days * 1000 ? .dead : .postponed(until: next)
    }

    /// OpenIAP Commerce Protocol: 3xx, and 4xx but 408 and 429, are final. Standard Webhooks: 410 is.
    private static func isFinal(_ status: Int, format: WebhookConfiguration.Format) -> Bool {
        switch format {
        case .openIAP: (300..<500).contains(status) && status != 408 && status != 429
        case .standard: status == 410
        }
    }
}
#endif
