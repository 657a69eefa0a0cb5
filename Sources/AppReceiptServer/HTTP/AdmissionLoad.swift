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

    private var connections = 0
    private var requests = 0
    private var memory = 0

    private(set) subscript(resource: Resource) -> Int {
        get {
            switch resource {
            case .connections: connections
            case .requests: requests
            case .memory: memory
            }
        }
        set {
            switch resource {
            case .connections: connections = newValue
            case .requests: requests = newValue
            case .memory: memory = newValue
            }
        }
    }

    /// Adds an amount unless the sum would exceed the limit.
    ///
    /// - Returns: False if it would.
    mutating func reserve(_ amount: Int, of resource: Resource, limit: Int) -> Bool {
        guard amount <= limit - self[resource] else { return false }
        self[resource] += amount
        return true
    }

    mutating func release(_ amount: Int, of resource: Resource) { self[resource] -= amount }
}
#endif
