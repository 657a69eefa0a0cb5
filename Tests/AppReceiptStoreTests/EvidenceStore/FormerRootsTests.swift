#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import Testing
import TestSupport
import VerifyReceipt

@Suite("Refunds of former roots")
struct FormerRootsTests {
    /// Records evidence under the former roots, and calls `body` with the database.
    private func withFormer(
        _ engine: StoreEngine, _ record: (any EvidenceStore) async throws -> Void,
        _ body: (StoreEngine.Database) async throws -> Void
    ) async throws {
        try await engine.withDatabase { database async throws in
            let store = try database.open(.testsAndFormer)
            try await record(store)
            try await store.close()
            try await body(database)
        }
    }

    private static func refund() throws -> VerifiedTransaction {
        try StoreFixtures.transaction(
            StoreFixtures.period("1", refund: "2024-07-01T00:00:00Z"), by: StoreFixtures.formerPKI)
    }

    private static func canceled() throws -> VerifiedReceipt {
        try StoreFixtures.receipt(["1"], made: "2024-08-01T00:00:00Z", by: .impostor) {
            $0.purchases[0].cancellationDate = instant("2024-07-01T00:00:00Z")
        }
    }

    @Test(
        "A refund of a former root makes the history unavailable, and the store isn't ready",
        arguments: StoreEngine.persistent, [true, false])
    func unavailable(_ engine: StoreEngine, isTransaction: Bool) async throws {
        try await withFormer(engine) { store async throws in
            _ = isTransaction ? try await store.record(Self.refund()) : try await store.record(Self.canceled())
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("5", of: "5"), by: StoreFixtures.formerPKI))
        } _: { database async throws in
            var store = try database.open()
            #expect(await rejection { try await store.check() } == .untrustedRevocation)
            #expect(await rejection { try await store.known(["1"]) } == .untrustedRevocation)
            // Other evidence of the former root is skipped.
            #expect(try await store.known(["5"]).transactions.isEmpty)
            // Older evidence and newer receipts don't replace the refund.
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-11-01T00:00:00Z")))
            try await store.record(StoreFixtures.receipt(["1"], made: "2024-09-01T00:00:00Z"))
            #expect(await rejection { try await store.known(["1"]) } == .untrustedRevocation)
            try await store.close()

            store = try database.open(.testsAndFormer)
            try await store.check()
            let known = try await store.known(["1"])
            #expect(
                known.transactions.contains { $0.claims.revocationDate != nil }
                    || known.receipts.contains { $0.receipt.purchases[0].cancellationDate != nil })
            try await store.close()
        }
    }

    @Test(
        "An upgrade of a former root makes the history unavailable, and the store isn't ready once it was read",
        arguments: StoreEngine.persistent)
    func upgrade(_ engine: StoreEngine) async throws {
        let upgraded = StoreFixtures.period("1").with { $0.overrides["isUpgraded"] = true }
        try await withFormer(engine) { store async throws in
            try await store.record(StoreFixtures.transaction(upgraded, by: StoreFixtures.formerPKI))
        } _: { database async throws in
            let store = try database.open()
            // Older evidence without the upgrade doesn't replace it.
            let older = try StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-11-01T00:00:00Z"))
            #expect(try await !store.record(older).isNew)
            #expect(await rejection { try await store.known(["1"]) } == .untrustedRevocation)
            #expect(await rejection { try await store.check() } == .untrustedRevocation)
            #expect(store.untrustedOriginals.map(\.originalTransactionIdentifier) == ["1"])
            try await store.record(
                StoreFixtures.transaction(
                    StoreFixtures.period("1", signed: "2024-12-02T00:00:00Z").with { $0.overrides["isUpgraded"] = true }
                ))
            try await store.check()
            #expect(try await store.known(["1"]).transactions.count == 1 && store.untrustedOriginals.isEmpty)
            try await store.close()
        }
    }

    @Test("A store is ready again after later-signed evidence replaced the refund", arguments: StoreEngine.persistent)
    func replaced(_ engine: StoreEngine) async throws {
        try await withFormer(engine) { store async throws in
            try await store.record(Self.refund())
        } _: { database async throws in
            let store = try database.open()
            #expect(await rejection { try await store.check() } == .untrustedRevocation)
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-12-02T00:00:00Z")))
            try await store.check()
            #expect(try await store.known(["1"]).transactions.count == 1)
            try await store.close()
        }
    }

    @Test("Data that doesn't verify under new roots is skipped and counted", arguments: StoreEngine.persistent)
    func otherRoots(_ engine: StoreEngine) async throws {
        try await engine.withDatabase { database async throws in
            let before = try database.open()
            try await before.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            try await before.record(StoreFixtures.receipt(["1"]))
            #expect(try await before.known(["1"]).transactions.count == 1)
            try await before.close()
            let after = try database.open(.apple)
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            let known = try await after.evidence(of: ["1"], in: scope)
            #expect(known.evidence.isEmpty && known.skippedRows == 2)
            #expect(try await after.statistics().skippedRows == 2)
            try await after.close()
            let again = try database.open()
            #expect(try await again.known(["1"]).receipts.count == 1)
            try await again.close()
        }
    }
}
#endif
