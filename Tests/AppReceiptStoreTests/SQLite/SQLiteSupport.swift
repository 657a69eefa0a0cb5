#if Server
import AppReceiptStore
import StoreTestSupport

/// The location of a test's database.
enum Location: String, Sendable, CaseIterable {
    case memory, file
}

/// Calls `body` with an empty store, which is closed afterwards.
func withSQLiteStore(
    in location: Location = .memory, limits: StoreLimits = .default, _ body: (SQLiteStore) async throws -> Void
) async throws {
    try await withDatabasePath { path async throws in
        let store = try SQLiteStore(testing: location == .memory ? nil : path, limits: limits)
        try await body(store)
        try await store.close()
    }
}
#endif
