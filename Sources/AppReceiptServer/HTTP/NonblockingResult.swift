#if Server
/// The result of work that doesn't block.
@available(AppReceiptServer 1.0, *)
enum NonblockingResult<Value: Sendable>: Sendable {
    case value(Value)
    /// What is left to do may block: it reads the database, waits for the App Store, or writes a log.
    case blocking(@Sendable () async throws -> Value)

    /// Does what is left, on the current executor.
    func get() async throws -> Value {
        switch self {
        case .value(let value): value
        case .blocking(let rest): try await rest()
        }
    }
}
#endif
