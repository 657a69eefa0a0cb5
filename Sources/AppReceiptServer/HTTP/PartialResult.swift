#if Server
/// The result of work that doesn't block.
@available(AppReceiptServer 1.0, *)
enum PartialResult<Value: Sendable>: Sendable {
    case finished(Value)
    /// The remaining work, which can block because it reads the database, waits for the App Store, or writes a log.
    case unfinished(@Sendable () async throws -> Value)

    /// Does the remaining work on the current executor.
    func finish() async throws -> Value {
        switch self {
        case .finished(let value): value
        case .unfinished(let rest): try await rest()
        }
    }
}
#endif
