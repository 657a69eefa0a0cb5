#if Server
/// What is admitted at present.
struct AdmissionLoad: Sendable {
    /// Something of which the server admits only so much at the same time.
    enum Resource: CaseIterable, Sendable {
        case connections
        case requests
        /// Bytes of bodies and long responses.
        case memory

        /// The reason for rejecting what exceeds the limit.
        var reason: OverloadError.Reason {
            switch self {
            case .connections: .connections
            case .requests: .requests
            case .memory: .memory
            }
        }
    }

    private var amounts: [Resource: Int] = [:]

    subscript(resource: Resource) -> Int { amounts[resource, default: 0] }

    /// Adds an amount unless the sum would exceed the limit.
    ///
    /// - Returns: False if it would.
    mutating func reserve(_ amount: Int, of resource: Resource, limit: Int) -> Bool {
        guard amount <= limit - self[resource] else { return false }
        amounts[resource, default: 0] += amount
        return true
    }

    mutating func release(_ amount: Int, of resource: Resource) { amounts[resource, default: 0] -= amount }
}
#endif
