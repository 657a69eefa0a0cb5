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
    /// How much of each resource is in use.
    private let load = LockedValueBox<[OverloadError.Resource: Int]>([:])

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    /// A connection, a request or memory that was admitted. It is released with its last reference.
    final class Reservation: Sendable {
        private let amount: Int
        private let resource: OverloadError.Resource
        private let admission: Admission

        fileprivate init(_ amount: Int, of resource: OverloadError.Resource, from admission: Admission) {
            self.amount = amount
            self.resource = resource
            self.admission = admission
        }

        deinit { admission.release(amount, of: resource) }
    }

    /// Admits a connection.
    func reserveConnection() throws(OverloadError) -> Reservation {
        try reserve(1, of: .connections, limit: limits.maxConnections)
    }

    /// Admits a request.
    func reserveRequest() throws(OverloadError) -> Reservation {
        try reserve(1, of: .requests, limit: limits.maxRequests)
    }

    /// Admits a request that waits for an event.
    func reserveWaiting() throws(OverloadError) -> Reservation {
        try reserve(1, of: .waiting, limit: limits.maxWaitingRequests)
    }

    /// Reserves memory for a part of a body, or for a response.
    func reserve(bytes: Int) throws(OverloadError) -> Reservation {
        try reserve(bytes, of: .memory, limit: limits.maxTotalBodyBytes)
    }

    private func reserve(
        _ amount: Int, of resource: OverloadError.Resource, limit: Int
    ) throws(OverloadError) -> Reservation {
        let isAdmitted = load.withLock { load in
            let used = load[resource] ?? 0
            guard amount <= limit - used else { return false }
            load[resource] = used + amount
            metrics.record(used + amount, of: resource)
            return true
        }
        guard isAdmitted else { throw rejection(of: resource) }
        return Reservation(amount, of: resource, from: self)
    }

    private func release(_ amount: Int, of resource: OverloadError.Resource) {
        load.withLock { load in
            let used = (load[resource] ?? 0) - amount
            load[resource] = used
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
