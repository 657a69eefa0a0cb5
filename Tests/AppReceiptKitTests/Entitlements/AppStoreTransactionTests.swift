import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("AppStoreTransaction")
struct AppStoreTransactionTests {
    @Test("The properties are the receipt's values")
    func values() throws {
        let purchase = try ReceiptTestCase.bought(
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
        #expect(purchase.isUpgraded == nil)
        #expect(purchase.ownership == nil)
        #expect(purchase.subscriptionGroupIdentifier == nil)
        #expect(purchase.appAccountToken == nil)
    }

    @Test("A property is nil if the receipt lacks the attribute", arguments: attributes)
    func missing(_ attribute: Attribute) throws {
        let full = Self.january(transaction: "2", original: "1").with { purchase in
            purchase.cancellationDate = day("2024-01-20")
            purchase.promotionalOfferIdentifier = "come-back"
        }
        #expect(!attribute.isMissing(try ReceiptTestCase.bought(full).purchase()))
        #expect(attribute.isMissing(try ReceiptTestCase.bought(full.without(attribute.type)).purchase()))
        // Receipts write an absent value as an empty string, a web order line item as 0.
        let empty =
            attribute.type == 1711
            ? [DERWriter.integer(0)] : [DERWriter.utf8String(""), DERWriter.ia5String("")]
        for value in empty where attribute.isText || attribute.type == 1711 {
            let purchase = full.with { $0.overrides[attribute.type] = [value] }
            #expect(attribute.isMissing(try ReceiptTestCase.bought(purchase).purchase()))
        }
    }

    @Test("Xcode's receipts lack original transaction, type, refund and trial")
    func xcode() throws {
        let purchase = try ReceiptTestCase.bought(
            Self.january(transaction: "7", original: "3").canceled(at: day("2024-01-02"))
        )
        .likeXcode().purchase()
        #expect(purchase.productIdentifier == "monthly")
        #expect(purchase.transactionIdentifier == "7")
        #expect(purchase.purchaseDate == day("2024-01-01"))
        #expect(purchase.expirationDate == day("2024-02-01"))
        #expect(purchase.quantity == 1)
        #expect(purchase.isInIntroductoryOfferPeriod == false)
        #expect(purchase.originalTransactionIdentifier == nil)
        #expect(purchase.originalPurchaseDate == nil)
        #expect(purchase.productType == nil)
        #expect(purchase.cancellationDate == nil)
        #expect(purchase.isTrialPeriod == nil)
        #expect(purchase.original == "7")
        #expect(purchase.isSubscriptionPeriod)
    }

    @Test(
        "Auto-renewable subscriptions are periods, and so are purchases of an unknown type with an end",
        arguments: [
            (InAppPurchase.ProductType.nonConsumable, Bool?.some(false)), (.consumable, false),
            (.nonRenewingSubscription, false), (.autoRenewableSubscription, true), (.init(rawValue: 4), nil),
        ])
    func subscriptionPeriods(_ type: InAppPurchase.ProductType, _ isPeriod: Bool?) throws {
        for end in [nil, day("2024-02-01")] {
            let purchase = Self.january(transaction: "1").with { purchase in
                purchase.productType = type
                purchase.expirationDate = end
            }
            #expect(try ReceiptTestCase.bought(purchase).purchase().isSubscriptionPeriod == isPeriod ?? (end != nil))
            #expect(try ReceiptTestCase.bought(purchase.without(1707)).purchase().isSubscriptionPeriod == (end != nil))
        }
    }

    @Test("A transaction without an original transaction is its own original")
    func originals() throws {
        let renewal = Self.january(transaction: "2", original: "1")
        #expect(try ReceiptTestCase.bought(renewal).purchase().original == "1")
        #expect(try ReceiptTestCase.bought(renewal.without(1705)).purchase().original == "2")
        #expect(try ReceiptTestCase.bought(renewal.without(1703)).purchase().original == "1")
        #expect(try ReceiptTestCase.bought(renewal.without(1703, 1705)).purchase().original == nil)
    }

    @Test("Purchases are sorted by date, those without a date first")
    func oldestFirst() throws {
        let purchases = try ReceiptTestCase.bought(
            .kept("a", "1", "2024-03-01"), .kept("b", "2", "2024-01-01T00:00:01Z"), .kept("c", "3", "2024-01-01"),
            .kept("d", "4", "2024-06-01").without(1704), .kept("e", "5", "1999-12-31")
        ).purchases()
        #expect(purchases.transactions == ["4", "5", "3", "2", "1"])
    }

    @Test("Purchases of the same date are sorted by transaction identifier as a number")
    func numbers() throws {
        let numbers = ["999", "1000", "9", "10", "18446744073709551616", "1000000000000001", "999999999999999"]
        let testCase = ReceiptTestCase.with { testCase in
            testCase.receipt.purchases =
                numbers.map { .kept("a", $0, "2024-01-01") } + [.kept("a", "5", "2024-01-01").without(1703)]
        }
        #expect(
            try testCase.purchases().transactions == [
                nil, "9", "10", "999", "1000", "999999999999999", "1000000000000001", "18446744073709551616",
            ])
        let dates = ReceiptTestCase.bought(.kept("a", "1", "2024-02-01"), .kept("a", "1000", "2024-01-01"))
        #expect(try dates.purchases().transactions == ["1000", "1"])
    }

    @Test("The description contains the product and nothing about the customer")
    func description() throws {
        let named = try ReceiptTestCase.bought(Self.january(transaction: "123456789012345")).purchase()
        #expect("\(named)" == "AppStoreTransaction(monthly)")
        #expect("\([named])" == "[AppStoreTransaction(monthly)]")
        let unnamed = try ReceiptTestCase.bought(Self.pro().without(1702)).purchase()
        #expect("\(unnamed)" == "AppStoreTransaction(no product identifier)")
    }

    /// An attribute, and the property that is nil without it.
    struct Attribute: Sendable, CustomTestStringConvertible {
        let type: Int
        var isText = true
        let isMissing: @Sendable (AppStoreTransaction) -> Bool

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

    /// The period of January 2024.
    private static func january(transaction: String, original: String? = nil) -> TestPurchase {
        TestPurchase(
            subscription: "monthly", transaction: transaction, original: original, from: day("2024-01-01"),
            to: day("2024-02-01"))
    }

    /// A non-consumable.
    private static func pro() -> TestPurchase { TestPurchase("pro", transaction: "1", at: day("2024-01-01")) }
}
