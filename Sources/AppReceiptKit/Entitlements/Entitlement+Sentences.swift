import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

extension Entitlement {
    /// The basis of the sentences beside the public properties (rule 13 of WhatACustomerOwns).
    struct Basis: Sendable, Hashable {
        /// The start of the period or the date of the purchase that determines the state.
        var start: Date?
        /// The end of the period, without and with the grace period. Nil if the evidence doesn't contain it.
        var end: Date?
        var endWithGrace: Date?
        var isTrial = false
        /// Whether the period begins later, after one that the evidence doesn't contain.
        var followsUnknownPeriod = false
        /// The period of another product that replaced this product, or will replace it at the end of the period.
        var successor: Subscription.Period.Successor?
        var expiration: Expiration?
        /// The date the App Store could bill the renewal, after the date of the entitlement.
        var resumption: Date?
        var revocation: RevocationKind?
        /// The date of the revocation, which may be later than that of the entitlement.
        var revocationDate: Date?
        /// The number of items that were refunded.
        var refundedQuantity: Int?

        /// The proof that a subscription ended.
        enum Expiration: Sendable, Hashable {
            /// Renewal information with Apple's number of the reason.
            case intent(Int64?)
            /// A receipt that was created later and contains no later period.
            case receipt
            /// A purchase after an interruption.
            case laterPurchase(Date)
        }

        /// The maximum time during which the App Store retries the payment after the end of the period.
        ///
        /// Source: Apple, Reducing involuntary subscriber churn.
        static let billingRetrySeconds: Double = 60 * 86_400
    }

    /// The reason for the state, in one sentence.
    public var reason: String {
        switch state {
        case .owned: ownedReason
        case .active: activeReason
        case .gracePeriod:
            until.map {
                "The renewal couldn't be billed; the billing grace period runs until \(Self.text($0))."
            }
                ?? "The renewal couldn't be billed; the subscription is in its billing grace period, whose end isn't known."
        case .billingRetry: billingRetryReason
        case .expired: "The subscription ended\(Self.on(basis.endWithGrace)) \(expirationCause)."
        case .upgraded: upgradedReason
        case .notStarted:
            kind == .subscription
                ? "The first period begins\(Self.on(basis.start))."
                : "Bought\(Self.on(basis.start)), which is later than the date in question."
        case .refunded, .revoked: revokedReason
        case .renewalUnknown: renewalUnknownReason
        }
    }

    private var ownedReason: String {
        var text = "Bought" + Self.on(since)
        if let refundedQuantity = basis.refundedQuantity, refundedQuantity == 0 {
            text += "; Apple refunded a part of the price\(Self.on(basis.revocationDate))\(percentageText)"
        } else if let refundedQuantity = basis.refundedQuantity {
            text +=
                "; Apple refunded \(refundedQuantity) of \(quantity + refundedQuantity)" + Self.on(basis.revocationDate)
                + percentageText
        } else if let date = basis.revocationDate {
            text += ", and not yet refunded or revoked at the date in question, but\(Self.on(date))"
        } else {
            text += ", and as of \(Self.text(asOf)) neither refunded nor revoked"
        }
        switch kind {
        case .consumable: text += "; the evidence doesn't show whether it was consumed"
        case .nonRenewing: text += "; the evidence doesn't show when it ends"
        case .unknown where !isActive: text += "; its product type isn't known"
        default: break
        }
        return text + "."
    }

    private var activeReason: String {
        if basis.followsUnknownPeriod, let start = basis.start {
            return "The subscription was renewed early: the next period begins on \(Self.text(start))"
                + (until.map { " and runs until \(Self.text($0))" } ?? "") + "."
        }
        let period =
            (basis.isTrial ? "The free trial runs" : "The period runs")
            + (until.map { " until \(Self.text($0))" } ?? "")
        if let renewsAs, !willRenewAsItself { return "\(period), when \"\(renewsAs)\" replaces it." }
        return period + "."
    }

    /// Whether the next period is of the same product, as far as that is known.
    private var willRenewAsItself: Bool { renewsAs.map { ExactString($0) == ExactString(productIdentifier) } ?? true }

    private var billingRetryReason: String {
        let ended = "The period ended\(Self.on(basis.end)) and the renewal couldn't be billed"
        if let resumption = basis.resumption { return "\(ended) until \(Self.text(resumption))." }
        let last = basis.end.map { $0 + Basis.billingRetrySeconds }
        return ended + (last.map { "; the App Store retries until \(Self.text($0))" } ?? "") + "."
    }

    private var expirationCause: String {
        switch basis.expiration {
        case .intent(1): "because the customer canceled it"
        case .intent(2): "because the renewal couldn't be billed"
        case .intent(3): "because the customer didn't consent to a price increase"
        case .intent(4): "because the product wasn't available for renewal"
        case .intent: "for an unknown reason"
        case .laterPurchase(let date): "and was bought again on \(Self.text(date))"
        case .receipt, nil: "and wasn't renewed, as a later receipt shows"
        }
    }

    private var upgradedReason: String {
        if case .bundle(let product) = basis.revocation {
            return "The customer changed to \"\(product)\"\(Self.on(until))."
        }
        let product = basis.successor?.product.map { "\"\($0.text)\"" } ?? "another product of the subscription"
        return "The customer changed to \(product)\(Self.on(basis.successor?.start ?? until))."
    }

    private var revokedReason: String {
        (basis.revocation ?? .refund(isPartial: false)).sentence(on: Self.on(until), percentage: percentageText)
    }

    private var percentageText: String {
        refundedPercentage.map { " (\(Self.number($0).text) % of the price)" } ?? ""
    }

    private var renewalUnknownReason: String {
        if basis.followsUnknownPeriod, let start = basis.start {
            return
                "The first known period begins on \(Self.text(start)), after another one that the evidence doesn't contain."
        }
        let ended =
            basis.endWithGrace.map { "The last known period ended on \(Self.text($0))" }
            ?? "The end of the last known period isn't known"
        return "\(ended), and the evidence doesn't show whether it was renewed."
    }

    /// The app's next step, in one sentence; nil if no action is necessary.
    public var nextStep: String? {
        switch (state, kind) {
        case (.refunded, _) where basis.revocation == .refund(isPartial: true) && quantity <= 1,
            (.owned, _) where basis.refundedQuantity == 0:
            "Decide whether the customer keeps the purchase: only a part of the price was refunded."
        case (.refunded, .consumable), (.revoked, .consumable): "Revoke the delivered content if possible."
        case (.refunded, _), (.revoked, _): "Remove access."
        case (.owned, _) where basis.refundedQuantity != nil:
            "Take back what was refunded, and keep the rest."
        case (.owned, .consumable): "Deliver it once, and record the transaction identifier."
        case (.owned, .nonRenewing): "Calculate its end from the date of purchase."
        case (.owned, .unknown) where !isActive: "Update this software, which doesn't know the product's type."
        case (.gracePeriod, _) where until == nil:
            "Keep access, ask the customer to update the payment method in the App Store, and request the subscription's status."
        case (.gracePeriod, _): "Keep access, and ask the customer to update the payment method in the App Store."
        case (.billingRetry, _): "Remove access, and ask the customer to update the payment method in the App Store."
        case (.renewalUnknown, _):
            "Request a new receipt, or the subscription's status from the App Store, before you decide about access."
        case (.expired, _): "End access."
        case (.upgraded, _): "Use the entitlement of the product that replaced it."
        case (.notStarted, .subscription): "Grant access when the period begins."
        case (.notStarted, _): "Grant access from the date of purchase."
        case (.owned, _), (.active, _): nil
        }
    }

    private static func text(_ date: Date) -> String { ReceiptDate.string(from: date) }

    private static func on(_ date: Date?) -> String { date.map { " on \(text($0))" } ?? "" }
}
