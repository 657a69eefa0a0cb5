import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Purchase")
struct PurchaseTests {
    @Test("every property is what the receipt says")
    func values() throws {
        let purchase = try Trial.bought(
            Self.january(transaction: "1000000002", original: "1000000001").with { purchase in
                purchase.originalPurchaseDate = day("2023-12-01")
                purchase.cancellationDate = day("2024-01-20")
                purchase.quantity = 3
                purchase.isTrialPeriod = true
                purchase.isInIntroductoryOfferPeriod = true
                purchase.promotionalOfferIdentifier = "come-back"
                purchase.webOrderLineItemIdentifier = 1_000_000_123_456_789
            }
        ).purchase()
        #expect(purchase.productIdentifier == "monthly")
        #expect(purchase.transactionIdentifier == "1000000002")
        #expect(purchase.originalTransactionIdentifier == "1000000001")
        #expect(purchase.purchaseDate == day("2024-01-01"))
        #expect(purchase.originalPurchaseDate == day("2023-12-01"))
        #expect(purchase.expirationDate == day("2024-02-01"))
        #expect(purchase.cancellationDate == day("2024-01-20"))
        #expect(purchase.productType == .autoRenewableSubscription)
        #expect(purchase.quantity == 3)
        #expect(purchase.isTrialPeriod == true)
        #expect(purchase.isInIntroductoryOfferPeriod == true)
        #expect(purchase.promotionalOfferIdentifier == "come-back")
        #expect(purchase.webOrderLineItemIdentifier == 1_000_000_123_456_789)
    }

    @Test("a property is nil where the receipt does not say", arguments: attributes)
    func missing(_ attribute: Attribute) throws {
        let full = Self.january(transaction: "2", original: "1").with { purchase in
            purchase.cancellationDate = day("2024-01-20")
            purchase.promotionalOfferIdentifier = "come-back"
        }
        #expect(!attribute.isMissing(try Trial.bought(full).purchase()))
        #expect(attribute.isMissing(try Trial.bought(full.without(attribute.type)).purchase()))
        // An absent value is written as an empty text, a web order line item as 0.
        let empty =
            attribute.type == 1711
            ? [DERWriter.integer(0)] : [DERWriter.utf8String(""), DERWriter.ia5String("")]
        for value in empty where attribute.isText || attribute.type == 1711 {
            let purchase = full.with { $0.overrides[attribute.type] = [value] }
            #expect(attribute.isMissing(try Trial.bought(purchase).purchase()))
        }
    }

    @Test("Xcode's receipts name neither the original transaction nor the type, nor refunds and trials")
    func xcode() throws {
        let purchase = try Trial.bought(Self.january(transaction: "7", original: "3").cancelled(at: day("2024-01-02")))
            .likeXcode().purchase()
        #expect(purchase.productIdentifier == "monthly" && purchase.transactionIdentifier == "7")
        #expect(purchase.purchaseDate == day("2024-01-01") && purchase.expirationDate == day("2024-02-01"))
        #expect(purchase.quantity == 1 && purchase.isInIntroductoryOfferPeriod == false)
        #expect(purchase.originalTransactionIdentifier == nil && purchase.originalPurchaseDate == nil)
        #expect(purchase.productType == nil && purchase.cancellationDate == nil && purchase.isTrialPeriod == nil)
        #expect(purchase.lineIdentifier == "7")
        #expect(purchase.isSubscriptionPeriod)
        #expect(purchase.isActive(at: day("2024-01-15")) && !purchase.isActive(at: day("2024-02-01")))
    }

    @Test("a period of a subscription is active from its start on until its end, at which it no longer is")
    func periods() throws {
        // As the first of its line, as a renewal, which does not begin with the line, and without a type.
        let purchases = [
            Self.january(transaction: "1"),
            Self.january(transaction: "2", original: "1").with { $0.originalPurchaseDate = day("2023-01-01") },
            Self.january(transaction: "3").with { $0.originalPurchaseDate = day("2024-01-15") },
            Self.january(transaction: "4").without(1707), Self.january(transaction: "5").without(1706),
        ]
        for purchase in try purchases.map({ try Trial.bought($0).purchase() }) {
            #expect(!purchase.isActive(at: .distantPast))
            #expect(!purchase.isActive(at: instant("2023-12-31T23:59:59.999Z")))
            #expect(purchase.isActive(at: day("2024-01-01")))
            #expect(purchase.isActive(at: day("2024-01-15")))
            #expect(purchase.isActive(at: instant("2024-01-31T23:59:59.999Z")))
            #expect(!purchase.isActive(at: day("2024-02-01")))
            #expect(!purchase.isActive(at: .distantFuture))
        }
    }

    @Test("a refund or upgrade ends it at its instant", arguments: [false, true])
    func cancellations(_ isSubscription: Bool) throws {
        let bought = isSubscription ? Self.january(transaction: "1") : Self.pro()
        let purchase = try Trial.bought(bought.cancelled(at: instant("2024-01-10T12:00:00Z"))).purchase()
        #expect(purchase.isActive(at: day("2024-01-01")))
        #expect(purchase.isActive(at: instant("2024-01-10T11:59:59.999Z")))
        #expect(!purchase.isActive(at: instant("2024-01-10T12:00:00Z")))
        #expect(!purchase.isActive(at: day("2024-01-20")))
        #expect(!purchase.wasCancelled(by: instant("2024-01-10T11:59:59.999Z")))
        #expect(purchase.wasCancelled(by: instant("2024-01-10T12:00:00Z")))
        #expect(purchase.wasCancelled(by: .distantFuture))
    }

    @Test(
        "what was refunded when it began or before was never active",
        arguments: [
            "2023-06-01T00:00:00Z", "2023-12-31T23:59:59Z", "2024-01-01T00:00:00Z",
        ])
    func cancelledAtOnce(_ date: String) throws {
        for bought in [Self.january(transaction: "1"), Self.pro()] {
            let purchase = try Trial.bought(bought.cancelled(at: instant(date))).purchase()
            for date in ["2023-05-01", "2024-01-01", "2024-01-02", "2024-01-31", "2025-01-01"] {
                #expect(!purchase.isActive(at: day(date)))
            }
        }
    }

    @Test("a refund at the end or later changes nothing of what was active", arguments: ["2024-02-01", "2024-03-01"])
    func cancelledLate(_ date: String) throws {
        let purchase = try Trial.bought(Self.january(transaction: "1").cancelled(at: day(date))).purchase()
        #expect(purchase.isActive(at: instant("2024-01-31T23:59:59Z")))
        #expect(!purchase.isActive(at: day("2024-02-01")))
        #expect(!purchase.wasCancelled(by: day("2024-01-31")))
    }

    @Test("what was never cancelled was not cancelled by any date")
    func neverCancelled() throws {
        let purchase = try Trial.bought(Self.pro()).purchase()
        #expect(!purchase.wasCancelled(by: .distantFuture))
    }

    @Test("a non-consumable is active from its purchase on and for ever")
    func nonConsumables() throws {
        let purchase = try Trial.bought(Self.pro()).purchase()
        #expect(!purchase.isActive(at: instant("2023-12-31T23:59:59.999Z")))
        #expect(purchase.isActive(at: day("2024-01-01")))
        #expect(purchase.isActive(at: day("4001-01-01")))
        #expect(!purchase.isSubscriptionPeriod)
    }

    @Test("a non-consumable is owned from the earlier of its two dates on, as restores and genuine receipts have it")
    func restoredNonConsumables() throws {
        let early = day("2021-05-05")
        let late = day("2024-03-03")
        for (purchased, original) in [(late, early), (early, late)] {
            let bought = TestPurchase("pro", transaction: "2", at: purchased).with { purchase in
                purchase.originalTransactionIdentifier = "1"
                purchase.originalPurchaseDate = original
            }
            for bought in [bought, bought.without(1707)] {
                let purchase = try Trial.bought(bought).purchase()
                #expect(purchase.purchaseDate == purchased && purchase.originalPurchaseDate == original)
                #expect(!purchase.isActive(at: instant("2021-05-04T23:59:59Z")))
                #expect(purchase.isActive(at: early))
                #expect(purchase.isActive(at: day("2022-01-01")))
                #expect(purchase.isActive(at: late))
            }
        }
    }

    @Test("one date is enough for a non-consumable, and without any it is never active")
    func nonConsumablesWithoutDates() throws {
        let bought = Self.pro().with { $0.originalPurchaseDate = day("2023-06-01") }
        let original = try Trial.bought(bought.without(1704)).purchase()
        #expect(original.isActive(at: day("2023-06-01")) && !original.isActive(at: day("2023-05-31")))
        let purchased = try Trial.bought(bought.without(1706)).purchase()
        #expect(purchased.isActive(at: day("2024-01-01")) && !purchased.isActive(at: day("2023-12-31")))
        let none = try Trial.bought(bought.without(1704, 1706)).purchase()
        #expect(!none.isActive(at: day("2024-01-01")) && !none.isActive(at: .distantFuture))
    }

    @Test("a subscription without a start or without an end is never active")
    func periodsWithoutDates() throws {
        for type in [1704, 1708] {
            let purchase = try Trial.bought(Self.january(transaction: "1").without(type)).purchase()
            #expect(purchase.isSubscriptionPeriod)
            for date in ["2023-12-31", "2024-01-01", "2024-01-15", "2025-01-01"] {
                #expect(!purchase.isActive(at: day(date)), "without \(type)")
            }
        }
    }

    @Test("a period that ends when it begins, or before, is never active", arguments: ["2024-01-01", "2023-12-01"])
    func emptyPeriods(_ end: String) throws {
        let purchase = try Trial.bought(Self.january(transaction: "1").with { $0.expirationDate = day(end) }).purchase()
        for date in ["2023-11-01", "2023-12-01", "2023-12-15", "2024-01-01", "2024-01-02"] {
            #expect(!purchase.isActive(at: day(date)))
        }
    }

    @Test(
        "consumables and non-renewing subscriptions are never active, nor is what is of an unknown type",
        arguments: [
            InAppPurchase.ProductType.consumable, .nonRenewingSubscription, .init(rawValue: 4),
        ])
    func neverActive(_ type: InAppPurchase.ProductType) throws {
        let purchase = try Trial.bought(TestPurchase("coins", transaction: "1", at: day("2024-01-01"), type: type))
            .purchase()
        #expect(purchase.productType == type)
        #expect(!purchase.isSubscriptionPeriod)
        for date in ["2023-12-31", "2024-01-01", "2024-01-02", "2030-01-01"] {
            #expect(!purchase.isActive(at: day(date)))
        }
    }

    @Test("where the type is not said an end tells subscriptions from what is kept")
    func withoutType() throws {
        let period = try Trial.bought(Self.january(transaction: "1").without(1707)).purchase()
        #expect(period.isSubscriptionPeriod && !period.isActive(at: day("2024-02-01")))
        let kept = try Trial.bought(Self.pro().without(1707)).purchase()
        #expect(!kept.isSubscriptionPeriod && kept.isActive(at: day("2024-02-01")))
    }

    @Test(
        "what the store renews is a period of a subscription, and what is of an unknown kind if it has an end",
        arguments: [
            (InAppPurchase.ProductType.nonConsumable, Bool?.some(false)), (.consumable, false),
            (.nonRenewingSubscription, false),
            (.autoRenewableSubscription, true), (.init(rawValue: 4), nil),
        ])
    func subscriptionPeriods(_ type: InAppPurchase.ProductType, _ isPeriod: Bool?) throws {
        for end in [nil, day("2024-02-01")] {
            let purchase = try Trial.bought(
                Self.january(transaction: "1").with { purchase in
                    purchase.productType = type
                    purchase.expirationDate = end
                }
            ).purchase()
            #expect(purchase.isSubscriptionPeriod == isPeriod ?? (end != nil))
            let lasts = type == .nonConsumable
            #expect(purchase.isActive(at: day("2024-01-15")) == (lasts || purchase.isSubscriptionPeriod && end != nil))
            #expect(purchase.isActive(at: day("2024-02-01")) == lasts)
        }
    }

    @Test("it shares the original transaction's identifier with its line, and its own where none is named")
    func lineIdentifiers() throws {
        let renewal = Self.january(transaction: "2", original: "1")
        #expect(try Trial.bought(renewal).purchase().lineIdentifier == "1")
        #expect(try Trial.bought(renewal.without(1705)).purchase().lineIdentifier == "2")
        #expect(try Trial.bought(renewal.without(1703)).purchase().lineIdentifier == "1")
        #expect(try Trial.bought(renewal.without(1703, 1705)).purchase().lineIdentifier == nil)
    }

    @Test("printed it names the product and nothing of its customer")
    func description() throws {
        let named = try Trial.bought(Self.january(transaction: "123456789012345")).purchase()
        #expect("\(named)" == "Purchase(monthly)")
        #expect("\([named])" == "[Purchase(monthly)]")
        let unnamed = try Trial.bought(Self.pro().without(1702)).purchase()
        #expect("\(unnamed)" == "Purchase(no product identifier)")
    }

    /// An attribute, and how its absence shows.
    struct Attribute: Sendable, CustomTestStringConvertible {
        let type: Int
        var isText = true
        let isMissing: @Sendable (Purchase) -> Bool

        var testDescription: String { "\(type)" }
    }

    static let attributes = [
        Attribute(type: 1701, isText: false) { $0.quantity == nil },
        Attribute(type: 1702) { $0.productIdentifier == nil },
        Attribute(type: 1703) { $0.transactionIdentifier == nil }, Attribute(type: 1704) { $0.purchaseDate == nil },
        Attribute(type: 1705) { $0.originalTransactionIdentifier == nil },
        Attribute(type: 1706) { $0.originalPurchaseDate == nil },
        Attribute(type: 1707, isText: false) { $0.productType == nil },
        Attribute(type: 1708) { $0.expirationDate == nil },
        Attribute(type: 1711, isText: false) { $0.webOrderLineItemIdentifier == nil },
        Attribute(type: 1712) { $0.cancellationDate == nil },
        Attribute(type: 1713, isText: false) { $0.isTrialPeriod == nil },
        Attribute(type: 1719, isText: false) { $0.isInIntroductoryOfferPeriod == nil },
        Attribute(type: 1721) { $0.promotionalOfferIdentifier == nil },
    ]

    /// January 2024 of a monthly subscription.
    private static func january(transaction: String, original: String? = nil) -> TestPurchase {
        TestPurchase(
            subscription: "monthly", transaction: transaction, original: original, from: day("2024-01-01"),
            to: day("2024-02-01"))
    }

    /// Bought once at the start of 2024.
    private static func pro() -> TestPurchase { TestPurchase("pro", transaction: "1", at: day("2024-01-01")) }
}
