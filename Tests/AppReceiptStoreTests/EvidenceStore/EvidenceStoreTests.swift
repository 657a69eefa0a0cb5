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

@Suite("EvidenceStore")
struct EvidenceStoreTests {
    @Test("Recorded data is known, and isn't new when it is recorded again", arguments: StoreEngine.allCases)
    func recorded(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let transaction = try StoreFixtures.transaction(StoreFixtures.period("2"))
            let renewal = try StoreFixtures.renewal()
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(transaction) == RecordResult(isNew: true))
            #expect(try await store.record(renewal).isNew)
            #expect(try await store.record(receipt).isNew)
            for account in [nil, "somebody"] {
                #expect(try await !store.record(transaction, account: account).isNew)
                #expect(try await !store.record(receipt, account: account).isNew)
            }
            #expect(try await !store.record(renewal).isNew)
            let known = try await store.known(["1"])
            #expect(known.transactions == [transaction])
            #expect(known.renewals == [renewal])
            #expect(known.receipts == [receipt])
            let statistics = try await store.statistics()
            #expect(statistics.transactions == 1)
            #expect(statistics.renewals == 1)
            #expect(statistics.receipts == 1)
            #expect(statistics.originalTransactions == 1)
            #expect(statistics.accountBindings == 1)
            #expect(statistics.skippedRows == 0)
            try await store.check()
        }
    }

    @Test("A database contains the data after the store is closed", arguments: StoreEngine.persistent)
    func reopened(_ engine: StoreEngine) async throws {
        try await engine.withDatabase { database async throws in
            let transaction = try StoreFixtures.transaction(StoreFixtures.period("2"))
            let receipt = try StoreFixtures.receipt(["1"])
            let first = try database.open()
            try await first.record(transaction, account: "somebody")
            try await first.record(receipt)
            try await first.record(StoreFixtures.notification(1, nil))
            try await first.close()
            try await first.close()

            let second = try database.open()
            let known = try await second.known(["1"])
            #expect(known.transactions == [transaction] && known.receipts == [receipt])
            #expect(try await !second.record(transaction, account: "somebody").isNew)
            #expect(try await !second.record(StoreFixtures.notification(1, nil)).isNew)
            // The key of the accounts is stored in the database.
            #expect(try await second.record(receipt, account: "else").replays.count == 1)
            #expect(try await second.record(receipt, account: "somebody").replays.isEmpty)
            try await second.close()
        }
    }

    @Test("Nothing of another app, environment or original is returned", arguments: StoreEngine.allCases)
    func separation(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("3").with { $0.environment = .production }))
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("4").with { $0.bundleIdentifier = "com.example.other" }))
            try await store.record(StoreFixtures.receipt(["1"]))
            try await store.record(StoreFixtures.renewal(), app: .trusted("com.example.other"))
            #expect(try await store.known(["1"]).identifiers == ["2"])
            #expect(try await store.known(["1"]).renewals.isEmpty)
            #expect(try await store.known(["1"], .production).identifiers == ["3"])
            #expect(try await store.known(["1"], .production).receipts.isEmpty)
            let nothing = try await store.known(["2"])
            #expect(nothing.transactions.isEmpty)
            #expect(nothing.renewals.isEmpty)
            #expect(nothing.receipts.isEmpty)
        }
    }

    @Test("Data from Xcode or an unknown environment is never stored", arguments: StoreEngine.allCases)
    func xcode(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            for environment in [SignedDataEnvironment.xcode, SignedDataEnvironment(rawValue: "Elsewhere")] {
                let transaction = try StoreFixtures.transaction(
                    StoreFixtures.period("2").with { $0.environment = environment })
                #expect(try await store.record(transaction, account: "somebody") == .notStored)
            }
            let receipt = try StoreFixtures.receipt(["1"]) { $0.environment = .xcode }
            #expect(receipt.receipt.environment == .xcode)
            #expect(try await store.record(receipt, account: "somebody") == .notStored)
            let statistics = try await store.statistics()
            #expect(statistics.transactions == 0)
            #expect(statistics.receipts == 0)
            #expect(statistics.accountBindings == 0)
            #expect(try await store.known(["1"], .xcode).transactions.isEmpty)
        }
    }

    @Test(
        "Of copies of a transaction or renewal, the one signed last is kept, in any order of arrival",
        arguments: StoreEngine.allCases)
    func copies(_ engine: StoreEngine) async throws {
        let copies = try [
            StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-07-10T00:00:00Z")),
            StoreFixtures.transaction(
                StoreFixtures.period("1", signed: "2024-07-20T00:00:00Z", refund: "2024-07-15T00:00:00Z")),
            StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-07-15T00:00:00Z")),
        ]
        let renewals = try [
            StoreFixtures.renewal(signed: "2024-07-10T00:00:00Z"),
            StoreFixtures.renewal(signed: "2024-07-20T00:00:00Z", status: .off),
            StoreFixtures.renewal(signed: "2024-07-15T00:00:00Z"),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            try await engine.withStore { store async throws in
                for index in order {
                    try await store.record(copies[index])
                    try await store.record(renewals[index])
                }
                #expect(try await store.known(["1"]).transactions == [copies[1]])
                #expect(try await store.known(["1"]).renewals == [renewals[1]])
            }
        }
    }

    @Test("The responder's response contains the store's evidence", arguments: StoreEngine.allCases)
    func responder(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let submitted = try StoreFixtures.receipt([]) {
                $0.purchases = [
                    TestPurchase(
                        subscription: "com.example.plus", transaction: "1", from: instant("2024-05-01T00:00:00Z"),
                        to: instant("2024-06-01T00:00:00Z"))
                ]
            }
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            let responder = VerifyReceiptResponder(
                verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .both)
            let body = Array("{\"receipt-data\":\"\(Data(submitted.container).base64EncodedString())\"}".utf8)
            let response = await responder.response(to: body, evidence: store)
            let latest = response.json.object?["latest_receipt_info"]?.array?.compactMap(\.object) ?? []
            #expect(latest.map { $0["transaction_id"]?.string } == ["2", "1"])
            guard case .app(let answered) = response.receipt else {
                Issue.record("The receipt is \(String(describing: response.receipt)).")
                return
            }
            try await store.record(answered)
            #expect(try await store.known(["1"]).receipts == [submitted])
            try await store.close()
            #expect(await responder.response(to: body, evidence: store).status == .historyUnavailable)
        }
    }

    @Test("A closed store rejects reads and writes", arguments: StoreEngine.allCases)
    func closed(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let transaction = try StoreFixtures.transaction(StoreFixtures.period("2"))
            let receipt = try StoreFixtures.receipt(["3"])
            try await store.record(transaction)
            try await store.record(receipt)
            try await store.close()
            #expect(await rejection { try await store.record(receipt) } == .closed)
            #expect(await rejection { try await store.record(transaction) } == .closed)
            #expect(await rejection { try await store.record(StoreFixtures.receipt(["1"])) } == .closed)
            #expect(await rejection { try await store.known(["1"]) } == .closed)
            #expect(await rejection { try await store.check() } == .closed)
            #expect(await rejection { try await store.statistics() } == .closed)
        }
    }

    @Test(
        "What is stored about an original transaction of a receipt is read beside it, but not the receipt itself",
        arguments: StoreEngine.allCases)
    func beside(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1", "2"])
            #expect(try await store.evidence(beside: receipt).evidence.isEmpty)
            #expect(try await !store.isSole(receipt))
            try await store.record(receipt)
            try await store.record(StoreFixtures.receipt(["3"]))
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("9", of: "4")))
            #expect(try await store.evidence(beside: receipt).evidence.isEmpty)
            let newer = try StoreFixtures.receipt(["2", "5"], made: "2024-09-01T00:00:00Z")
            try await store.record(newer)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("7", of: "2")))
            try await store.record(StoreFixtures.renewal("1"))
            #expect(try await !store.isSole(receipt))
            let stored = try await store.evidence(beside: receipt).evidence
            #expect(stored.receipts == [newer])
            #expect(stored.identifiers == ["7"])
            #expect(stored.renewals.count == 1)
        }
    }

    @Test(
        "A receipt is known to be recorded until another server forgets anything", arguments: StoreEngine.persistent)
    func knownToBeRecorded(_ engine: StoreEngine) async throws {
        try await engine.withDatabase { database async throws in
            let (store, other) = (try database.open(), try database.open())
            let receipt = try StoreFixtures.receipt(["1"])
            func isKnown() async throws -> Bool {
                // PostgreSQL reads the counter with the evidence, to save a round trip.
                let counted = try await store.forgetCount()
                let generation = try await store.evidence(beside: receipt).generation
                #expect(generation == (engine == .sqlite ? nil : counted))
                return store.hasRecorded(CustomerEvidence(receipts: [receipt]), in: generation ?? counted)
            }
            #expect(try await !isKnown())
            try await store.record(receipt)
            #expect(try await isKnown())
            try await other.record(StoreFixtures.receipt(["2"]), account: "ann")
            #expect(try await isKnown())
            #expect(try await other.forget("ann") == 1)
            #expect(try await !isKnown())
            try await store.record(receipt)
            #expect(try await isKnown())
            try await store.close()
            try await other.close()
        }
    }

    @Test("Descriptions don't name a customer", arguments: StoreEngine.allCases)
    func texts(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["7000"])
            try await store.record(receipt, account: "somebody")
            let recorded = try await store.record(receipt, account: "else")
            #expect(!"\(recorded) \(recorded.replays)".contains("7000"))
        }
    }

    @Test(
        "Renewal information with an unverified app is stored only for originals that are known in that app",
        arguments: StoreEngine.allCases)
    func renewalsOfKnownOriginals(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let renewal = try StoreFixtures.renewal("7")
            #expect(try await !store.record(renewal, app: .claimed("com.example.app")).isNew)
            #expect(try await store.statistics().renewals == 0)
            try await store.record(StoreFixtures.receipt(["7"]))
            #expect(try await !store.record(renewal, app: .claimed("com.example.other")).isNew)
            #expect(try await store.record(renewal, app: .claimed("com.example.app")).isNew)
            #expect(try await store.known(["7"]).renewals.count == 1)
        }
    }

    @Test("Two hundred concurrent writes all succeed and are stored", arguments: StoreEngine.allCases)
    func concurrency(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let transactions = try (1...200).map { try StoreFixtures.transaction(StoreFixtures.period("\($0)")) }
            let new = try await withThrowingTaskGroup { group in
                for transaction in transactions {
                    group.addTask { try await store.record(transaction, account: "ann").isNew }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(new == 200)
            #expect(Set(try await store.known(["1"]).transactions) == Set(transactions))
            #expect(try await store.statistics().pendingWrites == 0)
        }
    }

    @Test("Of two hundred concurrent writes of the same data, one is reported as new", arguments: StoreEngine.allCases)
    func sameAtOnce(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let notification = try StoreFixtures.notification(1, StoreFixtures.period("2"))
            let new = try await withThrowingTaskGroup { group in
                for _ in 0..<200 { group.addTask { try await store.record(notification).isNew } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(new == 1)
        }
    }

    @Test("A batch is recorded as a whole, and what is new in it is counted", arguments: StoreEngine.allCases)
    func batch(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let transaction = try StoreFixtures.transaction(StoreFixtures.period("2"))
            try await store.record(transaction)
            let evidence = try CustomerEvidence(
                receipts: [StoreFixtures.receipt(["1"])],
                transactions: [transaction, StoreFixtures.transaction(StoreFixtures.period("3"))],
                renewals: [StoreFixtures.renewal()], notifications: [StoreFixtures.notification(1, nil)])
            for expected in [4, 0] {
                let result = try await store.record(
                    evidence, account: "ann", app: .trusted("com.example.app"), from: .client)
                #expect(result.isStored && result.newCount == expected && result.replays.isEmpty)
            }
            #expect(try await store.known(["1"]).transactions.count == 2)
            let replays = try await store.record(evidence, account: "ben", app: nil, from: .client).replays
            #expect(replays.map(\.transactionIdentifier) == [nil, "2", "3"])
            #expect(try await store.record(CustomerEvidence(), account: "ann", app: nil, from: .client) == .notStored)
            // Without an app, the renewal information isn't stored, so the batch isn't either as a whole.
            #expect(try await !store.record(evidence, account: nil, app: nil, from: .client).isStored)
        }
    }
}
#endif
