#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@Suite("Accounts of purchases")
struct AccountTests {
    private static func original(_ identifier: String) throws -> ScopedOriginal {
        ScopedOriginal(
            scope: try #require(AppScope(app: "com.example.app", .sandbox)), originalTransactionIdentifier: identifier)
    }

    @Test(
        "An account has what it submitted first, and no account has what nobody submitted",
        arguments: StoreEngine.allCases)
    func submitted(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            try await store.record(StoreFixtures.receipt(["1", "2"]), account: "ben")
            try await store.record(StoreFixtures.receipt(["3"]))
            #expect(try await store.purchases(of: "ann") == [Self.original("1")])
            #expect(try await store.purchases(of: "ben") == [Self.original("2")])
            #expect(try await store.account(of: Self.original("1")) == "ann")
            let purchases = try ["1", "2", "3", "4"].map { try Self.original($0) }
            #expect(try await store.accounts(of: purchases) == [purchases[0]: "ann", purchases[1]: "ben"])
            #expect(try await store.purchases(of: "") == [])
        }
    }

    @Test("The newest signed appAccountToken owns a purchase, in every order", arguments: StoreEngine.allCases)
    func signed(engine: StoreEngine) async throws {
        let (alice, bob) = (StoreFixtures.alice.uuidString.lowercased(), StoreFixtures.bob.uuidString.lowercased())
        let tokens = [
            try StoreFixtures.transaction(StoreFixtures.period("2", token: StoreFixtures.alice)),
            try StoreFixtures.transaction(
                StoreFixtures.period("3", signed: "2024-12-02T00:00:00Z", token: StoreFixtures.bob)),
        ]
        for order in [tokens, tokens.reversed()] {
            try await engine.withStore { store async throws in
                for token in order { try await store.record(token, account: alice) }
                #expect(try await store.account(of: Self.original("1")) == bob)
                #expect(try await store.purchases(of: alice) == [])
                #expect(try await store.purchases(of: bob.uppercased()) == [Self.original("1")])
            }
        }
    }

    @Test(
        "A purchase with a signed owner is of no other account, whatever its name", arguments: StoreEngine.allCases)
    func signedForAnother(engine: StoreEngine) async throws {
        let signed = try StoreFixtures.transaction(StoreFixtures.period("2", token: StoreFixtures.alice))
        for other in ["mallory", StoreFixtures.bob.uuidString] {
            try await engine.withStore { store async throws in
                #expect(try await store.record(signed, account: other).replays.count == 1)
                #expect(try await store.purchases(of: other) == [])
                #expect(try await store.forget(other) == 0)
                #expect(try await store.purchases(of: StoreFixtures.alice.uuidString) == [Self.original("1")])
            }
        }
    }

    @Test(
        "An account that submitted a purchase before its token was signed has it no more",
        arguments: StoreEngine.allCases)
    func signedLater(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2", token: StoreFixtures.alice)))
            #expect(try await store.purchases(of: "ann") == [])
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.count == 1)
            #expect(try await store.forget("ann") == 0)
            #expect(try await store.purchases(of: StoreFixtures.alice.uuidString) == [Self.original("1")])
        }
    }

    @Test("A notification and renewal information are bound like a transaction", arguments: StoreEngine.allCases)
    func boundByOthers(engine: StoreEngine) async throws {
        let app = RenewalApp.trusted("com.example.app")
        let notification = CustomerEvidence(
            notifications: [try StoreFixtures.notification(1, StoreFixtures.period("2"))])
        let renewal = CustomerEvidence(renewals: [try StoreFixtures.renewal("5")])
        try await engine.withStore { store async throws in
            _ = try await store.record(notification, account: nil, app: app, from: .client)
            #expect(try await store.account(of: Self.original("1")) == nil)
            for (evidence, original) in [(notification, "1"), (renewal, "5")] {
                let (own, other) = original == "1" ? ("ann", "ben") : ("ben", "ann")
                let first = try await store.record(evidence, account: own, app: app, from: .client)
                #expect(first.replays.isEmpty)
                #expect(try await store.purchases(of: own) == [Self.original(original)])
                let second = try await store.record(evidence, account: other, app: app, from: .client)
                #expect(second.replays.map(\.originalTransactionIdentifier) == [original])
            }
        }
    }

    @Test("Binding replaces a submitted account and never a signed one", arguments: StoreEngine.allCases)
    func bound(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.bind(Self.original("1"), to: "ben") == .unknown)
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            #expect(try await store.bind(Self.original("1"), to: "ben") == .bound)
            #expect(try await store.account(of: Self.original("1")) == "ben")
            // The receipt was recorded recently, but the purchase has another account now.
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.count == 1)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2", token: StoreFixtures.alice)))
            #expect(try await store.bind(Self.original("1"), to: "ben") == .signed)
            #expect(try await store.bind(Self.original("1"), to: StoreFixtures.alice.uuidString) == .bound)
        }
    }

    @Test(
        "Hashed accounts are found under their names, also those that were hashed before",
        arguments: StoreEngine.persistent, [true, false])
    func hashed(engine: StoreEngine, staysHashed: Bool) async throws {
        try await engine.withDatabase { database async throws in
            let hashing = try database.open(hashesAccounts: true)
            try await hashing.record(StoreFixtures.receipt(["1"]), account: "ann")
            let account = try await hashing.account(of: Self.original("1"))
            #expect(account?.hasPrefix("hmac-sha256:") == true)
            #expect(try await hashing.purchases(of: "ann") == [Self.original("1")])
            #expect(try await hashing.purchases(ofStored: account ?? "") == [Self.original("1")])
            #expect(try await hashing.purchases(of: account ?? "").isEmpty)
            try await hashing.close()
            let reopened = try database.open(hashesAccounts: staysHashed)
            #expect(try await reopened.purchases(of: "ann") == [Self.original("1")])
            #expect(try await reopened.record(StoreFixtures.receipt(["1"]), account: "ann").replays.isEmpty)
            #expect(try await reopened.record(StoreFixtures.receipt(["1"]), account: "ben").replays.count == 1)
            #expect(try await reopened.forget("ann") == 1)
            #expect(try await reopened.purchases(of: "ann").isEmpty)
            try await reopened.close()
        }
    }

    @Test("A purchase is found by each transaction in a token or receipt", arguments: StoreEngine.allCases)
    func found(engine: StoreEngine) async throws {
        let receipt = try StoreFixtures.receipt([]) {
            $0.purchases = [
                TestPurchase(
                    subscription: "com.example.plus", transaction: "12", original: "11",
                    from: instant("2024-06-01T00:00:00Z"), to: instant("2024-07-01T00:00:00Z"))
            ]
        }
        try await engine.withStore { store async throws in
            try await store.record(receipt)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            for identifier in ["11", "12"] {
                #expect(try await store.originals(of: identifier) == [Self.original("11")])
            }
            for identifier in ["1", "2"] {
                #expect(try await store.originals(of: identifier) == [Self.original("1")])
            }
            #expect(try await store.originals(of: "3") == [])
        }
    }

    @Test("What was seen of a purchase has its dates, the newest first", arguments: StoreEngine.allCases)
    func sightings(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"], made: "2024-09-01T00:00:00Z"))
            try await store.record(StoreFixtures.notification(1, StoreFixtures.period("2")))
            try await store.record(StoreFixtures.receipt(["7"]))
            let purchases = try ["1", "7", "9"].map { try Self.original($0) }
            let seen = try await store.sightings(of: purchases)
            #expect(Set(seen.keys) == Set(purchases.prefix(2)))
            #expect(seen[purchases[1]]?.map(\.kind) == [.receipt])
            let sightings = try #require(seen[purchases[0]])
            #expect(Set(sightings.map(\.kind)) == [.receipt, .transaction, .notification])
            #expect(sightings.map(\.signed) == sightings.map(\.signed).sorted(by: >))
            let receipt = sightings.first { $0.kind == .receipt }
            #expect(receipt?.signed == instant("2024-09-01T00:00:00Z").milliseconds)
            #expect(sightings.allSatisfy { $0.received > 1_700_000_000_000 })
            #expect(sightings.first { $0.kind == .notification }?.notificationType != nil)
        }
    }

    @Test("A forgotten account leaves nothing but the state of its transactions", arguments: StoreEngine.allCases)
    func forgotten(engine: StoreEngine) async throws {
        let receipt = try StoreFixtures.receipt(["1", "5"])
        try await engine.withStore { store async throws in
            try await store.record(receipt, account: "ann")
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("1", refund: "2024-08-01T00:00:00Z")), account: "ann")
            try await store.record(StoreFixtures.receipt(["5", "7"]), account: "ben")
            #expect(try await store.forget("ann") == 2)
            #expect(try await store.forget("ann") == 0)
            #expect(try await store.purchases(of: "ann") == [])
            for identifier in ["1", "5"] {
                #expect(try await store.originals(of: identifier) == [])
                #expect(try await store.sightings(of: Self.original(identifier)) == [])
            }
            #expect(try await store.purchases(of: "ben") == [Self.original("7")])
            #expect(try await store.known(["7"]).receipts.count == 1)
            #expect(try await store.statistics().transactions == 0)
            let events = try await store.events(after: 0, limit: 100, apps: nil).events
            #expect(events.filter { $0.originalTransactionIdentifier != "7" }.allSatisfy { $0.account == nil })
            // The old receipt again.
            try await store.record(receipt, account: "ann")
            let ledger = PurchaseLedger(
                try await store.known(["1", "5"]), app: "com.example.app", environment: .sandbox,
                originals: ["1", "5"])
            #expect(ledger.transactions.filter(\.hasRevocation).map(\.transactionIdentifier) == ["1"])
        }
    }

    @Test(
        "A forgotten account isn't named by events of a purchase that another one has now",
        arguments: StoreEngine.allCases)
    func forgottenInEvents(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            #expect(try await store.bind(Self.original("1"), to: "ben") == .bound)
            let before = try await store.events(after: 0, limit: 100, apps: nil).events.map(\.account)
            #expect(before.contains("ann"))
            #expect(try await store.forget("ann") == 0)
            let after = try await store.events(after: 0, limit: 100, apps: nil).events.map(\.account)
            #expect(after.count == before.count)
            #expect(!after.contains("ann"))
            #expect(after.contains("ben"))
        }
    }

    @Test(
        "A revocation that was reversed before or after the account was forgotten doesn't count",
        arguments: [true, false])
    func reversed(beforehand: Bool) async throws {
        let refund = try StoreFixtures.transaction(StoreFixtures.period("1", refund: "2024-08-01T00:00:00Z"))
        let reversal = try StoreFixtures.transaction(StoreFixtures.period("1", signed: "2025-01-01T00:00:00Z"))
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            try await store.record(refund, account: "ann")
            if beforehand { try await store.record(reversal, account: "ann") }
            #expect(try await store.forget("ann") == 1)
            try await store.record(reversal, account: "ann")
            let ledger = PurchaseLedger(
                try await store.known(["1"]), app: "com.example.app", environment: .sandbox, originals: ["1"])
            #expect(ledger.transactions.map(\.hasRevocation) == [false])
        }
    }

    @Test(
        "Whatever arrives again after an account was forgotten, the newest state of each transaction counts",
        arguments: StoreEngine.allCases, 0..<6)
    func newestState(engine: StoreEngine, order: Int) async throws {
        let bought = try StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-07-01T00:00:00Z"))
        let refund = try StoreFixtures.transaction(
            StoreFixtures.period("1", signed: "2024-09-01T00:00:00Z", refund: "2024-08-01T00:00:00Z"))
        let reversal = try StoreFixtures.transaction(StoreFixtures.period("1", signed: "2025-01-01T00:00:00Z"))
        var rest = [bought, refund, reversal]
        let first = rest.remove(at: order / 2)
        let arrivals = [first] + (order.isMultiple(of: 2) ? rest : rest.reversed())
        try await engine.withStore { store async throws in
            // After each of them, everything is forgotten, and what arrived before arrives again.
            for count in 1...arrivals.count {
                let known = arrivals.prefix(count)
                try await store.record(arrivals[count - 1], account: "ann")
                #expect(try await store.forget("ann") == 1)
                let isRevoked = known.max { $0.signedDate < $1.signedDate }?.claims.revocationDate != nil
                for token in known.reversed() {
                    try await store.record(token, account: "ann")
                    let ledger = PurchaseLedger(
                        try await store.known(["1"]), app: "com.example.app", environment: .sandbox, originals: ["1"])
                    #expect(ledger.transactions.map(\.hasRevocation) == [isRevoked])
                }
            }
        }
    }

    @Test(
        "A notification from before an account was forgotten doesn't bring its purchases back, unless it revokes one",
        arguments: StoreEngine.allCases)
    func formerNotification(engine: StoreEngine) async throws {
        try await engine.withDatabase { database async throws in
            let store = try database.open(clock: { instant("2025-01-01T00:00:00Z") })
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("1")), account: "ann")
            #expect(try await store.forget("ann") == 1)
            let former = try StoreFixtures.notification(1, StoreFixtures.period("2")) {
                $0.signedDate = instant("2024-12-01T00:00:00Z")
            }
            #expect(try await !store.record(former).isStored)
            #expect(try await store.known(["1"]).transactions.isEmpty)
            let refund = try StoreFixtures.notification(2, StoreFixtures.period("2", refund: "2024-11-01T00:00:00Z")) {
                $0.signedDate = instant("2024-12-01T00:00:00Z")
            }
            #expect(try await store.record(refund).isStored)
            let later = try StoreFixtures.notification(3, StoreFixtures.period("3")) {
                $0.signedDate = instant("2025-02-01T00:00:00Z")
            }
            #expect(try await store.record(later).isStored)
            #expect(try await store.known(["1"]).identifiers.compactMap { $0 }.sorted() == ["2", "3"])
            // An account that submits it has it again.
            let submitted = try await store.record(
                CustomerEvidence(notifications: [former]), account: "ann", app: nil, from: .client)
            #expect(submitted.isStored)
            try await store.close()
        }
    }

    @Test(
        "After an account is forgotten, nothing of its purchases is told until an account submits them",
        arguments: StoreEngine.allCases, [true, false])
    func silent(engine: StoreEngine, isBound: Bool) async throws {
        try await engine.withStore { store async throws in
            func types() async throws -> [EntitlementEventType] {
                try await store.events(after: 0, limit: 100, apps: nil).events.map(\.type)
            }
            let first = try StoreFixtures.transaction(StoreFixtures.period("2", token: StoreFixtures.alice))
            try await store.record(first, account: StoreFixtures.alice.uuidString)
            let told = try await types()
            #expect(told == [.expired])
            #expect(try await store.forget(StoreFixtures.alice.uuidString) == 1)
            // The same again, and what Apple signs later.
            try await store.record(first)
            try await store.record(
                StoreFixtures.notification(
                    1, StoreFixtures.period("2", signed: "2025-01-01T00:00:00Z", refund: "2024-08-01T00:00:00Z")))
            _ = try await store.recordDueEvents(at: instant("2030-01-01T00:00:00Z"))
            #expect(try await types() == told)
            #expect(try await store.record(first, account: StoreFixtures.bob.uuidString).replays.count == 1)
            #expect(try await types() == told)
            if isBound {
                #expect(try await store.bind(Self.original("1"), to: StoreFixtures.alice.uuidString) == .bound)
            } else {
                try await store.record(first, account: StoreFixtures.alice.uuidString)
            }
            let event = try await store.events(after: 0, limit: 100, apps: nil).events.last
            #expect(try await types() == told + [.refunded])
            #expect(event?.before == nil)
            #expect(event?.account == StoreFixtures.alice.uuidString.lowercased())
        }
    }

    @Test(
        "Accounts that are hashed, or were, are the same accounts: nothing is a transfer or a replay",
        arguments: StoreEngine.persistent, [[true, false], [false, true], [true, false, true]])
    func hashedLater(engine: StoreEngine, modes: [Bool]) async throws {
        try await engine.withDatabase { database async throws in
            for (number, hashes) in modes.enumerated() {
                let store = try database.open(hashesAccounts: hashes)
                let signed = "2024-12-0\(number + 1)T00:00:00Z"
                let alice = StoreFixtures.alice.uuidString
                let token = try StoreFixtures.transaction(
                    StoreFixtures.period("2", signed: signed, token: StoreFixtures.alice))
                #expect(try await store.record(token, account: alice).replays.isEmpty)
                #expect(try await store.record(StoreFixtures.receipt(["5"]), account: "ann").replays.isEmpty)
                #expect(try await store.purchases(of: alice) == [Self.original("1")])
                #expect(try await store.purchases(of: "ann") == [Self.original("5")])
                let events = try await store.events(after: 0, limit: 100, apps: nil).events
                #expect(events.map(\.type) == [.expired, .activated])
                let isHashed = modes[...number].contains(true)
                #expect(events.allSatisfy { $0.account?.hasPrefix("hmac-sha256:") == isHashed })
                #expect(try await store.account(of: Self.original("1"))?.hasPrefix("hmac-sha256:") == isHashed)
                try await store.close()
            }
        }
    }
}
#endif
