#if Server
import AppReceiptSupport
import Hummingbird

/// Limits connections, requests in progress, requests that wait for events, and the memory of bodies and responses.
///
/// What exceeds a limit is rejected immediately with ``OverloadError``. Only requests with large bodies wait for each
/// other, because they need much more memory than their bodies: see ``withVerificationSlot(bodyBytes:now:_:)``.
@available(AppReceiptServer 1.0, *)
final class Admission: Sendable {
    /// The size in bytes up to which a body never waits for others. Small bodies need little memory, and many that wait
    /// for the disk together share one commit.
    static let smallBodyBytes = 64 << 10
    /// The size in bytes up to which a body is verified on an event loop. A larger one would delay other requests.
    static let eventLoopBodyBytes = 128 << 10
    /// The largest sum in bytes of large bodies in progress, unless one alone is larger.
    static let largeBodiesBytes = 8 << 20

    let limits: ServerLimits
    /// The large bodies in progress, and those that wait.
    let largeBodies = LockedValueBox(
        TurnQueue<CheckedContinuation<Void, Never>>(capacity: Admission.largeBodiesBytes))

    private let metrics: ServerMetrics
    /// The used amount of each resource.
    private let load = LockedValueBox<[Share: Int]>([:])

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    /// A resource, or what one token uses of it.
    private struct Share: Hashable {
        let resource: OverloadError.Resource
        /// The token; nil for all that is used.
        var token: String?
    }

    /// A connection, a request or memory that was admitted. It is released with its last reference.
    final class Reservation: Sendable {
        private let amount: Int
        private let resource: OverloadError.Resource
        private let token: String?
        private let admission: Admission

        fileprivate init(
            _ amount: Int, of resource: OverloadError.Resource, for token: String?, from admission: Admission
        ) {
            self.amount = amount
            self.resource = resource
            self.token = token
            self.admission = admission
        }

        deinit { admission.release(amount, of: resource, for: token) }
    }

    /// Admits a connection.
    func reserveConnection() throws(OverloadError) -> Reservation {
        try reserve(1, of: .connections, limit: limits.maxConnections)
    }

    /// Admits a request.
    func reserveRequest() throws(OverloadError) -> Reservation {
        try reserve(1, of: .requests, limit: limits.maxRequests)
    }

    /// Admits a request that waits for an event. A token gets at most half of the places.
    ///
    /// - Parameter token: The name of the client's token; nil without one.
    func reserveWaiting(for token: String?) throws(OverloadError) -> Reservation {
        try reserve(1, of: .waiting, limit: limits.maxWaitingRequests, for: token)
    }

    /// Asks the App Store about something that the server doesn't know, unless too many requests do.
    func withLookup<Found>(_ requests: () async throws -> Found) async throws -> Found {
        let reservation = try reserve(1, of: .lookups, limit: limits.maxLookups)
        defer { withExtendedLifetime(reservation) {} }
        return try await requests()
    }

    /// Reserves memory for a part of a body, or for a response.
    func reserve(bytes: Int) throws(OverloadError) -> Reservation {
        try reserve(bytes, of: .memory, limit: limits.maxTotalBodyBytes)
    }

    /// - Parameter token: The token that may have at most half of the resource; nil for none.
    private func reserve(
        _ amount: Int, of resource: OverloadError.Resource, limit: Int, for token: String? = nil
    ) throws(OverloadError) -> Reservation {
        let isAdmitted = load.withLock { load in
            let used = load[Share(resource: resource)] ?? 0
            guard amount <= limit - used else { return false }
            if let token {
                let own = load[Share(resource: resource, token: token)] ?? 0
                guard amount <= max(limit / 2, 1) - own else { return false }
                load[Share(resource: resource, token: token)] = own + amount
            }
            load[Share(resource: resource)] = used + amount
            metrics.record(used + amount, of: resource)
            return true
        }
        guard isAdmitted else { throw rejection(of: resource) }
        return Reservation(amount, of: resource, for: token, from: self)
    }

    private func release(_ amount: Int, of resource: OverloadError.Resource, for token: String?) {
        load.withLock { load in
            let used = (load[Share(resource: resource)] ?? 0) - amount
            load[Share(resource: resource)] = used
            if let token {
                let own = (load[Share(resource: resource, token: token)] ?? 0) - amount
                load[Share(resource: resource, token: token)] = own > 0 ? own : nil
            }
            metrics.record(used, of: resource)
        }
    }

    /// Counts a rejection, and returns its error.
    func rejection(of resource: OverloadError.Resource) -> OverloadError {
        metrics.countOverload(of: resource)
        return OverloadError(resource)
    }
}

@available(AppReceiptServer 1.0, *)
extension Response {
    /// Reserves memory for a long response until it is sent.
    func reservingMemory(from admission: Admission) throws(OverloadError) -> Response {
        guard let length = body.contentLength, length > Self.maxUnreservedBytes else { return self }
        let (reservation, body) = (try admission.reserve(bytes: length), body)
        var response = self
        response.body = ResponseBody(contentLength: length) { writer in
            try await body.write(writer)
            withExtendedLifetime(reservation) {}
        }
        return response
    }
}
#endif
