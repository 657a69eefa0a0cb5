import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("VerifiedAppTransaction, original purchase")
struct VerifiedAppTransactionOriginalAppPurchaseTests {
    @Test(
        "The platform of the original purchase determines which version is compared",
        arguments: [
            ("iOS", .build, true), ("tvOS", .build, true), ("visionOS", .build, true), ("macOS", .marketing, false),
            ("watchOS", nil, nil),
        ] as [(String, OriginalAppPurchase.VersionKey?, Bool?)])
    func platforms(_ platform: String, _ key: OriginalAppPurchase.VersionKey?, _ paid: Bool?) throws {
        var transaction = TestAppTransaction()
        transaction.originalAppVersion = "9"
        transaction.overrides = ["originalPlatform": .string(platform)]
        let original = try transaction.verified().originalAppPurchase
        #expect(original.version == "9")
        #expect(original.versionKey == key)
        #expect(original.precedes(build: "10", version: "3.0") == paid)
    }

    @Test("The dates are those of the app transaction")
    func dates() throws {
        let transaction = TestAppTransaction()
        let original = try transaction.verified().originalAppPurchase
        #expect(original.date == transaction.originalPurchaseDate)
        #expect(original.preorderDate == nil)
        #expect(original.precedes(transaction.originalPurchaseDate + 1) == true)
    }

    @Test("An app that was refunded isn't one that the customer paid for")
    func refunded() throws {
        let paid = TestAppTransaction().with { $0.overrides = ["originalApplicationVersion": "1"] }
        #expect(try !paid.verified().originalAppPurchase.isRefunded)
        #expect(try paid.verified().originalAppPurchase.precedes(build: "2", version: "2") == true)
        let refunded = paid.with { $0.overrides["revocationDate"] = 1_719_932_645_000 }
        let original = try refunded.verified().originalAppPurchase
        #expect(original.isRefunded)
        #expect(original.revocationDate == instant("2024-07-02T15:04:05Z"))
        #expect(original.precedes(build: "2", version: "2") == false)
        #expect(original.precedes(instant("2030-01-01T00:00:00Z")) == false)
    }
}
