#if Postgres
import AppReceiptSupport
import Dispatch

/// Sessions that run on threads of their own.
///
/// If the database is unreachable, what waits fails at once, and so does what comes later, until a session has a
/// connection again. Pools of one database share the reason, so that nobody waits for each of them.
final class PostgresPool: Sendable {
    /// Why a database is unreachable; nil if it isn't.
    typealias SharedOutage = LockedValueBox<StoreError?>

    /// What a session does. The error says why the database is unreachable.
    private typealias Job = @Sendable (Result<PostgresSession, StoreError>) -> Void

    /// A session and its thread: a queue without another target has one while it runs something.
    private struct Worker: Sendable {
        let session: PostgresSession
        let queue: DispatchQueue
    }

    private struct State: Sendable {
        var idle: [Worker]
        var waiting: [Job] = []
        var isClosed = false
    }

    private let state: LockedValueBox<State>
    private let outage: SharedOutage

    /// The pause between two attempts to reach the database again.
    private static let pause = DispatchTimeInterval.milliseconds(200)

    /// - Parameters:
    ///   - address: The address of the database.
    ///   - count: The number of sessions. Each opens its connection when it is used first.
    ///   - outage: Shared with the other pools of the database.
    init(_ address: PostgresAddress, count: Int, outage: SharedOutage) {
        self.outage = outage
        state = LockedValueBox(
            State(
                idle: (0..<count).map { _ in
                    Worker(session: PostgresSession(address), queue: DispatchQueue(label: "AppReceiptStore"))
                }))
    }

    /// Calls `body` with a session on its thread.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            submit { session in
                do throws(StoreError) {
                    continuation.resume(returning: .success(try body(session.get())))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Runs statements that only read, in one round trip.
    func read(
        _ statements: [PostgresStatement], patience: Int32 = PostgresConnection.patience
    ) async throws(StoreError) -> [PostgresResult] {
        try await perform { session throws(StoreError) in try session.read(statements, patience: patience) }
    }

    /// Closes the connections. Those in use are closed when they aren't any more.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            return state.idle
        }
        for worker in idle { worker.queue.async { worker.session.close() } }
    }

    private func submit(_ job: @escaping Job) {
        let (worker, outage) = state.withLock { state -> (Worker?, StoreError?) in
            if let outage = self.outage.withLock(\.self) { return (nil, outage) }
            if let worker = state.idle.popLast() { return (worker, nil) }
            state.waiting.append(job)
            return (nil, nil)
        }
        if let outage { return job(.failure(outage)) }
        guard let worker else { return }
        worker.queue.async { self.run(job, on: worker) }
    }

    /// Runs a job and those that wait.
    private func run(_ job: Job, on worker: Worker) {
        job(.success(worker.session))
        while let next = next(for: worker) { next(.success(worker.session)) }
    }

    /// Returns what the worker does next; nil if nothing waits.
    private func next(for worker: Worker) -> Job? {
        let found = worker.session.outage
        let (next, failed, outage, probes) = state.withLock { state -> (Job?, [Job], StoreError?, Bool) in
            if state.isClosed { worker.session.close() }
            let (outage, probes) = self.outage.withLock { outage -> (StoreError?, Bool) in
                guard outage == nil, !state.isClosed, let found else { return (outage, false) }
                outage = found
                return (found, true)
            }
            guard let outage else {
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), [], nil, false) }
                state.idle.append(worker)
                return (nil, [], nil, false)
            }
            if !probes { state.idle.append(worker) }
            defer { state.waiting = [] }
            return (nil, state.waiting, outage, probes)
        }
        if let outage { for job in failed { job(.failure(outage)) } }
        // At once: perhaps only one statement was slow.
        if probes { probe(with: worker, after: .milliseconds(0)) }
        return next
    }

    /// Tries to reach the database until it succeeds.
    private func probe(with worker: Worker, after pause: DispatchTimeInterval) {
        worker.queue.asyncAfter(deadline: .now() + pause) {
            guard !self.state.withLock(\.isClosed) else { return self.outage.withLock { $0 = nil } }
            do throws(StoreError) {
                try worker.session.connect()
            } catch {
                guard error != .databaseUnreachable else {
                    // The reason may be another one now.
                    self.outage.withLock { $0 = error }
                    return self.probe(with: worker, after: Self.pause)
                }
            }
            // Together, so that a job fails or finds the worker.
            self.state.withLock { state in
                self.outage.withLock { $0 = nil }
                state.idle.append(worker)
            }
        }
    }
}
#endif
