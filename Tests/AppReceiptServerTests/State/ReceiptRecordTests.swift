#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import Testing
import TestSupport
import VerifyReceipt

@Suite("Recording of receipts")
struct ReceiptRecordTests {
    @Test("of each line the newest receipt is kept, in whatever order they come", arguments: StoreKind.allCases)
    func newest(_ kind: StoreKind) async throws {
        let old = try Proven.receipt(["1", "2"])
        let new = try Proven.receipt(["1", "3"], made: "2024-09-01T00:00:00Z")
        for order in [[old, new], [new, old]] {
            try await withStore(kind) { store async throws in
                for receipt in order { #expect(try await store.record(receipt).isNew) }
                #expect(try await store.known(["1"]).receipts == [new])
                #expect(try await store.known(["2"]).receipts == [old])
                #expect(try await store.known(["1", "2", "3"]).receipts == [new, old])
                let statistics = try await store.statistics()
                #expect(statistics.receipts == 2 && statistics.lines == 3)
            }
        }
    }

    @Test("a receipt to which no line points any more is deleted, and an older one is not taken up")
    func superseded() async throws {
        try await withStore { store async throws in
            let receipts = try (1...3).map { try Proven.receipt(["1", "2"], made: "2024-07-0\($0)T00:00:00Z") }
            #expect(try await store.record(receipts[1]).isNew)
            #expect(try await !store.record(receipts[0]).isNew)
            #expect(try await store.record(receipts[2]).isNew)
            #expect(try await store.known(["1", "2"]).receipts == [receipts[2]])
            #expect(try await store.statistics().receipts == 1)
        }
    }

    @Test("one of the same date does not take the place of another")
    func sameDate() async throws {
        try await withStore { store async throws in
            let first = try Proven.receipt(["1"])
            let second = try Proven.receipt(["1"]) { $0.appVersion = "2" }
            #expect(try await store.record(first).isNew)
            #expect(try await !store.record(second).isNew)
            #expect(try await store.known(["1"]).receipts == [first])
        }
    }

    @Test("receipts without purchases, or larger than the limit, are not stored")
    func notStored() async throws {
        var limits = StoreLimits()
        let large = try Proven.receipt((1...40).map(String.init))
        limits.receiptBytes = large.der.count - 1
        try await withStore(limits: limits) { store async throws in
            #expect(try await !store.record(Proven.receipt([])).isNew)
            #expect(try await !store.record(large, account: "somebody").isNew)
            #expect(try await store.record(Proven.receipt(["1"])).isNew)
            #expect(try await store.statistics().receipts == 1)
            // Whose its lines are is known all the same.
            #expect(try await store.record(Proven.receipt(["40"]), account: "else").replays.count == 1)
        }
    }
}
#endif
