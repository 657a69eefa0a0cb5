import AppReceiptSupport
import AppStoreServerAPI

/// An endpoint's method, path and function.
@available(AppStoreServerAPI 1.0, *)
struct FakeServerRoute {
    typealias Handler = @Sendable (inout FakeServerState, FakeServerCall) throws -> FakeServerAnswer

    let endpoint: FakeAppStoreServer.Endpoint
    let method: String
    /// The segments of the path; nil for a placeholder.
    let pattern: [String?]
    let handler: Handler

    /// - Parameter onlyInSandbox: Whether production doesn't have the endpoint.
    init(
        _ endpoint: FakeAppStoreServer.Endpoint, _ method: String, _ path: String, onlyInSandbox: Bool = false,
        _ handler: @escaping Handler
    ) {
        self.endpoint = endpoint
        self.method = method
        pattern = path.split(separator: "/").map { $0 == "*" ? nil : String($0) }
        self.handler = { state, call in
            guard !onlyInSandbox || call.scope.environment == .sandbox else { return FakeServerAnswer(status: 404) }
            return try handler(&state, call)
        }
    }

    /// The values of the placeholders, or nil if the path doesn't match.
    func arguments(in segments: [String]) -> [String]? {
        guard segments.count == pattern.count else { return nil }
        var arguments: [String] = []
        for (segment, part) in zip(segments, pattern) {
            if let part {
                guard segment == part else { return nil }
            } else {
                arguments.append(segment)
            }
        }
        return arguments
    }
}
