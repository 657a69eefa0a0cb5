#if Server
import AppReceiptKit
import CoreMetrics

/// Who comes in: counts what is in the works and refuses what would be too much, at once.
final class Admission: Sendable {
    private struct Load: Sendable {
        var bodyBytes = 0
        var requests = 0
        var connections = 0
    }

    private let limits: ServerLimits
    private let load = Locked(Load())
    private let metrics: ServerMetrics

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    /// Room for part of a body; false if all bodies together would take too much.
    func reserve(bytes: Int) -> Bool {
        let total: Int? = load.withLock { load in
            guard bytes <= limits.allBodiesBytes - load.bodyBytes else { return nil }
            load.bodyBytes += bytes
            return load.bodyBytes
        }
        guard let total else { return refuse(.memory) }
        metrics.bodyBytes.record(total)
        return true
    }

    /// Gives room back.
    func release(bytes: Int) {
        guard bytes > 0 else { return }
        metrics.bodyBytes.record(
            load.withLock { load in
                load.bodyBytes -= bytes
                return load.bodyBytes
            })
    }

    /// A place among those that are being judged; false if there is none.
    func enter() -> Bool {
        let total: Int? = load.withLock { load in
            guard load.requests < limits.requests else { return nil }
            load.requests += 1
            return load.requests
        }
        guard let total else { return refuse(.requests) }
        metrics.requestsInWork.record(total)
        return true
    }

    /// Gives the place back.
    func leave() {
        metrics.requestsInWork.record(
            load.withLock { load in
                load.requests -= 1
                return load.requests
            })
    }

    /// Counts a connection; false if it is one too many. It must be followed by ``disconnect()`` either way.
    func connect() -> Bool {
        let total = load.withLock { load in
            load.connections += 1
            return load.connections
        }
        metrics.connections.record(total)
        return total <= limits.connections || refuse(.connections)
    }

    /// Forgets a connection.
    func disconnect() {
        metrics.connections.record(
            load.withLock { load in
                load.connections -= 1
                return load.connections
            })
    }

    private func refuse(_ reason: ServerMetrics.Overload) -> Bool {
        metrics.overloaded(reason)
        return false
    }
}
#endif
