import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import AppReceiptKit

@Suite("Sentences for the customer and the ticket")
struct EntitlementCustomerTests {
    private typealias Basis = Entitlement.Basis

    private static let names = ["yearly": "yearly", "gold": "Gold", "pro": "Pro", "coins": "100 Coins"]

    private static func entitlement(
        _ product: String, _ kind: Entitlement.Kind, _ state: Entitlement.State, isActive: Bool? = nil,
        since: String? = "2022-10-19", until: String? = nil, willRenew: Bool? = nil, renewsAs: String? = nil,
        quantity: Int = 1, percentage: Double? = nil, ownership: PurchaseOwnership? = nil, basis: Basis = Basis(),
        environment: AppStoreEnvironment = .production
    ) -> Entitlement {
        let isKept = state == .owned && kind != .consumable && kind != .nonRenewing
        return Entitlement(
            productIdentifier: product, environment: environment, kind: kind,
            isActive: isActive ?? (isKept || state == .active || state == .gracePeriod), state: state,
            since: since.map { day($0) }, until: until.map { day($0) }, asOf: day("2024-07-02"),
            originalTransactionIdentifier: "1", transactionIdentifier: "2", willRenew: willRenew, renewsAs: renewsAs,
            quantity: quantity, refundedPercentage: percentage, ownership: ownership, commitment: nil, items: nil,
            basis: basis)
    }

    private static func subscription(
        _ state: Entitlement.State, until: String? = "2023-10-19", willRenew: Bool? = nil, renewsAs: String? = nil,
        quantity: Int = 1, ownership: PurchaseOwnership? = nil, basis: Basis = Basis()
    ) -> Entitlement {
        entitlement(
            "yearly", .subscription, state, until: until, willRenew: willRenew, renewsAs: renewsAs, quantity: quantity,
            ownership: ownership, basis: basis)
    }

    private static let gold = Subscription.Period.Successor(product: ExactString("gold"), start: day("2023-06-28"))

    private static let ifLocked = "If it is locked, tap Restore Purchases."

    private static let table: [(Entitlement, String)] = [
        (subscription(.active), "Your yearly subscription is active until 19 October 2023. \(ifLocked)"),
        (
            subscription(.active, willRenew: true, renewsAs: "yearly"),
            "Your yearly subscription is active until 19 October 2023, and then it renews. \(ifLocked)"
        ),
        (
            subscription(.active, willRenew: false),
            "Your yearly subscription is active until 19 October 2023. It won't renew. \(ifLocked)"
        ),
        (
            subscription(.active, willRenew: false, renewsAs: "gold"),
            "Your yearly subscription is active until 19 October 2023, when \"Gold\" replaces it. \(ifLocked)"
        ),
        (
            subscription(.active, willRenew: false, renewsAs: "silver"),
            "Your yearly subscription is active until 19 October 2023, when another product replaces it. \(ifLocked)"
        ),
        (
            subscription(.active, basis: Basis(isTrial: true)),
            "The free trial of your yearly subscription runs until 19 October 2023. \(ifLocked)"
        ),
        (
            subscription(.active, ownership: .familyShared),
            "The yearly subscription shared with you is active until 19 October 2023. \(ifLocked)"
        ),
        (
            subscription(.gracePeriod),
            "The App Store couldn't bill the renewal of your yearly subscription, which stays active until 19 October "
                + "2023. To keep it, update the payment method in the App Store."
        ),
        (
            subscription(.gracePeriod, until: nil, ownership: .assigned),
            "The App Store couldn't bill the renewal of the yearly subscription assigned to you, which stays active "
                + "for now. To keep it, ask your organization to update the payment method in the App Store."
        ),
        (
            subscription(.billingRetry),
            "Your yearly subscription stopped on 19 October 2023 because the App Store couldn't bill its renewal. To "
                + "continue it, update the payment method in the App Store."
        ),
        (
            subscription(.billingRetry, basis: Basis(resumption: day("2023-11-01"))),
            "Your yearly subscription stopped on 19 October 2023 because the App Store couldn't bill its renewal, and "
                + "continues on 1 November 2023."
        ),
        (
            subscription(.renewalUnknown),
            "The last period of your yearly subscription on record ended on 19 October 2023. If it was renewed, tap "
                + "Restore Purchases."
        ),
        (
            subscription(.renewalUnknown, until: nil),
            "The last period of your yearly subscription on record has no known end. If it was renewed, tap Restore "
                + "Purchases."
        ),
        (
            subscription(.renewalUnknown, basis: Basis(start: day("2023-12-01"), followsUnknownPeriod: true)),
            "The first period of your yearly subscription on record begins on 1 December 2023. If it was renewed, tap "
                + "Restore Purchases."
        ),
        (
            subscription(.expired, basis: Basis(expiration: .receipt)),
            "Your yearly subscription ended on 19 October 2023. Renew it, or tap Restore Purchases."
        ),
        (
            subscription(.expired, basis: Basis(expiration: .intent(1))),
            "Your yearly subscription ended on 19 October 2023 because it was canceled. Renew it, or tap Restore "
                + "Purchases."
        ),
        (
            subscription(.expired, basis: Basis(expiration: .intent(2))),
            "Your yearly subscription ended on 19 October 2023 because the App Store couldn't bill its renewal. Renew "
                + "it, or tap Restore Purchases."
        ),
        (
            subscription(.expired, basis: Basis(expiration: .intent(3))),
            "Your yearly subscription ended on 19 October 2023 because the new price wasn't accepted. Renew it, or tap "
                + "Restore Purchases."
        ),
        (
            subscription(.expired, basis: Basis(expiration: .intent(4))),
            "Your yearly subscription ended on 19 October 2023 because it was no longer on sale. If you have another "
                + "one, tap Restore Purchases."
        ),
        (
            subscription(.expired, ownership: .familyShared, basis: Basis(expiration: .intent(nil))),
            "The yearly subscription shared with you ended on 19 October 2023. Ask the family member who bought it to "
                + "renew it, or tap Restore Purchases."
        ),
        (
            subscription(.expired, basis: Basis(expiration: .laterPurchase(day("2024-01-01")))),
            "Your yearly subscription ended on 19 October 2023, and was bought again on 1 January 2024."
        ),
        (
            subscription(.upgraded, until: "2023-06-28", basis: Basis(successor: gold)),
            "Your yearly subscription changed to \"Gold\" on 28 June 2023."
        ),
        (
            subscription(.upgraded, until: "2023-05-16", basis: Basis(successor: gold)),
            "Your yearly subscription ended on 16 May 2023, and changed to \"Gold\" on 28 June 2023."
        ),
        (
            subscription(.upgraded, basis: Basis(revocation: .bundle("silver"))),
            "Your yearly subscription changed to another product on 19 October 2023."
        ),
        (
            subscription(.notStarted, basis: Basis(start: day("2024-01-01"))),
            "Your yearly subscription begins on 1 January 2024."
        ),
        (
            subscription(.refunded, basis: Basis(revocation: .refund(isPartial: false))),
            "Apple refunded your yearly subscription on 19 October 2023. It is no longer active."
        ),
        (
            subscription(.refunded, basis: Basis(revocation: .refundOrRevocation)),
            "Apple refunded or revoked your yearly subscription on 19 October 2023. It is no longer active."
        ),
        (
            subscription(.refunded, basis: Basis(revocation: .refund(isPartial: true))),
            "Apple refunded a part of the price of your yearly subscription on 19 October 2023."
        ),
        (
            subscription(.refunded, quantity: 2, basis: Basis(revocation: .refund(isPartial: true))),
            "Apple refunded a part of the price of your yearly subscription on 19 October 2023. It is no longer active."
        ),
        (
            subscription(.revoked, ownership: .familyShared, basis: Basis(revocation: .familySharing)),
            "Family Sharing of the yearly subscription ended on 19 October 2023. To use it again, ask the family "
                + "member who bought it to share it again."
        ),
        (
            subscription(.revoked, ownership: .assigned, basis: Basis(revocation: .assignment)),
            "The assignment of the yearly subscription ended on 19 October 2023. To use it again, ask your "
                + "organization to assign it again."
        ),
        (
            subscription(.revoked, basis: Basis(revocation: .unknown("reason 7"))),
            "The App Store revoked your yearly subscription on 19 October 2023. Apple Support knows the reason."
        ),
        (
            entitlement("pro", .nonConsumable, .owned),
            "Your purchase of \"Pro\", made on 19 October 2022, is valid. \(ifLocked)"
        ),
        (
            entitlement("pro", .nonConsumable, .owned, since: nil, ownership: .familyShared),
            "The purchase of \"Pro\" shared with you is valid. \(ifLocked)"
        ),
        (
            entitlement("pro", .nonConsumable, .owned, basis: Basis(revocationDate: day("2024-03-03"))),
            "Your purchase of \"Pro\", made on 19 October 2022, is valid until 3 March 2024."
        ),
        (
            entitlement(
                "pro", .nonConsumable, .owned, quantity: 1, percentage: 50,
                basis: Basis(revocationDate: day("2024-03-03"), refundedQuantity: 2)),
            "Apple refunded 2 of the 3 items of your purchase of \"Pro\" on 3 March 2024, and 1 is left."
        ),
        (
            entitlement(
                "pro", .nonConsumable, .owned, quantity: 3, percentage: 10,
                basis: Basis(revocationDate: day("2024-03-03"), refundedQuantity: 0)),
            "Apple refunded a part of the price of your purchase of \"Pro\" on 3 March 2024."
        ),
        (
            entitlement("pro", .nonConsumable, .notStarted, basis: Basis(start: day("2024-03-03"))),
            "Your purchase of \"Pro\" begins on 3 March 2024."
        ),
        (
            entitlement(
                "pro", .nonConsumable, .refunded, until: "2024-03-03",
                basis: Basis(revocation: .refund(isPartial: false))),
            "Apple refunded your purchase of \"Pro\" on 3 March 2024. It is no longer active."
        ),
        (
            entitlement("coins", .consumable, .owned),
            "Your purchase of \"100 Coins\", made on 19 October 2022, is on record. Restore Purchases doesn't bring "
                + "back what was used."
        ),
        (
            entitlement(
                "coins", .consumable, .refunded, until: "2024-03-03",
                basis: Basis(revocation: .refund(isPartial: false))),
            "Apple refunded your purchase of \"100 Coins\" on 3 March 2024."
        ),
        (
            entitlement("pass", .nonRenewing, .owned),
            "Your purchase, made on 19 October 2022, is on record. It doesn't renew, and its time counts from that day."
        ),
        (
            entitlement("magazine", .freeSubscription, .owned),
            "Your subscription is active. \(ifLocked)"
        ),
        (
            entitlement("thing", .unknown, .owned),
            "Your purchase, made on 19 October 2022, is valid. \(ifLocked)"
        ),
        (
            entitlement("thing", .unknown, .owned, isActive: false),
            "Your purchase, made on 19 October 2022, is on record. We are checking what it includes."
        ),
    ]

    @Test("Each state of each kind has a sentence for the customer")
    func customer() {
        for (entitlement, expected) in Self.table {
            #expect(entitlement.customerSentence(productNames: Self.names) == expected)
        }
        let states = Set(Self.table.map(\.0.state))
        #expect(states == Set(Entitlement.State.allCases))
        #expect(Set(Self.table.map(\.0.kind)) == Set(Entitlement.Kind.allCases))
    }

    @Test("Every combination of state and kind results in sentences without identifiers")
    func combinations() {
        for state in Entitlement.State.allCases {
            for kind in Entitlement.Kind.allCases {
                for until in ["2023-10-19", nil] {
                    let entitlement = Self.entitlement("com.example.id", kind, state, since: nil, until: until)
                    let text = entitlement.customerSentence()
                    #expect(text.hasSuffix("."), "\(state), \(kind)")
                    #expect(!text.contains("com.example.id"), "\(state), \(kind): \(text)")
                    #expect(!text.contains("  "), "\(state), \(kind): \(text)")
                    let ticket = entitlement.ticketSentence()
                    #expect(ticket.hasPrefix("com.example.id: "), "\(ticket)")
                    let words = ticket.split(separator: ".").first.map { "\($0)" } ?? ""
                    #expect(!words.contains { $0.isUppercase }, "No names of code: \(words)")
                }
            }
        }
    }

    @Test("Without a name, or with an empty one, the product is described, and a name isn't repeated")
    func names() {
        let ended = Self.subscription(.expired)
        let expected = "Your subscription ended on 19 October 2023. Renew it, or tap Restore Purchases."
        #expect(ended.customerSentence() == expected)
        #expect(ended.customerSentence(productNames: ["yearly": " "]) == expected)
        #expect(
            ended.customerSentence(productNames: ["yearly": "Pro Subscription"])
                .hasPrefix("Your Pro Subscription ended on"))
    }

    @Test("The sentence for the ticket has the product, state, dates, reason and transactions")
    func ticket() {
        #expect(
            Self.subscription(.expired, willRenew: false, basis: Basis(endWithGrace: day("2023-10-19")))
                .ticketSentence(productNames: Self.names)
                == "yearly (\"yearly\"): subscription in production, expired, no access, since 2022-10-19T00:00:00Z, "
                + "until 2023-10-19T00:00:00Z. The subscription ended on 2023-10-19T00:00:00Z and wasn't renewed, as a "
                + "later receipt shows. Original transaction 1, decided by transaction 2, newest evidence signed on "
                + "2024-07-02T00:00:00Z.")
        let shared = Self.subscription(
            .active, willRenew: false, renewsAs: "gold", quantity: 3, ownership: .familyShared
        ).ticketSentence()
        #expect(shared.contains(", active, access, "))
        let lifetime = Self.entitlement("lifetime", .nonConsumable, .owned).ticketSentence()
        #expect(lifetime.hasPrefix("lifetime: non-consumable in production, owned, "))
        #expect(shared.contains(", renews as gold, quantity 3, ownership family shared. "))
        #expect(Self.subscription(.active, willRenew: true).ticketSentence().contains(", renews. "))
        #expect(Self.subscription(.active, willRenew: false).ticketSentence().contains(", won't renew. "))
        let coins = Self.entitlement("coins", .consumable, .owned, percentage: 12.5).ticketSentence()
        #expect(coins.contains(", owned, access is the app's decision, "))
        #expect(coins.contains(", 12.5 % refunded. "))
    }

    @Test("A purchase of which the newest evidence is old was valid, because a refund may be missing")
    func outdated() {
        let pro = Self.entitlement("pro", .nonConsumable, .owned)
        let date = pro.asOf.addingTimeInterval(30 * 86_400)
        #expect(pro.customerSentence(productNames: Self.names, at: date).contains(", is valid. "))
        #expect(
            pro.customerSentence(productNames: Self.names, at: date.addingTimeInterval(1))
                .contains(", was valid on our latest record, which is of 2 July 2024. If it is locked"))
        let active = Self.subscription(.active)
        #expect(active.customerSentence(at: .distantFuture) == active.customerSentence())
    }

    @Test(
        "A renewal that couldn't be billed isn't told as one",
        arguments: [Entitlement.State.gracePeriod, .billingRetry])
    func unpaid(state: Entitlement.State) {
        let ticket = Self.subscription(state, willRenew: true).ticketSentence()
        #expect(ticket.contains(", renewal on, payment failed. "))
    }

    @Test("A purchase that isn't of production is called a test", arguments: [AppStoreEnvironment.sandbox, .xcode])
    func test(environment: AppStoreEnvironment) {
        let entitlement = Self.entitlement("pro", .nonConsumable, .owned, environment: environment)
        #expect(entitlement.customerSentence().hasSuffix(" This is a test purchase: nothing was paid."))
        #expect(!Self.entitlement("pro", .nonConsumable, .owned).customerSentence().contains("test"))
    }
}
