import AppReceiptTesting
import AppReceiptValidator
import Foundation
import Testing

@Suite("Receipt")
struct ReceiptTests {
    private func receipt() throws -> Receipt {
        var fixture = ReceiptFixture()
        let start = fixture.receipt.creationDate
        fixture.receipt.appVersion = "1 \"quoted\" \\ \n"
        fixture.receipt.originalAppVersion = ""
        fixture.receipt.expirationDate = start.addingTimeInterval(0.25)
        fixture.receipt.purchases = [
            TestPurchase(
                subscription: "com.example.monthly", transaction: "2000", original: "1000", from: start,
                to: start.addingTimeInterval(30 * 86_400)),
            TestPurchase("com.example.pro", transaction: "3000", at: start),
        ]
        return try AppReceiptValidator().parseReceipt(origin: .data(try fixture.data()))
    }

    @Test("The description is source code that creates an equal receipt")
    func descriptionCompiles() throws {
        // Purchases are in the order of the receipt's bytes.
        let receipt = try receipt()
        let sorted = Receipt(
            bundleIdentifier: receipt.bundleIdentifier, bundleIdData: receipt.bundleIdData,
            appVersion: receipt.appVersion, opaqueValue: receipt.opaqueValue, sha1Hash: receipt.sha1Hash,
            originalAppVersion: receipt.originalAppVersion, receiptCreationDate: receipt.receiptCreationDate,
            expirationDate: receipt.expirationDate,
            inAppPurchaseReceipts: receipt.inAppPurchaseReceipts.sorted {
                ($0.transactionIdentifier ?? "") < ($1.transactionIdentifier ?? "")
            })
        #expect(described == sorted)
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Described.swift")
        let source = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "let described =\n").last
        #expect(sorted.description + "\n" == source)
        #expect(sorted.debugDescription == sorted.description)
    }

    @Test("Empty strings, empty dates and a line item of 0 are nil")
    func absentValues() throws {
        let receipt = try receipt()
        #expect(receipt.originalAppVersion == nil)
        let pro = try #require(receipt.inAppPurchaseReceipts.first { $0.productIdentifier == "com.example.pro" })
        #expect(pro.subscriptionExpirationDate == nil)
        #expect(pro.cancellationDate == nil)
        #expect(pro.webOrderLineItemId == nil)
        #expect(pro.quantity == 1)
    }

    @Test("Each initializer can create an empty receipt, and its description contains nil for every property")
    func nothing() {
        let typed = Receipt(
            bundleIdentifier: nil, bundleIdData: nil, appVersion: nil, opaqueValue: nil, sha1Hash: nil,
            originalAppVersion: nil, receiptCreationDate: nil, expirationDate: nil, inAppPurchaseReceipts: [])
        #expect(Receipt() == typed)
        #expect(
            typed.description == """
                Receipt(
                    bundleIdentifier: nil,
                    bundleIdData: nil,
                    appVersion: nil,
                    opaqueValue: nil,
                    sha1Hash: nil,
                    originalAppVersion: nil,
                    receiptCreationDate: nil,
                    expirationDate: nil,
                    inAppPurchaseReceipts: []
                )
                """)
        let purchase = InAppPurchaseReceipt(
            quantity: nil, productIdentifier: nil, transactionIdentifier: nil, originalTransactionIdentifier: nil,
            purchaseDate: nil, originalPurchaseDate: nil, subscriptionExpirationDate: nil, cancellationDate: nil,
            webOrderLineItemId: nil)
        #expect(InAppPurchaseReceipt() == purchase)
        #expect(purchase.debugDescription == purchase.description)
    }

    @Test("Typed values and strings create equal receipts, and a string that doesn't decode results in nil")
    func initializers() {
        let date = Date(timeIntervalSince1970: 1_483_272_000)
        let typed = Receipt(
            bundleIdentifier: "a", bundleIdData: Data([1]), appVersion: "1", opaqueValue: Data([2]),
            sha1Hash: Data([3]), originalAppVersion: "1.0", receiptCreationDate: date, expirationDate: nil,
            inAppPurchaseReceipts: [])
        let text = Receipt(
            bundleIdentifier: "a", bundleIdData: "AQ==", appVersion: "1", opaqueValue: "Ag==", sha1Hash: "Aw==",
            originalAppVersion: "1.0", receiptCreationDate: "2017-01-01T12:00:00Z", expirationDate: nil,
            inAppPurchaseReceipts: [])
        #expect(typed == text)
        let broken = Receipt(
            bundleIdentifier: "a", bundleIdData: "*", appVersion: "1", opaqueValue: "Ag==", sha1Hash: "Aw==",
            originalAppVersion: "1.0", receiptCreationDate: "yesterday", expirationDate: nil,
            inAppPurchaseReceipts: [])
        #expect(broken.bundleIdData == nil)
        #expect(broken.receiptCreationDate == nil)
    }

    @Test("Dates are rounded to milliseconds, so that the description creates an equal receipt")
    func milliseconds() throws {
        let fixture = ReceiptFixture.with {
            $0.receipt.overrides[12] = [[0x16, 30] + Array("2024-07-02T15:04:05.123456789Z".utf8)]
        }
        let receipt = try AppReceiptValidator().parseReceipt(origin: .data(try fixture.data()))
        let date = try #require(receipt.receiptCreationDate)
        #expect(
            AppReceiptValidator.ReceiptDateFormatter.date(
                from: AppReceiptValidator.ReceiptDateFormatter.string(from: date)) == date)
    }
}
