import AppStoreServerAPI

/// Reads what changed since the last time, and returns the position to store.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func synchronize(
    customer: String, since stored: String?, client: AppStoreServerClient, store: (VerifiedTransaction) -> Void
) async throws -> String? {
    let cursor = stored.flatMap { AppStoreServerCursor($0) }
    let history = try await client.history(ofCustomer: customer, query: .init(cursor: cursor)).collected()
    history.transactions.forEach(store)
    for item in history.rejected { print("rejected: \(item.error)") }
    return (history.cursor ?? cursor)?.description
}
