#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@Suite("Accounts beyond the limits of a receipt")
struct LargeAccountTests {
    private static var limits: StoreLimits {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        limits.maxTransactionsPerReceipt = 8
        limits.maxReceiptsPerReceipt = 4
        return limits
    }

    private static func scope() throws -> AppScope { try #require(AppScope(app: "com.example.app", .sandbox)) }

    private static func entitlements(_ originals: Set<String>, in store: any EvidenceStore) async throws
        -> [Entitlement]
    {
        let evidence = try await store.customerEvidence(of: originals, in: scope()).evidence
        let ledger = PurchaseLedger(
            evidence, app: "com.example.app", environment: .sandbox, originals: originals)
        return Entitlements(ledger, now: instant("2024-09-01T00:00:00Z")).all
    }

    @Test(
        "Any number of receipts and transactions of an account are read and forgotten, as with higher limits",
        arguments: StoreEngine.allCases)
    func manyPurchases(engine: StoreEngine) async throws {
        let consumables = try (1...10).map { number in
            try StoreFixtures.receipt(["5\(number)", "5"], made: "2024-07-\(number + 10)T00:00:00Z") {
                $0.purchases[0].productIdentifier = "com.example.coins"
            }
        }
        let transactions = try (10...35).map { number in
            try StoreFixtures.transaction(
                TestTransaction("com.example.pro", transaction: "\(number)").with {
                    if !number.isMultiple(of: 7) { $0.revocationDate = instant("2024-08-01T00:00:00Z") }
                })
        }
        let originals = Set((1...10).map { "5\($0)" } + (10...35).map { "\($0)" } + ["5"])
        var answers: [[Entitlement]] = []
        for limits in [StoreLimits(), Self.limits] {
            try await engine.withStore(limits: limits) { store async throws in
                for receipt in consumables { try await store.record(receipt, account: "ann") }
                for transaction in transactions { try await store.record(transaction, account: "ann") }
                answers.append(try await Self.entitlements(originals, in: store))
                #expect(try await store.forget("ann") == originals.count)
                for original in originals { #expect(try await store.originals(of: original) == []) }
                for transaction in transactions { try await store.record(transaction) }
                let evidence = try await store.customerEvidence(of: originals, in: Self.scope()).evidence
                #expect(evidence.tombstones.count == 37)
            }
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].filter { $0.productIdentifier == "com.example.pro" }.map(\.isActive) == [true])
    }

    @Test(
        "An original with more revocations than can be read is forgotten, and stays refunded",
        arguments: StoreEngine.allCases)
    func manyRevocations(engine: StoreEngine) async throws {
        func period(_ number: Int, isRefunded: Bool) throws -> VerifiedTransaction {
            try StoreFixtures.transaction(
                StoreFixtures.period(
                    "\(number)", signed: "2024-07-0\(isRefunded ? 2 : 1)T00:00:00Z",
                    refund: isRefunded ? "2024-07-01T00:00:00Z" : nil))
        }
        try await engine.withStore(limits: Self.limits) { store async throws in
            try await store.record(StoreFixtures.receipt(["8"]), account: "ann")
            for number in 1...5 { try await store.record(period(number, isRefunded: true), account: "ann") }
            let scope = try Self.scope()
            #expect(
                await rejection { try await store.customerEvidence(of: ["1", "8"], in: scope) } == .tooMuchEvidence)
            #expect(try await store.customerEvidence(of: ["8"], in: scope).evidence.receipts.count == 1)
            #expect(try await store.forget("ann") == 2)
            #expect(try await store.purchases(of: "ann") == [])
            for number in 1...2 { try await store.record(period(number, isRefunded: false), account: "ann") }
            #expect(try await Self.entitlements(["1"], in: store).map(\.state) == [.refunded])
        }
    }

    @Test(
        "A receipt that another server recorded before the account was forgotten is stored again",
        arguments: StoreEngine.persistent)
    func severalServers(engine: StoreEngine) async throws {
        let receipt = try StoreFixtures.receipt(["1"])
        try await engine.withDatabase { database async throws in
            let stores = [try database.open(), try database.open()]
            try await stores[0].record(receipt, account: "ann")
            for _ in 0..<2 { try await stores[1].record(receipt) }
            #expect(try await stores[0].forget("ann") == 1)
            try await stores[1].record(receipt)
            #expect(try await stores[0].originals(of: "1").count == 1)
            for store in stores { try await store.close() }
        }
    }
}
#endif
