#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport

/// The events of OpenIAP Commerce Protocol 1.0 that tell of a change: one of the subscription, and one of the
/// entitlement if access begins or ends. Our own event is the member `appReceiptEvent`.
///
/// One-time purchases have only events of the entitlement there, and those name a user: without an account, they have
/// none. A transfer of a purchase that is active ends access for the former account and begins it for the new one.
/// Seats, consents and partial refunds that leave access have no name.
struct OpenIAPEvent {
    /// The name, such as `subscription.renewed`.
    let type: String
    private let event: EntitlementEvent
    private let after: AppStoreJSON.Object
    private let before: AppStoreJSON.Object?
    private let isAboutSubscription: Bool
    /// Whether it is to the account that owned the purchase before a transfer.
    private let isToFormerAccount: Bool

    /// The identifier, which is the same for every attempt.
    var identifier: String {
        let suffix = isToFormerAccount ? "_former_entitlement" : isAboutSubscription ? "" : "_entitlement"
        return "evt_\(event.cursor)" + suffix
    }

    /// Returns the events that tell of a change; none if the protocol has no name for it.
    static func all(of event: EntitlementEvent) -> [OpenIAPEvent] {
        guard let after = object(event.after) else { return [] }
        let before = object(event.before)
        func make(_ type: String, isAboutSubscription: Bool, isToFormerAccount: Bool = false) -> OpenIAPEvent {
            OpenIAPEvent(
                type: type, event: event, after: after, before: before, isAboutSubscription: isAboutSubscription,
                isToFormerAccount: isToFormerAccount)
        }
        var events: [OpenIAPEvent] = []
        if after["kind"]?.string == "subscription", let name = name(of: event.type, from: before, to: after) {
            events.append(make("subscription." + name, isAboutSubscription: true))
        }
        let wasActive = event.type != .transferred && before?["isActive"]?.boolean ?? false
        let isActive = after["isActive"]?.boolean ?? false
        if isActive, event.formerAccount != nil, event.productIdentifier != nil {
            events.append(make("entitlement.revoked", isAboutSubscription: false, isToFormerAccount: true))
        }
        // A renewal that also changed whether it renews is two events with the same change of access.
        let isOfRenewal = event.type == .renewalTurnedOff || event.type == .renewalTurnedOn
        if wasActive != isActive, !isOfRenewal, event.account != nil, event.productIdentifier != nil {
            events.append(make(isActive ? "entitlement.granted" : "entitlement.revoked", isAboutSubscription: false))
        }
        return events
    }

    private static func object(_ text: String?) -> AppStoreJSON.Object? {
        text.flatMap { (try? AppStoreJSON(parsing: Array($0.utf8)[...]))?.object }
    }

    private static func name(
        of type: EntitlementEventType, from before: AppStoreJSON.Object?, to after: AppStoreJSON.Object
    ) -> String? {
        let isActive = after["isActive"]?.boolean ?? false
        switch type {
        case .activated:
            guard let before else { return "started" }
            // Told again, it was active before.
            return before["isActive"]?.boolean == true ? nil : "recovered"
        case .renewed:
            return ["gracePeriod", "billingRetry"].contains(before?["state"]?.string) ? "recovered" : "renewed"
        case .enteredGracePeriod: return "entered_grace_period"
        case .enteredBillingRetry: return "entered_billing_retry"
        case .productChanged: return "product_changed"
        case .renewalTurnedOff: return "canceled"
        case .renewalTurnedOn: return "uncanceled"
        case .expired: return after["state"]?.string == "billingRetry" ? "entered_billing_retry" : "expired"
        case .refunded: return isActive ? nil : "refunded"
        case .refundReversed: return isActive ? "recovered" : nil
        case .revoked: return "revoked"
        case .transferred, .consentRescinded, .seatsChanged, .consumed: return nil
        }
    }

    /// Returns the body of the request.
    func body(processed date: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.openObject()
        writer.member("eventId", identifier)
        writer.member("eventType", type)
        writer.member("eventVersion", "1.0")
        writer.member("occurredAt", number: Int(event.date))
        writer.member("processedAt", number: Int(date))
        writer.member("store", "apple")
        writer.member("environment", event.scope.environment.rawValue)
        writer.member("projectId", event.scope.app)
        writer.member("applicationId", event.scope.app)
        writer.memberIfPresent("userId", isToFormerAccount ? event.formerAccount : event.account)
        writer.memberIfPresent("productId", event.productIdentifier)
        if let previous = before?["productIdentifier"]?.string, previous != event.productIdentifier {
            writer.member("previousProductId", previous)
        }
        writer.memberIfPresent("transactionId", after["transactionIdentifier"]?.string)
        writer.memberIfPresent("originalTransactionId", event.originalTransactionIdentifier)
        writer.memberIfPresent("sourceStoreEventId", event.cause.notificationUUID)
        if after["kind"]?.string == "subscription", !isToFormerAccount { writeSubscription(to: &writer) }
        writer.openObject("appReceiptEvent")
        event.write(to: &writer)
        writer.closeObject()
        writer.closeObject()
        return writer.bytes
    }

    private func writeSubscription(to writer: inout JSONWriter) {
        writer.openObject("subscription")
        let state = after["state"]?.string.flatMap { Entitlement.State(rawValue: $0) }
        writer.member("state", state?.commerceName ?? "Unknown")
        writer.memberIfPresent("productId", event.productIdentifier)
        writer.member("active", after["isActive"]?.boolean ?? false)
        let until = after["until"]?.string.flatMap { RFC3339.date(from: $0) }
        writer.memberIfPresent("expiresAt", number: until?.milliseconds.map { Int($0) })
        writer.memberIfPresent("willRenew", after["willRenew"]?.boolean)
        writer.closeObject()
    }
}
#endif
