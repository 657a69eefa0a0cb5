import AppStoreServerAPI

/// Reads what changed since the last time, and returns the position to store.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func synchronize(
    customer: String, since stored: String?, client: AppStoreServerClient, store: (VerifiedTransaction) -> Void
) async throws -> String? {
    var cursor = stored.flatMap { AppStoreServerCursor($0) }
    for try await page in client.history(ofCustomer: customer, query: HistoryQuery(cursor: cursor)) {
        page.transactions.forEach(store)
        for item in page.rejected { print("rejected: \(item.error)") }
        cursor = page.cursor ?? cursor
    }
    return cursor?.description
}
