public import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

extension Entitlement {
    /// Returns what to tell the customer: the state in plain words, and what the customer can do.
    ///
    /// For example "Your yearly subscription ended on 19 October 2023. Renew it, or tap Restore Purchases." Dates are
    /// days in UTC. Nothing in the text identifies the customer or the transaction; ``ticketSentence(productNames:)``
    /// has those facts. A purchase from the sandbox or Xcode is called a test.
    ///
    /// - Parameters:
    ///   - productNames: The names of products by their identifiers. A product without a name is described, for example
    ///     as "your subscription".
    ///   - date: The date of the answer. If the evidence of a purchase without an end is more than 30 days older, a
    ///     refund may be missing, so the sentence says of which day the record is. Nil for the date of the evidence.
    /// - Returns: One to three sentences in English.
    public func customerSentence(productNames: [String: String] = [:], at date: Date? = nil) -> String {
        let isOutdated = date.map { self.isOutdated(at: $0) } ?? false
        let text = CustomerText(entitlement: self, productNames: productNames, isOutdated: isOutdated)
        let test = environment == .production ? "" : " This is a test purchase: nothing was paid."
        return text.state + "." + (text.advice.map { " \($0)." } ?? "") + test
    }
}

extension Entitlement {
    /// Whether a purchase without an end may have been refunded since its newest evidence, which is more than 30 days
    /// older than a date.
    package func isOutdated(at date: Date) -> Bool {
        state == .owned && date.timeIntervalSince(asOf) > Self.maxAge
    }

    /// The age from which evidence may lack a refund.
    private static let maxAge: TimeInterval = 30 * 86_400
}

/// The words for the customer, computed from an entitlement. The sentences have no period at the end.
private struct CustomerText {
    let entitlement: Entitlement
    let productNames: [String: String]
    /// Whether a refund may be missing.
    let isOutdated: Bool

    private var basis: Entitlement.Basis { entitlement.basis }
    private var until: Date? { entitlement.until }

    // MARK: The state

    var state: String {
        switch entitlement.state {
        case .owned: owned
        case .active: active
        case .gracePeriod:
            "The App Store couldn't bill the renewal of \(subjectInside), which stays active"
                + (until.map { " until \(Self.day($0))" } ?? " for now")
        case .billingRetry:
            "\(subject) stopped\(Self.on(until)) because the App Store couldn't bill its renewal"
                + (basis.resumption.map { ", and continues\(Self.on($0))" } ?? "")
        case .renewalUnknown: renewalUnknown
        case .expired: expired
        case .upgraded: upgraded
        case .notStarted: "\(subject) begins\(Self.on(basis.start))"
        case .refunded, .revoked: revoked
        }
    }

    private var owned: String {
        let bought = entitlement.since.map { ", made on \(Self.day($0))," } ?? ""
        if basis.refundedQuantity == 0 {
            return "Apple refunded a part of the price of \(subjectInside)\(Self.on(basis.revocationDate))"
        }
        if let refunded = basis.refundedQuantity {
            return "Apple refunded \(refunded) of the \(entitlement.quantity + refunded) items of "
                + "\(subjectInside)\(Self.on(basis.revocationDate)), and \(entitlement.quantity) "
                + (entitlement.quantity == 1 ? "is left" : "are left")
        }
        guard entitlement.isActive else { return "\(subject)\(bought) is on record" }
        // The customer never chose a day on which a free subscription was "made".
        let verb = isOutdated ? "was" : "is"
        let state =
            entitlement.kind == .freeSubscription ? "\(subject) \(verb) active" : "\(subject)\(bought) \(verb) valid"
        return state + (basis.revocationDate.map { " until \(Self.day($0))" } ?? "")
            + (isOutdated ? " on our latest record, which is of \(Self.day(entitlement.asOf))" : "")
    }

    private var active: String {
        var text =
            basis.isTrial ? "The free trial of \(subjectInside) runs" : "\(subject) is active"
        text += until.map { " until \(Self.day($0))" } ?? ""
        if entitlement.willRenew == true { return text + ", and then it renews" }
        if let successor { return "\(text), when \(successor) replaces it" }
        return text
    }

    /// The product that replaces an active one at the end of the period.
    private var successor: String? {
        guard entitlement.renewsAs != nil || basis.successor != nil else { return nil }
        return name(of: entitlement.renewsAs).map { "\"\($0)\"" } ?? "another product"
    }

    private var renewalUnknown: String {
        if basis.followsUnknownPeriod {
            return "The first period of \(subjectInside) on record begins\(Self.on(basis.start))"
        }
        let period = "The last period of \(subjectInside) on record"
        return until.map { "\(period) ended on \(Self.day($0))" } ?? "\(period) has no known end"
    }

    private var expired: String {
        let ended = "\(subject) ended\(Self.on(until))"
        return switch basis.expiration {
        case .intent(1): "\(ended) because it was canceled"
        case .intent(2): "\(ended) because the App Store couldn't bill its renewal"
        case .intent(3): "\(ended) because the new price wasn't accepted"
        case .intent(4): "\(ended) because it was no longer on sale"
        case .laterPurchase(let date): "\(ended), and was bought again\(Self.on(date))"
        case .intent, .receipt, nil: ended
        }
    }

    private var upgraded: String {
        let product =
            if case .bundle(let identifier) = basis.revocation {
                name(of: identifier)
            } else {
                name(of: basis.successor?.product?.text)
            }
        let other = product.map { "\"\($0)\"" } ?? "another product"
        let change = basis.successor?.start ?? until
        if let until, let change, until < change, Self.day(until) != Self.day(change) {
            return "\(subject) ended on \(Self.day(until)), and changed to \(other) on \(Self.day(change))"
        }
        return "\(subject) changed to \(other)\(Self.on(change))"
    }

    private var revoked: String {
        let date = Self.on(until)
        return switch basis.revocation {
        case .refundOrRevocation: "Apple refunded or revoked \(subjectInside)\(date)"
        case .familySharing: "Family Sharing of the \(noun) ended\(date)"
        case .assignment: "The assignment of the \(noun) ended\(date)"
        case .unknown: "The App Store revoked \(subjectInside)\(date)"
        case .refund(isPartial: true):
            "Apple refunded a part of the price of \(subjectInside)\(date)"
        case .refund, .bundle, nil: "Apple refunded \(subjectInside)\(date)"
        }
    }

    // MARK: What the customer can do

    /// The customer's next step; nil if nothing is necessary, or if the app decides (see ``Entitlement/nextStep``).
    var advice: String? {
        switch entitlement.state {
        case .owned: ownedAdvice
        case .active:
            (entitlement.willRenew == false && successor == nil ? "It won't renew. " : "") + Self.ifLocked
        case .gracePeriod: "To keep it, \(asking("update the payment method in the App Store"))"
        case .billingRetry where basis.resumption == nil:
            "To continue it, \(asking("update the payment method in the App Store"))"
        case .renewalUnknown: "If it was renewed, tap Restore Purchases"
        case .expired: expiredAdvice
        case .refunded, .revoked: revokedAdvice
        case .billingRetry, .upgraded, .notStarted: nil
        }
    }

    private var ownedAdvice: String? {
        guard basis.refundedQuantity == nil else { return nil }
        return switch entitlement.kind {
        case .consumable: "Restore Purchases doesn't bring back what was used"
        case .nonRenewing: "It doesn't renew, and its time counts from that day"
        case .unknown where !entitlement.isActive: "We are checking what it includes"
        default: basis.revocationDate == nil ? Self.ifLocked : nil
        }
    }

    /// What helps a customer who has it, and doesn't see it.
    private static let ifLocked = "If it is locked, tap Restore Purchases"

    private var expiredAdvice: String? {
        switch basis.expiration {
        case .laterPurchase: nil
        case .intent(4): "If you have another one, tap Restore Purchases"
        default: "\(Self.capitalized(asking("renew it"))), or tap Restore Purchases"
        }
    }

    private var revokedAdvice: String? {
        switch basis.revocation {
        case .familySharing: "To use it again, \(Self.asking(.familyShared, to: "share it again"))"
        case .assignment: "To use it again, \(Self.asking(.assigned, to: "assign it again"))"
        case .unknown: "Apple Support knows the reason"
        // Whether the customer keeps it is the app's decision.
        case .refund(isPartial: true) where entitlement.quantity <= 1: nil
        case .refund, .refundOrRevocation, .bundle, nil:
            entitlement.kind == .consumable ? nil : "It is no longer active"
        }
    }

    /// Returns an action of the one who pays.
    private func asking(_ action: String) -> String { Self.asking(entitlement.ownership, to: action) }

    private static func asking(_ ownership: PurchaseOwnership?, to action: String) -> String {
        switch ownership {
        case .familyShared?: "ask the family member who bought it to \(action)"
        case .assigned?: "ask your organization to \(action)"
        default: action
        }
    }

    // MARK: Words

    private var isSubscription: Bool { entitlement.kind == .subscription || entitlement.kind == .freeSubscription }

    /// The product as the customer's: "Your yearly subscription", "The purchase of "Pro" shared with you".
    private var subject: String {
        switch entitlement.ownership {
        case .familyShared?: "The \(noun) shared with you"
        case .assigned?: "The \(noun) assigned to you"
        default: "Your \(noun)"
        }
    }

    /// The same inside a sentence.
    private var subjectInside: String { subject.prefix(1).lowercased() + subject.dropFirst() }

    /// "yearly subscription", "subscription", "purchase of "Pro"".
    private var noun: String {
        let name = name(of: entitlement.productIdentifier)
        guard isSubscription else { return name.map { "purchase of \"\($0)\"" } ?? "purchase" }
        guard let name else { return "subscription" }
        return name.lowercased().hasSuffix("subscription") ? name : "\(name) subscription"
    }

    private func name(of product: String?) -> String? {
        guard let product, let name = productNames[product], name.contains(where: { !$0.isWhitespace }) else {
            return nil
        }
        return name
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private static func on(_ date: Date?) -> String { date.map { " on \(day($0))" } ?? "" }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// 19 October 2023
    private static func day(_ date: Date) -> String {
        let text = ReceiptDate.string(from: date).prefix(10)
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return String(text) }
        return "\(parts[2]) \(months[parts[1] - 1]) \(parts[0])"
    }
}
