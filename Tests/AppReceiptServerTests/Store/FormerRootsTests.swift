#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import TestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("Refunds of former roots")
struct FormerRootsTests {
    private static let former = TestPKI.signedData.with {
        $0.root.key = .untrusted
        $0.root.issuerKey = .untrusted
        $0.intermediate.key = .untrusted
        $0.intermediate.issuerKey = .untrusted
        $0.signer.issuerKey = .untrusted
    }

    /// Opens a store that also trusts the former roots.
    private static func trusting(_ path: String) throws -> TransactionStore {
        try TransactionStore(
            path: path,
            receipts: ReceiptVerifier(
                anchors: TrustAnchors(certificates: [TestPKI.standard.root.der(), TestPKI.impostor.root.der()])),
            signedData: SignedDataVerifier(
                anchors: TrustAnchors(certificates: [TestPKI.signedData.root.der(), former.root.der()])))
    }

    /// Records evidence under the former roots, and calls `body` with the path.
    private func withFormer(
        _ record: (TransactionStore) async throws -> Void, _ body: (String) async throws -> Void
    ) async throws {
        try await withDatabasePath { path async throws in
            let store = try Self.trusting(path)
            try await record(store)
            try await store.close()
            try await body(path)
        }
    }

    private static func refund() throws -> VerifiedTransaction {
        try StoreFixtures.transaction(
            StoreFixtures.period("1", refund: "2024-07-01T00:00:00Z"), by: former)
    }

    private static func canceled() throws -> VerifiedReceipt {
        try StoreFixtures.receipt(["1"], made: "2024-08-01T00:00:00Z", by: .impostor) {
            $0.purchases[0].cancellationDate = instant("2024-07-01T00:00:00Z")
        }
    }

    @Test(
        "A refund of a former root makes the history unavailable, and the store isn't ready", arguments: [true, false])
    func unavailable(isTransaction: Bool) async throws {
        try await withFormer { store async throws in
            _ = isTransaction ? try await store.record(Self.refund()) : try await store.record(Self.canceled())
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("5", of: "5"), by: Self.former))
        } _: { path async throws in
            var store = try TransactionStore(testing: path)
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

            store = try Self.trusting(path)
            try await store.check()
            let known = try await store.known(["1"])
            #expect(
                known.transactions.contains { $0.claims.revocationDate != nil }
                    || known.receipts.contains { $0.receipt.purchases[0].cancellationDate != nil })
            try await store.close()
        }
    }

    @Test("An upgrade of a former root makes the history unavailable, and the store isn't ready once it was read")
    func upgrade() async throws {
        let upgraded = StoreFixtures.period("1").with { $0.overrides["isUpgraded"] = true }
        try await withFormer { store async throws in
            try await store.record(StoreFixtures.transaction(upgraded, by: Self.former))
        } _: { path async throws in
            let store = try TransactionStore(testing: path)
            // Older evidence without the upgrade doesn't replace it.
            let older = try StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-11-01T00:00:00Z"))
            #expect(try await !store.record(older).isNew)
            #expect(await rejection { try await store.known(["1"]) } == .untrustedRevocation)
            #expect(await rejection { try await store.check() } == .untrustedRevocation)
            #expect(store.untrustedOriginals == ["1"])
            try await store.record(
                StoreFixtures.transaction(
                    StoreFixtures.period("1", signed: "2024-12-02T00:00:00Z").with { $0.overrides["isUpgraded"] = true }
                ))
            try await store.check()
            #expect(try await store.known(["1"]).transactions.count == 1 && store.untrustedOriginals.isEmpty)
            try await store.close()
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The server warns of refunds of former roots at its start, and names them to clients with its token")
    func report() async throws {
        try await withFormer { store async throws in
            for number in 1...12 {
                try await store.record(
                    StoreFixtures.transaction(
                        StoreFixtures.period("9876\(number)", refund: "2024-07-01T00:00:00Z").with {
                            $0.originalTransactionIdentifier = $0.transactionIdentifier
                        }, by: Self.former))
            }
        } _: { path async throws in
            try await TestServer.with {
                $0.database = path
                $0.bearerToken = SharedSecret("secret")
            } _: { server async throws in
                let warning = "Stored refunds of roots that aren't trusted any more"
                #expect(server.log.text.contains(warning))
                #expect(server.log.text.contains("12"))
                let open = try await server.get("/readyz")
                #expect(open.status == 503)
                #expect(open.json == ["status": "untrusted-revocation"])
                let wrong = try await server.get("/readyz", headers: ["Authorization": "Bearer x"])
                #expect(wrong.json == open.json)
                let named = try await server.get("/readyz", headers: ["Authorization": "Bearer secret"])
                #expect(named.status == 503)
                #expect(named.json["status"] == "untrusted-revocation")
                // The first ten.
                let expected = (1...12).map { "9876\($0)" }.sorted().prefix(10)
                let originals = named.json["originalTransactionIdentifiers"]?.array?.compactMap(\.string)
                #expect(originals == Array(expected))
                #expect(!server.log.text.contains("9876"))
            }
            try await TestServer.with {
                $0.database = path
            } _: { server async throws in
                let answer = try await server.get("/readyz", headers: ["Authorization": "Bearer secret"])
                #expect(answer.json == ["status": "untrusted-revocation"])
            }
        }
    }

    @Test("A store is ready again after the operator deleted the refund, or later-signed evidence replaced it")
    func decided() async throws {
        try await withFormer { store async throws in
            try await store.record(Self.refund())
        } _: { path async throws in
            let store = try TransactionStore(testing: path)
            #expect(await rejection { try await store.check() } == .untrustedRevocation)
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-12-02T00:00:00Z")))
            try await store.check()
            #expect(try await store.known(["1"]).transactions.count == 1)
            try await store.close()
        }
        try await withFormer { store async throws in
            try await store.record(Self.refund())
        } _: { path async throws in
            let store = try TransactionStore(testing: path)
            #expect(await rejection { try await store.known(["1"]) } == .untrustedRevocation)
            try await store.database.write { try $0.execute(sql: "DELETE FROM transactions WHERE original = '1'") }
            try await store.check()
            #expect(try await store.known(["1"]).transactions.isEmpty)
            try await store.close()
        }
    }
}
#endif
