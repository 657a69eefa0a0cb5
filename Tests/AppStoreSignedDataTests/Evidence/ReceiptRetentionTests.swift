import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("ReceiptRetention")
struct ReceiptRetentionTests {
    private static let canceled = "2024-06-20T00:00:00Z"

    private static func of(_ receipts: [VerifiedReceipt], for original: String) -> [VerifiedReceipt] {
        ReceiptRetention.receiptsToKeep(from: receipts.map { ReceiptRetention.ListedReceipt($0) }, for: original).map(
            \.receipt)
    }

    /// The creation dates of the receipts that are needed for original transaction 1. The order of the receipts has no
    /// effect.
    private static func needed(_ receipts: [VerifiedReceipt]) -> [Date] {
        let needed = of(receipts, for: "1")
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<6 { #expect(of(receipts.shuffled(using: &generator), for: "1") == needed) }
        return needed.map(\.creationDate)
    }

    private static func dates(_ days: Int...) -> [Date] { days.map { instant("2024-08-\($0)T00:00:00Z") } }

    /// A receipt that was created on this day of August.
    private static func receipt(_ day: Int, _ purchases: TestPurchase...) throws -> VerifiedReceipt {
        try VerifiedFixtures.receipt(purchases, created: "2024-08-\(day)T00:00:00Z")
    }

    @Test("Without cancellations, only the newest receipt is needed")
    func newest() throws {
        let receipts = try [
            Self.receipt(10, ReceiptFixtures.period(1)), Self.receipt(12, ReceiptFixtures.period(2)),
            Self.receipt(11, ReceiptFixtures.period(1), ReceiptFixtures.period(2), ReceiptFixtures.period(3)),
        ]
        #expect(Self.needed(receipts) == Self.dates(12))
        #expect(Self.needed([]).isEmpty)
    }

    @Test("An older receipt is needed if it is the newest to list a canceled transaction")
    func canceled() throws {
        let receipts = try [
            // Superseded: the receipt of the 11th lists the same transaction.
            Self.receipt(10, ReceiptFixtures.period(1, canceled: Self.canceled)),
            Self.receipt(11, ReceiptFixtures.period(1, canceled: Self.canceled), ReceiptFixtures.period(2)),
            Self.receipt(12, ReceiptFixtures.period(2)), Self.receipt(13, ReceiptFixtures.period(3)),
        ]
        #expect(Self.needed(receipts) == Self.dates(13, 11))
    }

    @Test("A receipt isn't needed if a newer one lists its canceled transactions, canceled or not")
    func cleared() throws {
        let receipts = try [
            Self.receipt(10, ReceiptFixtures.period(1, canceled: Self.canceled)),
            Self.receipt(11, ReceiptFixtures.period(1), ReceiptFixtures.period(2)),
            Self.receipt(12, ReceiptFixtures.period(2)),
        ]
        #expect(Self.needed(receipts) == Self.dates(12))
    }

    @Test("Purchases of other original transactions have no effect")
    func otherOriginals() throws {
        let receipts = try [
            Self.receipt(10, ReceiptFixtures.period(1), ReceiptFixtures.period(5, of: 5, canceled: Self.canceled)),
            Self.receipt(11, ReceiptFixtures.period(1)),
        ]
        #expect(Self.needed(receipts) == Self.dates(11))
        #expect(
            Self.of(receipts, for: "5").map(\.creationDate) == Self.dates(11, 10),
            "A caller passes only receipts that contain the original.")
    }

    @Test("Of receipts of the same date, the one with more cancellations comes first, and equal ones are merged")
    func sameDate() throws {
        let canceled = try Self.receipt(10, ReceiptFixtures.period(1, canceled: Self.canceled))
        let plain = try Self.receipt(10, ReceiptFixtures.period(1))
        for receipts in [[canceled, plain], [plain, canceled], [plain, canceled, canceled, plain]] {
            #expect(Self.of(receipts, for: "1") == [canceled])
        }
        let padded = try VerifiedFixtures.receipt(
            container: Padding.added(to: ReceiptFixtures.receipt([ReceiptFixtures.period(1)])))
        let unpadded = try VerifiedFixtures.receipt([ReceiptFixtures.period(1)])
        #expect(Self.of([padded, unpadded, padded], for: "1").count == 1)
    }
}
