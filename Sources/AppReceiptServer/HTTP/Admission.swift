#if Server
import AppReceiptKit
import CoreMetrics
import AppReceiptSupport

/// Who comes in: counts what is in the works and refuses what would be too much, at once.
final class Admission: Sendable {
    private struct Load: Sendable {
        var bodyBytes = 0
        var requests = 0
        var connections = 0
    }

    private let limits: ServerLimits
    private let load = LockedValueBox(Load())
    private let metrics: ServerMetrics

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    /// Room for part of a body, or for an answer; false if all of them together would take too much.
    func reserve(bytes: Int) -> Bool {
        let hasRoom = load.withLock { load in
            guard bytes <= limits.allBodiesBytes - load.bodyBytes else { return false }
            load.bodyBytes += bytes
            metrics.bodyBytes.record(load.bodyBytes)
            return true
        }
        return hasRoom || refuse(.memory)
    }

    /// Gives room back.
    func release(bytes: Int) {
        guard bytes > 0 else { return }
        load.withLock { load in
            load.bodyBytes -= bytes
            metrics.bodyBytes.record(load.bodyBytes)
        }
    }

    /// A place among those that are being judged; false if there is none.
    func enter() -> Bool {
        let hasPlace = load.withLock { load in
            guard load.requests < limits.requests else { return false }
            load.requests += 1
            metrics.requestsInWork.record(load.requests)
            return true
        }
        return hasPlace || refuse(.requests)
    }

    /// Gives the place back.
    func leave() {
        load.withLock { load in
            load.requests -= 1
            metrics.requestsInWork.record(load.requests)
        }
    }

    /// Counts a connection; false if it is one too many. It must be followed by ``disconnect()`` either way.
    func connect() -> Bool {
        let hasPlace = load.withLock { load in
            load.connections += 1
            metrics.connections.record(load.connections)
            return load.connections <= limits.connections
        }
        return hasPlace || refuse(.connections)
    }

    /// Forgets a connection.
    func disconnect() {
        load.withLock { load in
            load.connections -= 1
            metrics.connections.record(load.connections)
        }
    }

    /// Room for an answer until it has left, given back when nobody holds it any more.
    ///
    /// - Throws: `Overloaded` if there is none.
    func room(forAnswer bytes: Int) throws(Overloaded) -> AnswerRoom {
        guard reserve(bytes: bytes) else { throw Overloaded() }
        return AnswerRoom(bytes, self)
    }

    /// Notes that a request waited too long for a processor.
    func waitedTooLong() { metrics.overloaded(.requests) }

    private func refuse(_ reason: ServerMetrics.Overload) -> Bool {
        metrics.overloaded(reason)
        return false
    }
}

/// The room that an answer takes.
final class AnswerRoom: Sendable {
    private let bytes: Int
    private let admission: Admission

    fileprivate init(_ bytes: Int, _ admission: Admission) {
        self.bytes = bytes
        self.admission = admission
    }

    deinit { admission.release(bytes: bytes) }
}
#endif
