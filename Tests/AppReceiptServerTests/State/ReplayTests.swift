#if Server
@testable import AppReceiptServer
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("Replays")
struct ReplayTests {
    private func transaction(_ identifier: String, of line: String = "1", token: UUID? = nil) throws
        -> VerifiedTransaction
    {
        try Proven.transaction(Proven.period(identifier, of: line, token: token))
    }

    private func replay(_ line: String, _ transaction: String?) -> [Recorded.Replay] {
        [Recorded.Replay(originalTransactionIdentifier: line, transactionIdentifier: transaction)]
    }

    @Test("a line belongs to the first account, renewals too, and stays with it", arguments: StoreKind.allCases)
    func firstAccount(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            #expect(try await store.record(transaction("1"), account: "ann").replays.isEmpty)
            let renewal = try transaction("2")
            for _ in 0..<2 {
                #expect(try await store.record(renewal, account: "ben").replays == replay("1", "2"))
            }
            #expect(try await store.record(Proven.receipt(["1", "8"]), account: "ben").replays == replay("1", nil))
            #expect(try await store.record(transaction("3"), account: "ann").replays.isEmpty)
            // A replay is recorded as anything else.
            #expect(try await store.known(["1"]).transactions.count == 3)
        }
    }

    @Test("things bought once are lines of their own")
    func consumables() async throws {
        try await withStore { store async throws in
            #expect(try await store.record(Proven.receipt(["1", "2"]), account: "ann").replays.isEmpty)
            #expect(try await store.record(Proven.receipt(["3"]), account: "ben").replays.isEmpty)
            let all = try Proven.receipt(["1", "2", "3"])
            #expect(try await store.record(all, account: "ben").replays == replay("1", nil) + replay("2", nil))
            #expect(try await store.record(all, account: "ann").replays == replay("3", nil))
        }
    }

    @Test("the same number in another environment or app is another line")
    func places() async throws {
        try await withStore { store async throws in
            #expect(try await store.record(Proven.receipt(["1"]), account: "ann").replays.isEmpty)
            let production = try Proven.receipt(["1"]) { $0.environment = .production }
            #expect(try await store.record(production, account: "ben").replays.isEmpty)
            let other = try Proven.receipt(["1"]) { $0.bundleIdentifier = "com.example.other" }
            #expect(try await store.record(other, account: "ben").replays.isEmpty)
        }
    }

    @Test("without an account nothing is bound and nothing is a replay")
    func nobody() async throws {
        try await withStore { store async throws in
            for account in [nil, ""] {
                #expect(try await store.record(transaction("1"), account: account).replays.isEmpty)
                #expect(try await store.record(Proven.receipt(["1"]), account: account).replays.isEmpty)
            }
            #expect(try await store.statistics().owners == 0)
            #expect(try await store.record(Proven.receipt(["1"]), account: "ann").replays.isEmpty)
            #expect(try await store.record(Proven.receipt(["1"]), account: nil).replays.isEmpty)
        }
    }

    @Test("a UUID is the same in upper and lower case, another name is not")
    func cases() async throws {
        try await withStore { store async throws in
            let receipt = try Proven.receipt(["1"])
            #expect(try await store.record(receipt, account: Proven.alice.uuidString).replays.isEmpty)
            #expect(try await store.record(receipt, account: Proven.alice.uuidString.lowercased()).replays.isEmpty)
            let other = try Proven.receipt(["2"])
            #expect(try await store.record(other, account: "ann").replays.isEmpty)
            #expect(try await store.record(other, account: "Ann").replays == replay("2", nil))
        }
    }

    @Test("what only looks like a UUID is a name of its own, and none of its digits are passed over")
    func almostUUIDs() async throws {
        let account = "01111111-0222-4333-8444-055555555555"
        let others = [
            "+1111111-0222-4333-8444-055555555555", "01111111-+222-4333-8444-055555555555",
            "01111111-0222-4333-8444-+55555555555", "-1111111-0222-4333-8444-055555555555",
            " 1111111-0222-4333-8444-055555555555", "01111111-0222-4333-8444-05555555555",
            "{01111111-0222-4333-8444-055555555555}", "01111111-0222-4333-8444-055555555555x",
        ]
        try await withStore { store async throws in
            let receipt = try Proven.receipt(["1"])
            #expect(try await store.record(receipt, account: account).replays.isEmpty)
            for other in others {
                #expect(try await store.record(receipt, account: other).replays == replay("1", nil), "\(other)")
            }
            #expect(try await store.record(receipt, account: account).replays.isEmpty)
        }
    }

    @Test("a transaction made for another account is a replay, and does not make its presenter the first account")
    func tokenOfAnother() async throws {
        try await withStore { store async throws in
            let hers = try transaction("1", token: Proven.alice)
            #expect(try await store.record(hers, account: Proven.bob.uuidString).replays == replay("1", "1"))
            #expect(try await store.record(hers, account: Proven.alice.uuidString).replays.isEmpty)
            #expect(try await store.record(Proven.receipt(["1"]), account: Proven.bob.uuidString).replays.count == 1)
            #expect(try await store.record(Proven.receipt(["1"]), account: Proven.alice.uuidString).replays.isEmpty)
        }
    }

    @Test("it is one also where its presenter came first with the line, which then is the named account's")
    func tokenInOwnLine() async throws {
        try await withStore { store async throws in
            #expect(try await store.record(transaction("1"), account: Proven.bob.uuidString).replays.isEmpty)
            let hers = try transaction("2", token: Proven.alice)
            #expect(try await store.record(hers, account: Proven.bob.uuidString).replays == replay("1", "2"))
            // Who came first may be a thief: what Apple signed counts more.
            #expect(
                try await store.record(transaction("3"), account: Proven.bob.uuidString).replays == replay("1", "3"))
            #expect(
                try await store.record(transaction("1"), account: Proven.bob.uuidString).replays == replay("1", "1"))
            #expect(try await store.record(Proven.receipt(["1"]), account: Proven.alice.uuidString).replays.isEmpty)
        }
    }

    @Test(
        "a thief who came first is told from the owner once the owner presents what names her",
        arguments: [false, true])
    func thiefFirst(reopened: Bool) async throws {
        try await withDatabasePath { path async throws in
            let stolen = try Proven.receipt(["1"])
            let (thief, owner) = (Proven.bob.uuidString, Proven.alice.uuidString)
            var store = try TransactionStore(testing: path)
            for _ in 0..<2 { #expect(try await store.record(stolen, account: thief).replays.isEmpty) }
            // Nothing is known that could tell them apart.
            #expect(try await store.record(stolen, account: owner).replays == replay("1", nil))
            #expect(try await store.record(transaction("1", token: Proven.alice), account: owner).replays.isEmpty)
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

    @Test("what names the owner counts also if another process on the same database received it")
    func otherProcess() async throws {
        try await withDatabasePath { path async throws in
            let stores = try [TransactionStore(testing: path), TransactionStore(testing: path)]
            let stolen = try Proven.receipt(["1"])
            #expect(try await stores[0].record(stolen, account: Proven.bob.uuidString).replays.isEmpty)
            try await stores[1].record(Proven.notification(1, Proven.period("1", token: Proven.alice)))
            #expect(try await stores[0].record(stolen, account: Proven.bob.uuidString).replays == replay("1", nil))
            for store in stores { try await store.close() }
        }
    }

    @Test("the first token of a line stays, and a transaction that names its presenter is no replay")
    func secondToken() async throws {
        try await withStore { store async throws in
            try await store.record(Proven.notification(1, Proven.period("1", token: Proven.alice)))
            let his = try transaction("2", token: Proven.bob)
            #expect(try await store.record(his, account: Proven.bob.uuidString).replays.isEmpty)
            #expect(try await store.record(his, account: Proven.alice.uuidString).replays == replay("1", "2"))
            #expect(try await store.record(Proven.receipt(["1"]), account: Proven.alice.uuidString).replays.isEmpty)
            #expect(try await store.record(Proven.receipt(["1"]), account: Proven.bob.uuidString).replays.count == 1)
        }
    }

    @Test("a name that is no UUID stays the first account, whatever token comes later")
    func otherNames() async throws {
        try await withStore { store async throws in
            let receipt = try Proven.receipt(["1"])
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
            try await store.record(Proven.notification(1, Proven.period("1", token: Proven.alice)))
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
            #expect(try await store.record(receipt, account: "ben").replays == replay("1", nil))
            #expect(try await store.record(receipt, account: Proven.alice.uuidString).replays.isEmpty)
            #expect(try await store.record(receipt, account: Proven.bob.uuidString).replays == replay("1", nil))
        }
    }

    @Test("what a notification names is the first account, for accounts that are UUIDs")
    func notification() async throws {
        try await withStore { store async throws in
            let notification = try Proven.notification(1, Proven.period("1", token: Proven.alice))
            #expect(try await store.record(notification).replays.isEmpty)
            let receipt = try Proven.receipt(["1"])
            #expect(try await store.record(receipt, account: Proven.bob.uuidString).replays == replay("1", nil))
            #expect(try await store.record(receipt, account: Proven.alice.uuidString).replays.isEmpty)
        }
    }

    @Test(
        "accounts that are no UUIDs cannot be compared with what a notification names: the first of them owns the line")
    func incomparable() async throws {
        try await withStore { store async throws in
            try await store.record(Proven.notification(1, Proven.period("1", token: Proven.alice)))
            let receipt = try Proven.receipt(["1"])
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
            #expect(try await store.record(receipt, account: "ben").replays == replay("1", nil))
            #expect(try await store.record(receipt, account: Proven.alice.uuidString).replays.isEmpty)
            #expect(try await store.record(receipt, account: Proven.bob.uuidString).replays.count == 1)
            #expect(try await store.record(receipt, account: "ann").replays.isEmpty)
        }
    }

    @Test("a notification that comes after the first account says whose the line is, also to who was told otherwise")
    func laterNotification() async throws {
        try await withStore { store async throws in
            let receipt = try Proven.receipt(["1"])
            #expect(try await store.record(receipt, account: Proven.bob.uuidString).replays.isEmpty)
            try await store.record(Proven.notification(1, Proven.period("1", token: Proven.alice)))
            #expect(try await store.record(receipt, account: Proven.bob.uuidString).replays == replay("1", nil))
            let again = try Proven.receipt(["1"], made: "2024-09-01T00:00:00Z")
            #expect(try await store.record(again, account: Proven.bob.uuidString).replays == replay("1", nil))
            #expect(try await store.record(again, account: Proven.alice.uuidString).replays.isEmpty)
        }
    }

    @Test("no account stands in the database in clear")
    func hidden() async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            try await store.record(Proven.receipt(["1"]), account: "ann@example.com")
            try await store.record(Proven.receipt(["2"]), account: Proven.alice.uuidString)
            try await store.close()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for name in ["ann@example.com", Proven.alice.uuidString, Proven.alice.uuidString.lowercased()] {
                #expect(bytes.range(of: Data(name.utf8)) == nil)
            }
        }
    }
}
#endif
