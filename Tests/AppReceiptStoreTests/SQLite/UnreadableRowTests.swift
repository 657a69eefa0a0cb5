#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

@Suite("Rows of events that can't be read")
struct UnreadableRowTests {
    /// Creates a database with a purchase in each of five events, edits it, and opens it again.
    private func withEdited(_ sql: String, _ body: (SQLiteStore) async throws -> Void) async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            for number in 1...5 {
                try await store.record(
                    StoreFixtures.transaction(TestTransaction("com.example.pro", transaction: "\(number)")))
            }
            try await store.close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: sql) }
            try queue.close()
            let edited = try SQLiteStore(testing: path)
            try await body(edited)
            try await edited.close()
        }
    }

    @Test(
        "Events are skipped and counted, and hide no others",
        arguments: [nil, ["com.example.app"], ["com.example.app", "com.example.other"]] as [Set<String>?])
    func events(apps: Set<String>?) async throws {
        try await withEdited("UPDATE events SET type = 'unheardOf' WHERE number IN (2, 3)") { store async throws in
            var (cursors, next): ([Int64], Int64) = ([], 0)
            for _ in 0..<3 {
                let page = try await store.events(after: next, limit: 2, apps: apps)
                cursors += page.events.map(\.cursor)
                next = page.next
            }
            #expect(cursors == [1, 4, 5])
            #expect(next == 5)
            #expect(try await store.statistics().skippedRows == 2)
        }
    }

    @Test("A due purchase that can't be read isn't due at once again")
    func due() async throws {
        let sql = "UPDATE purchase_states SET environment = 'moon', due = 5 WHERE original = '3'"
        try await withEdited(sql) { store async throws in
            let date = instant("2024-08-01T00:00:00Z")
            let next = try await store.recordDueEvents(at: date)
            #expect(try #require(next) > #require(date.milliseconds))
        }
    }
}
#endif
