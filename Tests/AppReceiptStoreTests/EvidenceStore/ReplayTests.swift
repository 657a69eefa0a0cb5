#if Server
import AppReceiptStore
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import Testing
import VerifyReceipt

@Suite("Replays")
struct ReplayTests {
    private func transaction(_ identifier: String, of original: String = "1", token: UUID? = nil) throws
        -> VerifiedTransaction
    {
        try StoreFixtures.transaction(StoreFixtures.period(identifier, of: original, token: token))
    }

    private func replay(_ original: String, _ transaction: String?) -> [RecordResult.Replay] {
        [RecordResult.Replay(originalTransactionIdentifier: original, transactionIdentifier: transaction)]
    }

    @Test(
        "A purchase belongs to the first account that submits it, with its renewals, and stays with it",
        arguments: StoreEngine.allCases)
    func firstAccount(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.record(transaction("1"), account: "ann").replays.isEmpty)
            let renewal = try transaction("2")
            for _ in 0..<2 {
                #expect(try await store.record(renewal, account: "ben").replays == replay("1", "2"))
            }
            #expect(
                try await store.record(StoreFixtures.receipt(["1", "8"]), account: "ben").replays == replay("1", nil))
            #expect(try await store.record(transaction("3"), account: "ann").replays.isEmpty)
            // Replays are recorded too.
            #expect(try await store.known(["1"]).transactions.count == 3)
        }
    }

    @Test("Each one-time purchase has its own owner", arguments: StoreEngine.allCases)
    func consumables(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.record(StoreFixtures.receipt(["1", "2"]), account: "ann").replays.isEmpty)
            #expect(try await store.record(StoreFixtures.receipt(["3"]), account: "ben").replays.isEmpty)
            let all = try StoreFixtures.receipt(["1", "2", "3"])
            #expect(try await store.record(all, account: "ben").replays == replay("1", nil) + replay("2", nil))
            #expect(try await store.record(all, account: "ann").replays == replay("3", nil))
        }
    }

    @Test("The same identifier in another environment or app is another purchase", arguments: StoreEngine.allCases)
    func scopes(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.isEmpty)
            let production = try StoreFixtures.receipt(["1"]) { $0.environment = .production }
            #expect(try await store.record(production, account: "ben").replays.isEmpty)
            let other = try StoreFixtures.receipt(["1"]) { $0.bundleIdentifier = "com.example.other" }
            #expect(try await store.record(other, account: "ben").replays.isEmpty)
        }
    }

    @Test("Without an account nothing is bound, and nothing is a replay", arguments: StoreEngine.allCases)
    func nobody(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            for account in [nil, ""] {
                #expect(try await store.record(transaction("1"), account: account).replays.isEmpty)
                #expect(try await store.record(StoreFixtures.receipt(["1"]), account: account).replays.isEmpty)
            }
            #expect(try await store.statistics().accountBindings == 0)
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.isEmpty)
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: nil).replays.isEmpty)
        }
    }

    @Test("UUIDs are compared without regard to case, and other names exactly", arguments: StoreEngine.allCases)
    func cases(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty)
            #expect(
                try await store.record(receipt, account: StoreFixtures.alice.uuidString.lowercased()).replays.isEmpty)
            let other = try StoreFixtures.receipt(["2"])
            #expect(try await store.record(other, account: "ann").replays.isEmpty)
            #expect(try await store.record(other, account: "Ann").replays == replay("2", nil))
        }
    }

    @Test("A name that only resembles a UUID isn't one", arguments: StoreEngine.allCases)
    func almostUUIDs(_ engine: StoreEngine) async throws {
        let account = "01111111-0222-4333-8444-055555555555"
        let others = [
            "+1111111-0222-4333-8444-055555555555", "01111111-+222-4333-8444-055555555555",
            "01111111-0222-4333-8444-+55555555555", "-1111111-0222-4333-8444-055555555555",
            " 1111111-0222-4333-8444-055555555555", "01111111-0222-4333-8444-05555555555",
            "{01111111-0222-4333-8444-055555555555}", "01111111-0222-4333-8444-055555555555x",
        ]
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: account).replays.isEmpty)
            for other in others {
                #expect(try await store.record(receipt, account: other).replays == replay("1", nil), "\(other)")
            }
            #expect(try await store.record(receipt, account: account).replays.isEmpty)
        }
    }

    @Test(
        "A transaction with another account's appAccountToken is a replay, and isn't bound to the submitter",
        arguments: StoreEngine.allCases)
    func tokenOfAnother(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let hers = try transaction("1", token: StoreFixtures.alice)
            #expect(try await store.record(hers, account: StoreFixtures.bob.uuidString).replays == replay("1", "1"))
            #expect(try await store.record(hers, account: StoreFixtures.alice.uuidString).replays.isEmpty)
            #expect(
                try await store.record(StoreFixtures.receipt(["1"]), account: StoreFixtures.bob.uuidString).replays
                    .count == 1)
            #expect(
                try await store.record(StoreFixtures.receipt(["1"]), account: StoreFixtures.alice.uuidString).replays
                    .isEmpty)
        }
    }

    @Test(
        "An appAccountToken takes precedence over the first account", arguments: StoreEngine.allCases)
    func tokenOfOwnPurchase(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.record(transaction("1"), account: StoreFixtures.bob.uuidString).replays.isEmpty)
            let hers = try transaction("2", token: StoreFixtures.alice)
            #expect(try await store.record(hers, account: StoreFixtures.bob.uuidString).replays == replay("1", "2"))
            // The first account may be a thief's, so the signed token takes precedence.
            #expect(
                try await store.record(transaction("3"), account: StoreFixtures.bob.uuidString).replays
                    == replay("1", "3"))
            #expect(
                try await store.record(transaction("1"), account: StoreFixtures.bob.uuidString).replays
                    == replay("1", "1"))
            #expect(
                try await store.record(StoreFixtures.receipt(["1"]), account: StoreFixtures.alice.uuidString).replays
                    .isEmpty)
        }
    }

    @Test(
        "A thief's account loses the purchase once the owner submits a transaction with her appAccountToken",
        arguments: StoreEngine.persistent, [false, true])
    func thiefFirst(_ engine: StoreEngine, reopened: Bool) async throws {
        try await engine.withDatabase { database async throws in
            let stolen = try StoreFixtures.receipt(["1"])
            let (thief, owner) = (StoreFixtures.bob.uuidString, StoreFixtures.alice.uuidString)
            var store = try database.open()
            for _ in 0..<2 { #expect(try await store.record(stolen, account: thief).replays.isEmpty) }
            // Nothing distinguishes the accounts yet.
            #expect(try await store.record(stolen, account: owner).replays == replay("1", nil))
            #expect(
                try await store.record(transaction("1", token: StoreFixtures.alice), account: owner).replays.isEmpty)
            if reopened {
                try await store.close()
                store = try database.open()
            }
            for _ in 0..<2 {
                #expect(try await store.record(stolen, account: owner).replays.isEmpty)
                #expect(try await store.record(stolen, account: thief).replays == replay("1", nil))
            }
            try await store.close()
        }
    }

    @Test("An appAccountToken that another process received takes effect", arguments: StoreEngine.persistent)
    func otherProcess(_ engine: StoreEngine) async throws {
        try await engine.withDatabase { database async throws in
            let stores = try [database.open(), database.open()]
            let stolen = try StoreFixtures.receipt(["1"])
            #expect(try await stores[0].record(stolen, account: StoreFixtures.bob.uuidString).replays.isEmpty)
            try await stores[1].record(
                StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice)))
            #expect(
                try await stores[0].record(stolen, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
            for store in stores { try await store.close() }
        }
    }

    /// A transaction that names an account, signed on this day of July.
    private func transaction(_ identifier: String, day: Int, token: UUID?) throws -> VerifiedTransaction {
        try StoreFixtures.transaction(
            StoreFixtures.period(identifier, signed: "2024-07-\(10 + day)T00:00:00Z", token: token))
    }

    @Test(
        "The newest signed appAccountToken determines the owner, in any order of arrival",
        arguments: StoreEngine.allCases, [false, true])
    func newestToken(_ engine: StoreEngine, byNotification: Bool) async throws {
        let (alice, bob) = (StoreFixtures.alice, StoreFixtures.bob)
        let signed: [(identifier: String, day: Int, token: UUID?)] = [
            ("1", 1, alice), ("2", 2, alice), ("1", 3, bob), ("3", 4, nil),
        ]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [2, 3, 0, 1], [1, 2, 0, 3], [0, 2, 1, 3]] {
            try await engine.withStore { store async throws in
                for index in order {
                    let (identifier, day, token) = signed[index]
                    if byNotification {
                        let period = StoreFixtures.period(
                            identifier, signed: "2024-07-\(10 + day)T00:00:00Z", token: token)
                        try await store.record(StoreFixtures.notification(day, period))
                    } else {
                        try await store.record(transaction(identifier, day: day, token: token))
                    }
                }
                let receipt = try StoreFixtures.receipt(["1"])
                #expect(try await store.record(receipt, account: bob.uuidString).replays.isEmpty)
                #expect(try await store.record(receipt, account: alice.uuidString).replays == replay("1", nil))
                #expect(
                    try await store.record(transaction("1", day: 1, token: alice), account: alice.uuidString).replays
                        == replay("1", "1"))
            }
        }
    }

    @Test(
        "The first account loses the purchase to a newer appAccountToken, and regains it with an even newer one",
        arguments: StoreEngine.allCases)
    func changingOwners(_ engine: StoreEngine) async throws {
        let (alice, bob) = (StoreFixtures.alice, StoreFixtures.bob)
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: alice.uuidString).replays.isEmpty)
            try await store.record(transaction("1", day: 2, token: bob))
            #expect(try await store.record(receipt, account: alice.uuidString).replays == replay("1", nil))
            // Signed earlier, so it changes nothing.
            try await store.record(transaction("2", day: 1, token: alice))
            #expect(try await store.record(receipt, account: alice.uuidString).replays == replay("1", nil))
            try await store.record(transaction("3", day: 3, token: alice))
            #expect(try await store.record(receipt, account: alice.uuidString).replays.isEmpty)
            #expect(try await store.record(receipt, account: bob.uuidString).replays == replay("1", nil))
        }
    }

    @Test("The appAccountToken of renewal information determines the owner too", arguments: StoreEngine.allCases)
    func tokenOfRenewal(_ engine: StoreEngine) async throws {
        let (alice, bob) = (StoreFixtures.alice, StoreFixtures.bob)
        let renewal = try StoreFixtures.renewal(signed: "2024-07-15T00:00:00Z", token: bob)
        let transaction = try transaction("1", day: 4, token: alice)
        for isRenewalFirst in [false, true] {
            try await engine.withStore { store async throws in
                if isRenewalFirst { try await store.record(renewal) }
                try await store.record(transaction)
                if !isRenewalFirst { try await store.record(renewal) }
                let receipt = try StoreFixtures.receipt(["1"])
                #expect(try await store.record(receipt, account: bob.uuidString).replays.isEmpty)
                #expect(try await store.record(receipt, account: alice.uuidString).replays == replay("1", nil))
            }
        }
    }

    @Test(
        "Of appAccountTokens with the same date, the same one takes effect in any order of arrival",
        arguments: StoreEngine.persistent)
    func tokensOfTheSameDate(_ engine: StoreEngine) async throws {
        try await engine.withDatabase { database async throws in
            // One database, because the order depends on its key.
            let store = try database.open()
            var owners: Set<[Bool]> = []
            for (line, tokens) in [
                ("1", [StoreFixtures.alice, StoreFixtures.bob]), ("2", [StoreFixtures.bob, StoreFixtures.alice]),
            ] {
                for (index, token) in tokens.enumerated() {
                    try await store.record(
                        StoreFixtures.transaction(StoreFixtures.period("\(line)\(index)", of: line, token: token)))
                }
                let receipt = try StoreFixtures.receipt([line])
                owners.insert([
                    try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty,
                    try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays.isEmpty,
                ])
            }
            #expect(owners == [[true, false]] || owners == [[false, true]])
            try await store.close()
        }
    }

    @Test("A transaction receipt binds its purchase to the account, and isn't stored", arguments: StoreEngine.allCases)
    func transactionReceipts(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.transactionReceipt("1")
            #expect(try await store.record(receipt) == .notStored)
            #expect(try await store.statistics().accountBindings == 0)
            for _ in 0..<2 {
                #expect(try await store.record(receipt, account: "ann") == .notStored)
                #expect(try await store.record(receipt, account: "ben").replays == replay("1", nil))
            }
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ben").replays == replay("1", nil))
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.isEmpty)
            #expect(try await store.statistics().receipts == 1)
            try await store.record(transaction("1", day: 1, token: StoreFixtures.alice))
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
            #expect(try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty)
            let production = try StoreFixtures.transactionReceipt("1", .production)
            #expect(try await store.record(production, account: "ben").replays.isEmpty)
        }
    }

    @Test("The appAccountToken of a notification determines the owner", arguments: StoreEngine.allCases)
    func notification(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let notification = try StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice))
            #expect(try await store.record(notification).replays.isEmpty)
            let receipt = try StoreFixtures.receipt(["1"])
            for other in ["ann", StoreFixtures.bob.uuidString] {
                #expect(try await store.record(receipt, account: other).replays == replay("1", nil))
            }
            #expect(try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty)
        }
    }

    @Test(
        "A notification determines the owner even after the first account submitted the purchase",
        arguments: StoreEngine.allCases)
    func laterNotification(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays.isEmpty)
            try await store.record(StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice)))
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
            let again = try StoreFixtures.receipt(["1"], made: "2024-09-01T00:00:00Z")
            #expect(try await store.record(again, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
            #expect(try await store.record(again, account: StoreFixtures.alice.uuidString).replays.isEmpty)
        }
    }
}
#endif
