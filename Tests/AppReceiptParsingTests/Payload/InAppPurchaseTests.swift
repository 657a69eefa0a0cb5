import AppReceiptParsing
import AppReceiptTesting
import Foundation
import Testing

@Suite("Purchases")
struct InAppPurchaseTests {
    private let date = Date(timeIntervalSince1970: 1_719_932_645)

    private func parsed(_ test: TestPurchase) throws -> InAppPurchase {
        try #require(try AppReceipt(parsing: TestReceipt().with { $0.purchases = [test] }.signed()).purchases.first)
    }

    // MARK: Values

    @Test("A subscription has every attribute that the App Store writes")
    func subscription() throws {
        let purchase = try parsed(
            TestPurchase(
                subscription: "com.example.pro.monthly", transaction: "1000000123456789", original: "1000000123456700",
                from: Date(timeIntervalSince1970: 1_719_932_645), to: Date(timeIntervalSince1970: 1_722_611_045),
                isTrial: true
            ).with {
                $0.originalPurchaseDate = Date(timeIntervalSince1970: 1_685_718_245)
                $0.cancellationDate = Date(timeIntervalSince1970: 1_720_569_600)
                $0.isInIntroductoryOfferPeriod = true
                $0.promotionalOfferIdentifier = "winback"
                $0.productStoreIdentifier = 6_446_000_001
                $0.webOrderLineItemIdentifier = 1_000_000_056_789_012
                $0.quantity = 3
            })
        #expect(purchase.quantity == 3)
        #expect(purchase.productIdentifier == "com.example.pro.monthly")
        #expect(purchase.transactionIdentifier == "1000000123456789")
        #expect(purchase.purchaseDate == Date(timeIntervalSince1970: 1_719_932_645))
        #expect(purchase.originalTransactionIdentifier == "1000000123456700")
        #expect(purchase.originalPurchaseDate == Date(timeIntervalSince1970: 1_685_718_245))
        #expect(purchase.productType == .autoRenewableSubscription)
        #expect(purchase.expirationDate == Date(timeIntervalSince1970: 1_722_611_045))
        #expect(purchase.productStoreIdentifier == 6_446_000_001)
        #expect(purchase.webOrderLineItemIdentifier == 1_000_000_056_789_012)
        #expect(purchase.cancellationDate == Date(timeIntervalSince1970: 1_720_569_600))
        #expect(purchase.isTrialPeriod == true)
        #expect(purchase.isInIntroductoryOfferPeriod == true)
        #expect(purchase.promotionalOfferIdentifier == "winback")
        #expect(purchase.reservedTexts.isEmpty)
        #expect(purchase.reserved1722 == 0)
        #expect(Set(purchase.attributes.map(\.type)) == Set(1701...1722).subtracting([1720]))
    }

    @Test("A purchase that isn't a subscription has no expiration, cancellation, offer or web order")
    func nonConsumable() throws {
        let purchase = try parsed(TestPurchase("com.example.pro", transaction: "7", at: date))
        #expect(purchase.quantity == 1)
        #expect(purchase.productType == .nonConsumable)
        #expect(purchase.originalTransactionIdentifier == "7")
        #expect(purchase.originalPurchaseDate == date)
        #expect(purchase.expirationDate == nil)
        #expect(purchase.cancellationDate == nil)
        #expect(purchase.isTrialPeriod == false)
        #expect(purchase.isInIntroductoryOfferPeriod == nil)
        #expect(purchase.promotionalOfferIdentifier == nil)
        #expect(purchase.webOrderLineItemIdentifier == nil)
        #expect(purchase.attributes.number(ofType: 1711) == 0)
        #expect(purchase.productStoreIdentifier == 0)
    }

    @Test("A purchase from Xcode has six attributes")
    func xcode() throws {
        let test = TestReceipt().with {
            $0.environment = .xcode
            $0.purchases = [TestPurchase("pro", transaction: "0", at: date)]
        }
        let purchase = try #require(try AppReceipt(parsing: test.signedLikeXcode()).purchases.first)
        #expect(purchase.attributes.map(\.type) == [1701, 1702, 1703, 1704, 1708, 1719])
        #expect(purchase.transactionIdentifier == "0")
        #expect(purchase.originalTransactionIdentifier == nil)
        #expect(purchase.originalPurchaseDate == nil)
        #expect(purchase.productType == nil)
        #expect(purchase.isTrialPeriod == nil)
        #expect(purchase.isInIntroductoryOfferPeriod == false)
    }

    @Test(
        "Product types have the numbers of attribute 1707, and unknown ones are preserved",
        arguments: [
            (0, .nonConsumable), (1, .consumable), (2, .nonRenewingSubscription), (3, .autoRenewableSubscription),
            (9, InAppPurchase.ProductType(rawValue: 9)),
        ] as [(UInt64, InAppPurchase.ProductType)])
    func productTypes(number: UInt64, type: InAppPurchase.ProductType) throws {
        #expect(try purchase(attribute(1707, DERWriter.integer(number)))?.productType == type)
    }

    @Test(
        "Reserved texts that aren't empty are available",
        arguments: [1709, 1714, 1715, 1716, 1717, 1718] as [UInt64])
    func reservedTexts(type: UInt64) throws {
        #expect(try purchase(attribute(type, DERWriter.utf8String("x")))?.reservedTexts == [Int(type): "x"])
        #expect(try purchase(attribute(type, DERWriter.utf8String("")))?.reservedTexts == [:])
    }

    @Test("A quantity larger than Int's maximum is nil")
    func hugeQuantity() throws {
        #expect(try purchase(attribute(1701, DERWriter.integer(UInt64(Int.max))))?.quantity == Int.max)
        #expect(try purchase(attribute(1701, DERWriter.integer(UInt64(Int.max) + 1)))?.quantity == nil)
        #expect(try purchase(attribute(1707, DERWriter.integer(.max)))?.productType == nil)
    }

    @Test("Flags are 0 or 1", arguments: [(0, false), (1, true), (2, nil), (255, nil)] as [(UInt64, Bool?)])
    func flags(number: UInt64, flag: Bool?) throws {
        let purchase = try purchase(
            attribute(1713, DERWriter.integer(number)), attribute(1719, DERWriter.integer(number)))
        #expect(purchase?.isTrialPeriod == flag)
        #expect(purchase?.isInIntroductoryOfferPeriod == flag)
    }

    @Test("An empty set is a purchase without attributes")
    func empty() throws {
        let purchase = try #require(try purchase())
        #expect(purchase.attributes.isEmpty)
        #expect(purchase.productIdentifier == nil)
    }

    @Test("Purchases and their attributes are in the order of the receipt")
    func order() throws {
        let receipt = try receipt(
            attribute(
                17, attributeSet([attribute(1702, DERWriter.utf8String("b")), attribute(9999, [1], version: 7)])),
            attribute(3, DERWriter.utf8String("1")),
            attribute(17, attributeSet([attribute(9999, [2]), attribute(1702, DERWriter.utf8String("a"))])))
        #expect(receipt.purchases.map(\.productIdentifier) == ["b", "a"])
        #expect(receipt.purchases.map { $0.attributes.map(\.type) } == [[1702, 9999], [9999, 1702]])
        #expect(receipt.purchases.first?.attributes.last == ReceiptAttribute(type: 9999, version: 7, value: [1]))
        #expect(receipt.attributes.map(\.type) == [17, 3, 17])
    }

    @Test("The order of attributes doesn't change the properties of a purchase")
    func anyOrder() throws {
        let members = [
            attribute(1702, DERWriter.utf8String("pro")), attribute(1701, DERWriter.integer(1)),
            attribute(1708, DERWriter.ia5String("")),
        ]
        let forwards = try receipt(attribute(17, attributeSet(members))).purchases.first
        let backwards = try receipt(attribute(17, attributeSet(members.reversed()))).purchases.first
        #expect(forwards?.productIdentifier == "pro")
        #expect(backwards?.productIdentifier == "pro")
        #expect(backwards?.quantity == forwards?.quantity)
    }

    // MARK: Malformed values

    @Test(
        "A malformed expiration or cancellation date is rejected with its own code",
        arguments: [
            (1708, .purchaseExpirationDateMalformed), (1712, .purchaseCancellationDateMalformed),
        ] as [(UInt64, ReceiptError.Code)])
    func decisive(type: UInt64, code: ReceiptError.Code) throws {
        for value: [UInt8] in [
            [], [0xFF], DERWriter.integer(1), DERWriter.ia5String("2024-07-02"), [0x16, 0x05, 0x41],
        ] {
            let attribute = attribute(type, value)
            // 31 L 30 L 02 01 11 02 01 01 04 L 31 L 30 L 02 02 type 02 01 01 04 L, then the value.
            expectFailure(code, check: .payload, at: 25) { try purchase(attribute) }
        }
        let good = try purchase(attribute(type, DERWriter.ia5String("2024-07-02T15:04:05Z")))
        #expect((type == 1708 ? good?.expirationDate : good?.cancellationDate) == date)
    }

    @Test(
        "Other malformed values are nil, and their bytes are available",
        arguments: [1701, 1702, 1703, 1704, 1705, 1706, 1707, 1709, 1710, 1711, 1713, 1714, 1719, 1721, 1722]
            as [UInt64])
    func optional(type: UInt64) throws {
        for value: [UInt8] in [[], [0xFF], DERWriter.null, [0x0C, 0x05, 0x41], [0x02, 0x02, 0x00, 0x01]] {
            let purchase = try #require(try purchase(attribute(type, value)))
            #expect(purchase.quantity == nil)
            #expect(purchase.productIdentifier == nil)
            #expect(purchase.transactionIdentifier == nil)
            #expect(purchase.purchaseDate == nil)
            #expect(purchase.originalTransactionIdentifier == nil)
            #expect(purchase.originalPurchaseDate == nil)
            #expect(purchase.productType == nil)
            #expect(purchase.productStoreIdentifier == nil)
            #expect(purchase.webOrderLineItemIdentifier == nil)
            #expect(purchase.isTrialPeriod == nil)
            #expect(purchase.isInIntroductoryOfferPeriod == nil)
            #expect(purchase.promotionalOfferIdentifier == nil)
            #expect(purchase.reservedTexts.isEmpty)
            #expect(purchase.reserved1722 == nil)
            #expect(purchase.attributes.first?.value == value[...])
        }
    }

    @Test(
        "A duplicate attribute in a purchase is rejected",
        arguments: Array(1701...1719) + [1721, 1722])
    func duplicate(type: Int) throws {
        let once = attribute(UInt64(type), [])
        let isDate = type == 1708 || type == 1712
        let harmless = isDate ? attribute(UInt64(type), DERWriter.ia5String("")) : once
        #expect(try purchase(harmless)?.attributes.count == 1)
        let error = expectFailure(.purchaseAttributeDuplicate, check: .payload) { try purchase(harmless, harmless) }
        #expect(error?.message.contains("\(type)") == true)
        #expect(error?.offset != nil)
    }

    @Test(
        "Two purchases can have the same attributes, and unknown attributes can occur twice",
        arguments: [1700, 1720, 1723, 1766])
    func repeatable(type: Int) throws {
        let repeated = attribute(UInt64(type), [])
        #expect(try purchase(repeated, repeated)?.attributes.map(\.type) == [type, type])
        let one = attribute(17, attributeSet([attribute(1702, DERWriter.utf8String("pro"))]))
        #expect(try receipt(one, one).purchases.map(\.productIdentifier) == ["pro", "pro"])
    }

    // MARK: Structure

    @Test(
        "A purchase that isn't exactly one set of attributes is malformed",
        arguments: [
            ([], 0),
            ([0x30, 0x00], 0),
            ([0x31, 0x01], 0),
            ([0x31, 0x00, 0x00], 2),
            ([0x31, 0x02, 0x05, 0x00], 2),
            ([0x31, 0x02, 0x30, 0x00], 4),
            // The value of the attribute is a UTF8String.
            ([0x31, 0x0B, 0x30, 0x09, 0x02, 0x02, 0x06, 0xA5, 0x02, 0x01, 0x01, 0x0C, 0x00], 11),
            // The type of the attribute is negative.
            ([0x31, 0x0A, 0x30, 0x08, 0x02, 0x01, 0xFF, 0x02, 0x01, 0x01, 0x04, 0x00], 4),
            // A purchase can't be wrapped in another octet string.
            ([0x04, 0x02, 0x31, 0x00], 0),
        ] as [([UInt8], Int)])
    func malformed(value: [UInt8], offset: Int) throws {
        // 31 L, a good purchase of 12 bytes, 30 L 02 01 11 02 01 01 04 L, then the value.
        let good = attribute(17, attributeSet([]))
        let error = expectFailure(.purchaseMalformed, check: .payload, at: 2 + 12 + 10 + offset) {
            try receipt(good, attribute(17, value))
        }
        #expect(error?.message.hasPrefix("Purchase 2 ") == true)
        #expect(try receipt(good, attribute(17, attributeSet([]))).purchases.count == 2)
    }
}
