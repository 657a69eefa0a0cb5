#if Server
import AppReceiptKit
import AppReceiptSupport
import CoreMetrics

/// Limits connections, requests in progress, and the memory of bodies and responses.
///
/// What exceeds a limit is rejected immediately with ``OverloadError``. Only requests with large bodies wait for each other, because they
/// need much more memory than their bodies: see ``withVerificationSlot(bodyBytes:maxEventLoopBytes:now:_:)``.
@available(AppReceiptServer 1.0, *)
final class Admission: Sendable {
    /// The size in bytes up to which a body never waits for others. Small bodies need little memory, and many that wait for the disk
    /// together share one commit.
    static let smallBodyBytes = 64 << 10
    /// The largest sum in bytes of large bodies in progress, unless one alone is larger.
    static let largeBodiesBytes = 8 << 20

    let limits: ServerLimits
    /// The large bodies in progress, and those that wait.
    let largeBodies = LockedValueBox(
        TurnQueue<CheckedContinuation<Void, Never>>(capacity: Admission.largeBodiesBytes))

    private let metrics: ServerMetrics
    private let load = LockedValueBox(AdmissionLoad())

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    /// Admits a connection.
    func reserveConnection() throws(OverloadError) -> Reservation { try reserve(1, of: .connections) }

    /// Admits a request.
    func reserveRequest() throws(OverloadError) -> Reservation { try reserve(1, of: .requests) }

    /// Reserves memory for a part of a body, or for a response.
    func reserve(bytes: Int) throws(OverloadError) -> Reservation { try reserve(bytes, of: .memory) }

    private func reserve(_ amount: Int, of resource: AdmissionLoad.Resource) throws(OverloadError) -> Reservation {
        let isAdmitted = load.withLock { load in
            guard load.reserve(amount, of: resource, limit: limit(of: resource)) else { return false }
            metrics.record(load[resource], of: resource)
            return true
        }
        guard isAdmitted else { throw rejection(resource.reason) }
        return Reservation(amount, of: resource, from: self)
    }

    /// Gives back what a reservation has reserved.
    func release(_ amount: Int, of resource: AdmissionLoad.Resource) {
        load.withLock { load in
            load.release(amount, of: resource)
            metrics.record(load[resource], of: resource)
        }
    }

    /// Counts a rejection, and returns its error.
    func rejection(_ reason: OverloadError.Reason) -> OverloadError {
        metrics.overloaded(reason)
        return OverloadError(reason)
    }

    private func limit(of resource: AdmissionLoad.Resource) -> Int {
        switch resource {
        case .connections: limits.maxConnections
        case .requests: limits.maxRequests
        case .memory: limits.maxTotalBodyBytes
        }
    }
}
#endif
