#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import Testing
import TestSupport
import VerifyReceipt

@Suite("Limits of evidence")
struct EvidenceLimitTests {
    /// Records transactions of an original, signed on consecutive days of July. Those signed on `refunded` days are
    /// refunded.
    private static func record(
        _ store: any EvidenceStore, of original: String, days: ClosedRange<Int>, refunded: Set<Int> = []
    ) async throws {
        for day in days {
            let period = StoreFixtures.period(
                "\(original)\(day)", of: original, signed: "2024-07-\(day)T00:00:00Z",
                refund: refunded.contains(day) ? "2024-07-01T00:00:00Z" : nil)
            try await store.record(StoreFixtures.transaction(period))
        }
    }

    @Test(
        "Beyond the limit of an original, only its own oldest transactions are left out",
        arguments: StoreEngine.allCases)
    func limitPerOriginal(_ engine: StoreEngine) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        try await engine.withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...15)
            try await Self.record(store, of: "2", days: 20...22)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("31", of: "3")))
            for line in ["1", "2"] { try await store.record(StoreFixtures.renewal(line)) }
            let known = try await store.known(["1", "2", "3"])
            #expect(Set(known.identifiers) == ["115", "114", "113", "222", "221", "220", "31"])
            #expect(known.renewals.count == 2)
            #expect(try await store.known(["1", "2", "3"]).identifiers == known.identifiers)
        }
    }

    @Test(
        "Beyond the limit the periods that end last are read, in any order of arrival and of signing",
        arguments: StoreEngine.allCases)
    func newestPeriods(_ engine: StoreEngine) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        for order in [Array(1...6), Array((1...6).reversed()), [3, 6, 1, 5, 2, 4]] {
            try await engine.withStore(limits: limits) { store async throws in
                for (index, number) in order.enumerated() {
                    let start = instant("2024-06-01T00:00:00Z") + Double(number) * 2_592_000
                    let period = StoreFixtures.period("\(number)").with {
                        $0.purchaseDate = start
                        $0.expirationDate = start + 2_592_000
                        $0.signedDate = instant("2025-06-01T00:00:00Z") + Double(index)
                    }
                    try await store.record(StoreFixtures.transaction(period))
                }
                // A copy that was restored after its end isn't a new period.
                let restored = StoreFixtures.period("9").with {
                    $0.purchaseDate = instant("2025-05-01T00:00:00Z")
                    $0.expirationDate = instant("2024-06-15T00:00:00Z")
                    $0.signedDate = instant("2025-07-01T00:00:00Z")
                }
                try await store.record(StoreFixtures.transaction(restored))
                #expect(Set(try await store.known(["1"]).identifiers) == ["6", "5", "4"])
            }
        }
    }

    @Test("A refund is read before newer transactions of its original", arguments: StoreEngine.allCases)
    func refundsFirst(_ engine: StoreEngine) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        try await engine.withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...19, refunded: [10, 12])
            #expect(Set(try await store.known(["1"]).identifiers) == ["110", "112", "119"])
        }
    }

    @Test(
        "Refunds that leave no room for the newest transaction exceed the limit, and are never read partially",
        arguments: StoreEngine.allCases)
    func tooManyRefunds(_ engine: StoreEngine) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        try await engine.withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...12, refunded: [10, 11, 12])
            #expect(try await store.known(["1"]).transactions.count == 3)
            try await Self.record(store, of: "1", days: 13...13)
            #expect(await rejection { try await store.known(["1"]) } == .tooMuchEvidence)
            #expect(await rejection { try await store.known(["1", "2"]) } == .tooMuchEvidence)
            #expect(try await store.known(["2"]).transactions.isEmpty)
            #expect(try await store.known(["1"], .production).transactions.isEmpty)
        }
    }

    @Test(
        "Transactions and receipts beyond the limits of a receipt are too much evidence",
        arguments: StoreEngine.allCases)
    func limitsPerReceipt(_ engine: StoreEngine) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 2
        limits.maxTransactionsPerReceipt = 5
        limits.maxReceiptsPerReceipt = 2
        try await engine.withStore(limits: limits) { store async throws in
            for line in 1...3 {
                try await Self.record(store, of: "\(line)", days: 10...14)
                try await store.record(StoreFixtures.receipt(["\(line)", "9"], made: "2024-07-0\(line)T00:00:00Z"))
            }
            #expect(try await store.known(["1", "2"]).transactions.count == 4)
            #expect(try await store.known(["1", "2"]).receipts.count == 2)
            #expect(await rejection { try await store.known(["1", "2", "3"]) } == .tooMuchEvidence)
        }
        limits.maxTransactionsPerReceipt = 6
        limits.maxReceiptsPerReceipt = 3
        try await engine.withStore(limits: limits) { store async throws in
            for line in 1...3 { try await Self.record(store, of: "\(line)", days: 10...14) }
            #expect(try await store.known(["1", "2", "3"]).transactions.count == 6)
            for line in 1...4 {
                try await store.record(StoreFixtures.receipt(["\(line)"], made: "2024-07-0\(line)T00:00:00Z"))
            }
            #expect(try await store.known(["1", "2", "3"]).receipts.count == 3)
            #expect(await rejection { try await store.known(["1", "2", "3", "4"]) } == .tooMuchEvidence)
        }
    }

    @Test("Limits of any value are accepted", arguments: StoreEngine.allCases, [Int.min, -1, 0, Int.max])
    func extremeLimits(_ engine: StoreEngine, limit: Int) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = limit
        limits.maxTransactionsPerReceipt = limit
        try await engine.withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...12)
            #expect(try await store.known(["1"]).identifiers.contains("112"))
        }
    }

    @Test("A refund isn't hidden by newer transactions up to the limit", arguments: StoreEngine.allCases)
    func manyTransactions(_ engine: StoreEngine) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 100
        try await engine.withStore(limits: limits) { store async throws in
            try await store.record(
                StoreFixtures.transaction(
                    StoreFixtures.period("1", signed: "2024-07-02T00:00:00Z", refund: "2024-07-01T00:00:00Z")))
            for number in 1...105 {
                try await store.record(StoreFixtures.transaction(StoreFixtures.period("\(10_000 + number)")))
                guard number % 20 == 0 else { continue }
                try await store.record(
                    StoreFixtures.transaction(
                        StoreFixtures.period("\(20_000 + number)", of: number % 40 == 0 ? "2" : "3")))
            }
            let known = try await store.known(["1", "2", "3"])
            #expect(known.transactions.filter { $0.original == "1" }.count == 100)
            #expect(known.transactions.count == 105)
            #expect(known.transactions.contains { $0.claims.revocationDate != nil })

            let receipt = try TestReceipt().with {
                $0.purchases = [
                    TestPurchase("com.example.plus", transaction: "1", at: instant("2024-06-01T00:00:00Z"))
                ]
            }.signed()
            let body: AppStoreJSON = ["receipt-data": .string(Data(receipt).base64EncodedString())]
            let responder = VerifyReceiptResponder(
                verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .both)
            let response = await responder.response(to: body.text(), evidence: store)
            let purchase = response.json.object?["receipt"]?.object?["in_app"]?.array?.first?.object
            #expect(purchase?["cancellation_date"]?.string == "2024-07-01 00:00:00 Etc/GMT")
        }
    }

    @Test("Each receipt is returned once, for any number of originals", arguments: StoreEngine.allCases)
    func manyOriginals(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let lines = (1...1300).map { "\(10_000 + $0)" }
            let receipt = try StoreFixtures.receipt(lines)
            try await store.record(receipt)
            for line in ["10001", "10700", "11300"] {
                try await store.record(StoreFixtures.transaction(StoreFixtures.period(line, of: line)))
                try await store.record(StoreFixtures.renewal(line))
            }
            let known = try await store.known(Set(lines))
            #expect(known.receipts == [receipt])
            #expect(known.transactions.count == 3 && known.renewals.count == 3)
            #expect(try await store.statistics().originalTransactions == 1300)
        }
    }

    @Test(
        "An identifier with a zero byte, at which databases truncate strings, isn't stored",
        arguments: StoreEngine.allCases)
    func zero(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(
                try await store.record(StoreFixtures.transaction(StoreFixtures.period("2", of: "1\0"))) == .notStored)
            #expect(try await store.record(StoreFixtures.transaction(StoreFixtures.period("2\0"))) == .notStored)
            #expect(try await store.record(StoreFixtures.renewal("1\0")) == .notStored)
            #expect(try await store.record(StoreFixtures.renewal(), app: .trusted("com.example.app\0")) == .notStored)
            #expect(try await store.record(StoreFixtures.receipt(["1\0"]), account: "ann") == .notStored)
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ben").replays.isEmpty)
        }
    }

    @Test("An original that isn't a number is unknown", arguments: StoreEngine.allCases)
    func strangeOriginals(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            for line in ["", "1' OR '1' = '1", "1\0", "%", "?"] {
                #expect(try await store.known([line]).transactions.isEmpty)
            }
            #expect(try await store.known([]).transactions.isEmpty)
        }
    }
}
#endif
