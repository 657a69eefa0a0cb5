#if Server
@testable import AppReceiptServer
import AppReceiptTesting
import AppStoreSignedData
import Foundation
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
        arguments: StoreKind.allCases)
    func firstAccount(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
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

    private static func hasRecorded(
        _ receipt: VerifiedReceipt, account: String?, in store: TransactionStore
    ) throws -> Bool {
        try store.hasRecorded(ContentDigest.sha256(of: receipt), for: store.accounts.account(account))
    }

    @Test(
        "A receipt is known to be recorded for the accounts that submitted it, unless they are UUIDs or it was a replay"
    )
    func knownToBeRecorded() async throws {
        try await withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try !Self.hasRecorded(receipt, account: "ann", in: store))
            for account in ["ann", "ben", UUID().uuidString] { try await store.record(receipt, account: account) }
            #expect(try Self.hasRecorded(receipt, account: "ann", in: store))
            #expect(try !Self.hasRecorded(receipt, account: "ben", in: store))
            #expect(try !Self.hasRecorded(receipt, account: nil, in: store))
            let token = UUID().uuidString
            let other = try StoreFixtures.receipt(["2"])
            #expect(try await store.record(other, account: token).replays.isEmpty)
            #expect(try !Self.hasRecorded(other, account: token, in: store))
            let empty = try StoreFixtures.receipt([])
            #expect(try await !store.record(empty, account: "ann").isStored)
            #expect(try !Self.hasRecorded(empty, account: "ann", in: store))
            let anonymous = try StoreFixtures.receipt(["3"])
            try await store.record(anonymous)
            #expect(try Self.hasRecorded(anonymous, account: nil, in: store))
        }
    }

    @Test("Each one-time purchase has its own owner")
    func consumables() async throws {
        try await withStore { store async throws in
            #expect(try await store.record(StoreFixtures.receipt(["1", "2"]), account: "ann").replays.isEmpty)
            #expect(try await store.record(StoreFixtures.receipt(["3"]), account: "ben").replays.isEmpty)
            let all = try StoreFixtures.receipt(["1", "2", "3"])
            #expect(try await store.record(all, account: "ben").replays == replay("1", nil) + replay("2", nil))
            #expect(try await store.record(all, account: "ann").replays == replay("3", nil))
        }
    }

    @Test("The same identifier in another environment or app is another purchase")
    func scopes() async throws {
        try await withStore { store async throws in
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.isEmpty)
            let production = try StoreFixtures.receipt(["1"]) { $0.environment = .production }
            #expect(try await store.record(production, account: "ben").replays.isEmpty)
            let other = try StoreFixtures.receipt(["1"]) { $0.bundleIdentifier = "com.example.other" }
            #expect(try await store.record(other, account: "ben").replays.isEmpty)
        }
    }

    @Test("Without an account nothing is bound, and nothing is a replay")
    func nobody() async throws {
        try await withStore { store async throws in
            for account in [nil, ""] {
                #expect(try await store.record(transaction("1"), account: account).replays.isEmpty)
                #expect(try await store.record(StoreFixtures.receipt(["1"]), account: account).replays.isEmpty)
            }
            #expect(try await store.statistics().accountBindings == 0)
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.isEmpty)
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: nil).replays.isEmpty)
        }
    }

    @Test("UUIDs are compared without regard to case, and other names exactly")
    func cases() async throws {
        try await withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty)
            #expect(
                try await store.record(receipt, account: StoreFixtures.alice.uuidString.lowercased()).replays.isEmpty)
            let other = try StoreFixtures.receipt(["2"])
            #expect(try await store.record(other, account: "ann").replays.isEmpty)
            #expect(try await store.record(other, account: "Ann").replays == replay("2", nil))
        }
    }

    @Test("A name that only resembles a UUID isn't one")
    func almostUUIDs() async throws {
        let account = "01111111-0222-4333-8444-055555555555"
        let others = [
            "+1111111-0222-4333-8444-055555555555", "01111111-+222-4333-8444-055555555555",
            "01111111-0222-4333-8444-+55555555555", "-1111111-0222-4333-8444-055555555555",
            " 1111111-0222-4333-8444-055555555555", "01111111-0222-4333-8444-05555555555",
            "{01111111-0222-4333-8444-055555555555}", "01111111-0222-4333-8444-055555555555x",
        ]
        try await withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: account).replays.isEmpty)
            for other in others {
                #expect(try await store.record(receipt, account: other).replays == replay("1", nil), "\(other)")
            }
            #expect(try await store.record(receipt, account: account).replays.isEmpty)
        }
    }

    @Test(
        "A transaction with another account's appAccountToken is a replay, and isn't bound to the submitter"
    )
    func tokenOfAnother() async throws {
        try await withStore { store async throws in
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
        "An appAccountToken takes precedence over the first account"
    )
    func tokenOfOwnPurchase() async throws {
        try await withStore { store async throws in
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
        arguments: [false, true])
    func thiefFirst(reopened: Bool) async throws {
        try await withDatabasePath { path async throws in
            let stolen = try StoreFixtures.receipt(["1"])
            let (thief, owner) = (StoreFixtures.bob.uuidString, StoreFixtures.alice.uuidString)
            var store = try TransactionStore(testing: path)
            for _ in 0..<2 { #expect(try await store.record(stolen, account: thief).replays.isEmpty) }
            // Nothing distinguishes the accounts yet.
            #expect(try await store.record(stolen, account: owner).replays == replay("1", nil))
            #expect(
                try await store.record(transaction("1", token: StoreFixtures.alice), account: owner).replays.isEmpty)
            if reopened {
                try await store.close()
                store = try TransactionStore(testing: path)
            }
            for _ in 0..<2 {
                #expect(try await store.record(stolen, account: owner).replays.isEmpty)
                #expect(try await store.record(stolen, account: thief).replays == replay("1", nil))
            }
            try await store.close()
        }
    }

    @Test("An appAccountToken that another process received takes effect")
    func otherProcess() async throws {
        try await withDatabasePath { path async throws in
            let stores = try [TransactionStore(testing: path), TransactionStore(testing: path)]
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
        arguments: [false, true])
    func newestToken(byNotification: Bool) async throws {
        let (alice, bob) = (StoreFixtures.alice, StoreFixtures.bob)
        let signed: [(identifier: String, day: Int, token: UUID?)] = [
            ("1", 1, alice), ("2", 2, alice), ("1", 3, bob), ("3", 4, nil),
        ]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [2, 3, 0, 1], [1, 2, 0, 3], [0, 2, 1, 3]] {
            try await withStore { store async throws in
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
        "The first account loses the purchase to a newer appAccountToken, and regains it with an even newer one"
    )
    func changingOwners() async throws {
        let (alice, bob) = (StoreFixtures.alice, StoreFixtures.bob)
        try await withStore { store async throws in
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

    @Test("The appAccountToken of renewal information determines the owner too")
    func tokenOfRenewal() async throws {
        let (alice, bob) = (StoreFixtures.alice, StoreFixtures.bob)
        let renewal = try StoreFixtures.renewal(signed: "2024-07-15T00:00:00Z", token: bob)
        let transaction = try transaction("1", day: 4, token: alice)
        for isRenewalFirst in [false, true] {
            try await withStore { store async throws in
                if isRenewalFirst { try await store.record(renewal, app: "com.example.app") }
                try await store.record(transaction)
                if !isRenewalFirst { try await store.record(renewal, app: "com.example.app") }
                let receipt = try StoreFixtures.receipt(["1"])
                #expect(try await store.record(receipt, account: bob.uuidString).replays.isEmpty)
                #expect(try await store.record(receipt, account: alice.uuidString).replays == replay("1", nil))
            }
        }
    }

    @Test("Of appAccountTokens with the same date, the same one takes effect in any order of arrival")
    func tokensOfTheSameDate() async throws {
        try await withDatabasePath { path async throws in
            // One database, because the order depends on its key.
            let store = try TransactionStore(testing: path)
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

    @Test("A transaction receipt binds its purchase to the account, and isn't stored")
    func transactionReceipts() async throws {
        try await withStore { store async throws in
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

    @Test("An account that isn't a UUID stays bound if an appAccountToken arrives later")
    func otherNames() async throws {
        try await withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
            try await store.record(StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice)))
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
            #expect(try await store.record(receipt, account: "ben").replays == replay("1", nil))
            #expect(try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty)
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
        }
    }

    @Test("Among UUIDs, the appAccountToken of a notification determines the owner")
    func notification() async throws {
        try await withStore { store async throws in
            let notification = try StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice))
            #expect(try await store.record(notification).replays.isEmpty)
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
            #expect(try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty)
        }
    }

    @Test(
        "Among accounts that aren't UUIDs, the first one owns the purchase, independent of the notification's appAccountToken"
    )
    func incomparable() async throws {
        try await withStore { store async throws in
            try await store.record(StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice)))
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
            #expect(try await store.record(receipt, account: "ben").replays == replay("1", nil))
            #expect(try await store.record(receipt, account: StoreFixtures.alice.uuidString).replays.isEmpty)
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays.count == 1)
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
        }
    }

    @Test("A notification determines the owner even after the first account submitted the purchase")
    func laterNotification() async throws {
        try await withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays.isEmpty)
            try await store.record(StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice)))
            #expect(try await store.record(receipt, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
            let again = try StoreFixtures.receipt(["1"], made: "2024-09-01T00:00:00Z")
            #expect(try await store.record(again, account: StoreFixtures.bob.uuidString).replays == replay("1", nil))
            #expect(try await store.record(again, account: StoreFixtures.alice.uuidString).replays.isEmpty)
        }
    }

    @Test("The database contains no account in plain text")
    func hidden() async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann@example.com")
            try await store.record(StoreFixtures.receipt(["2"]), account: StoreFixtures.alice.uuidString)
            try await store.close()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for name in [
                "ann@example.com", StoreFixtures.alice.uuidString, StoreFixtures.alice.uuidString.lowercased(),
            ] {
                #expect(bytes.range(of: Data(name.utf8)) == nil)
            }
        }
    }
}
#endif
