#if Server
/// The number of rows in the database, counted at most every 15 seconds, because counting reads all of them.
@available(AppReceiptServer 1.0, *)
actor RecentStatistics {
    private let store: TransactionStore
    /// The last count, which may be in progress, and when it began.
    private var last: (count: Task<Result<StoreStatistics, StoreError>, Never>, start: ContinuousClock.Instant)?

    init(_ store: TransactionStore) { self.store = store }

    /// Returns the last statistics if they are recent, and counts again otherwise. Concurrent callers share a count.
    func get() async throws(StoreError) -> StoreStatistics {
        if let last, ContinuousClock.now - last.start < .seconds(15) { return try await last.count.value.get() }
        let store = store
        let count = Task { () -> Result<StoreStatistics, StoreError> in
            do throws(StoreError) {
                return .success(try await store.statistics())
            } catch {
                return .failure(error)
            }
        }
        last = (count, .now)
        return try await count.value.get()
    }
}
#endif
