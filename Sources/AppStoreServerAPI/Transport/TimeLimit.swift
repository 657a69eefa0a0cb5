import AppReceiptSupport

/// The time limit of an exchange: a request and its whole response.
@available(AppStoreServerAPI 1.0, *)
enum TimeLimit {
    /// Runs `body`, and cancels it when the time is over.
    ///
    /// - Throws: `timedOut`, or the error of `body`.
    static func run<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw AppStoreServerTransportError.timedOut
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
