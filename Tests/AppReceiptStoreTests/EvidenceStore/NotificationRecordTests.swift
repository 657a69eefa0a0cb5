#if Server
import AppReceiptStore
import AppReceiptTesting
import AppStoreSignedData
import StoreTestSupport
import Testing
import TestSupport
import VerifyReceipt

@Suite("Recording of notifications")
struct NotificationRecordTests {
    @Test(
        "A notification is new once, and its transaction and renewal information are stored",
        arguments: StoreEngine.allCases)
    func once(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let renewal = try StoreFixtures.renewal()
            let notification = try StoreFixtures.notification(1, StoreFixtures.period("2"), renewal: renewal)
            #expect(try await store.record(notification) == RecordResult(isNew: true))
            #expect(try await store.record(notification) == RecordResult(isNew: false))
            #expect(try await store.known(["1"]).transactions == [try #require(notification.transaction)])
            #expect(try await store.known(["1"]).renewals == [renewal])
            #expect(try await store.statistics().notifications == 1)
        }
    }

    @Test("A repeated notification with newer data isn't new, but its data is stored", arguments: StoreEngine.allCases)
    func repeated(_ engine: StoreEngine) async throws {
        let first = try StoreFixtures.notification(
            1, StoreFixtures.period("2", signed: "2024-07-01T00:00:00Z"),
            renewal: StoreFixtures.renewal(signed: "2024-07-01T00:00:00Z"))
        let again = try StoreFixtures.notification(
            1, StoreFixtures.period("2", signed: "2024-08-01T00:00:00Z", refund: "2024-07-20T00:00:00Z"),
            renewal: StoreFixtures.renewal(signed: "2024-08-01T00:00:00Z", status: .off))
        for order in [[first, again], [again, first]] {
            try await engine.withStore { store async throws in
                #expect(try await store.record(order[0]) == RecordResult(isNew: true))
                #expect(try await store.record(order[1]) == RecordResult(isNew: false))
                let known = try await store.known(["1"])
                #expect(known.transactions == [try #require(again.transaction)])
                #expect(known.transactions.map(\.claims.revocationDate) == [instant("2024-07-20T00:00:00Z")])
                #expect(known.renewals.map(\.claims.autoRenewStatus) == [.off])
                #expect(try await store.statistics().notifications == 1)
            }
        }
    }

    @Test("Notifications from Xcode or an unknown environment aren't stored", arguments: StoreEngine.allCases)
    func notStored(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            for environment in [SignedDataEnvironment.xcode, SignedDataEnvironment(rawValue: "Elsewhere")] {
                let notification = try StoreFixtures.notification(1, nil) { $0.environment = environment }
                #expect(try await store.record(notification) == .notStored)
                #expect(try await store.record(notification) == .notStored)
            }
            #expect(try await store.statistics().notifications == 0)
        }
    }

    @Test("A notification without data is recorded, and known when it is repeated", arguments: StoreEngine.allCases)
    func withoutData(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.record(StoreFixtures.notification(1, nil)).isNew)
            #expect(try await !store.record(StoreFixtures.notification(1, nil)).isNew)
            #expect(try await store.record(StoreFixtures.notification(2, nil)).isNew)
            #expect(try await store.statistics().transactions == 0)
        }
    }

    @Test("The order of arrival has no effect", arguments: StoreEngine.allCases)
    func order(_ engine: StoreEngine) async throws {
        let notifications = try [
            StoreFixtures.notification(
                1, StoreFixtures.period("2", signed: "2024-07-01T00:00:00Z"),
                renewal: StoreFixtures.renewal(signed: "2024-07-01T00:00:00Z")),
            StoreFixtures.notification(
                2, StoreFixtures.period("3", signed: "2024-08-01T00:00:00Z"),
                renewal: StoreFixtures.renewal(signed: "2024-08-01T00:00:00Z", status: .off)),
            StoreFixtures.notification(
                3, StoreFixtures.period("2", signed: "2024-09-01T00:00:00Z", refund: "2024-08-30T00:00:00Z")),
            // The same date as another notification, which Apple never sends.
            StoreFixtures.notification(4, StoreFixtures.period("2", signed: "2024-09-01T00:00:00Z")),
        ]
        var outcomes: Set<[String]> = []
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<12 {
            let order = notifications.shuffled(using: &generator)
            try await engine.withStore { store async throws in
                for notification in order { #expect(try await store.record(notification).isNew) }
                let known = try await store.known(["1"])
                #expect(known.renewals.map(\.claims.autoRenewStatus) == [.off])
                #expect(known.identifiers == ["2", "3"])
                outcomes.insert(known.transactions.map(\.token))
            }
        }
        #expect(outcomes.count == 1)
    }
}
#endif
