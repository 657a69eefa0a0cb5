#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

@Suite("PurchaseComparison")
struct PurchaseComparisonTests {
    private static func comparison(
        _ identifiers: [String], because kind: EventCause.Kind = .transaction
    ) throws -> PurchaseComparison {
        let purchases = try identifiers.map { StoredPurchase(original: try .test($0)) }
        return PurchaseComparison(
            of: purchases, because: Dictionary(uniqueKeysWithValues: purchases.map { ($0.original, EventCause(kind)) }),
            at: 1_733_000_000_000)
    }

    @Test("The purchases of a scope are read together, production before sandbox")
    func scopes() throws {
        let purchases = try [
            ScopedOriginal.test("2"), .test("1"), .test("3", .production),
        ].map { StoredPurchase(original: $0) }
        var comparison = PurchaseComparison(of: purchases, because: [:], at: 1)
        var parts: [[String]] = []
        while let part = comparison.next() {
            parts.append(part.purchases.map(\.original.originalTransactionIdentifier))
        }
        #expect(parts == [["3"], ["1", "2"]])
    }

    @Test("A purchase whose evidence can't be read doesn't hide the changes of others, and is compared later")
    func halves() throws {
        for error in [StoreError.tooMuchEvidence, .untrustedRevocation] {
            var comparison = try Self.comparison(["1", "2", "3"])
            var (sizes, postponed): ([Int], [String]) = ([], [])
            while let part = comparison.next() {
                sizes.append(part.purchases.count)
                let report = try comparison.report(part, from: .failure(error))
                #expect(report.events.isEmpty)
                for purchase in report.purchases {
                    #expect(purchase.state == PurchaseState([], due: 1_733_000_000_000 + PurchaseState.pause))
                    postponed.append(purchase.original.originalTransactionIdentifier)
                }
            }
            #expect(sizes == [3, 1, 2, 1, 1])
            #expect(postponed == ["1", "2", "3"])
        }
    }

    @Test("An error of the database is thrown")
    func failure() throws {
        var comparison = try Self.comparison(["1"])
        let next = comparison.next()
        let part = try #require(next)
        #expect(throws: StoreError.full) { try comparison.report(part, from: .failure(.full)) }
    }

    @Test("The current entitlements of a purchase are reported with their date and the next one")
    func report() throws {
        var comparison = try Self.comparison(["1"])
        let next = comparison.next()
        let part = try #require(next)
        let evidence = CustomerEvidence(transactions: [try StoreFixtures.transaction(StoreFixtures.period("1"))])
        let report = try comparison.report(part, from: .success(StoredEvidence(evidence: evidence)))
        #expect(report.events.map(\.type) == [.expired])
        #expect(report.events.map(\.date) == [instant("2024-12-01T00:00:00Z").milliseconds])
        #expect(report.purchases.map(\.state.entitlements.count) == [1])
    }

    @Test(
        "A purchase without evidence that verifies is compared later if it was stored or is due",
        arguments: [(EventCause.Kind.transaction, 0, 0), (.transaction, 1, 1), (.time, 0, 1)])
    func missing(kind: EventCause.Kind, skippedRows: Int, expected: Int) throws {
        var comparison = try Self.comparison(["1"], because: kind)
        let next = comparison.next()
        let part = try #require(next)
        let report = try comparison.report(part, from: .success(StoredEvidence(skippedRows: skippedRows)))
        #expect(report.purchases.count == expected && report.events.isEmpty)
    }
}
#endif
