#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import Logging
import Tracing
import ServiceLifecycle

/// Completes the database with what the App Store knows about a customer.
///
/// Requests about an original transaction are sent the first time that verified data names it, and again after
/// ``AppStoreConfiguration/refreshInterval``. The queue is in the database, so it survives the end of the process.
/// Responses of the server wait for at most ``AppStoreConfiguration/patience``, and not at all while the App Store
/// can't be reached or accepts no requests.
///
/// The rules are in ``CompletionStateMachine``. This actor passes it what happens, and performs its actions.
@available(AppReceiptServer 1.0, *)
actor AppStoreCompletion: Service {
    private let reader: AppStoreReader
    private let store: any EvidenceStore
    private let metrics: ServerMetrics
    private let databaseFailures: DatabaseFailureLog
    private let logger: Logger
    private let patience: Duration
    private let clients: AppStoreClients
    private let clock: AppStoreServerClock

    private var state: CompletionStateMachine
    /// The number of times purchases were forgotten when ``state`` learned which are complete.
    private var forgetCount: Int64 = 0
    /// The requests in progress, by number.
    private var requests: [Int: Task<Void, Never>] = [:]
    private var lastRequest = 0
    /// The responses that wait, by their number in the state machine.
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]

    /// The time after which the database is searched for due requests again, which also bounds how late they are sent.
    private static let searchInterval = Duration.seconds(5)

    init(
        _ configuration: AppStoreConfiguration, clients: AppStoreClients, store: any EvidenceStore,
        metrics: ServerMetrics, databaseFailures: DatabaseFailureLog, logger: Logger
    ) {
        reader = AppStoreReader(clients: clients, store: store, logger: logger)
        self.store = store
        self.metrics = metrics
        self.databaseFailures = databaseFailures
        self.logger = logger
        patience = configuration.patience
        self.clients = clients
        clock = configuration.client.clock
        state = CompletionStateMachine(
            refreshInterval: configuration.refreshInterval, patience: configuration.patience)
    }

    private var now: Int64 { clock.now().milliseconds ?? 0 }

    /// Sends the requests that were in the queue when the process ended, and repeats those that failed, until the
    /// server shuts down.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.searchDueRequests()
                // Cancellation ends the loop.
                try? await self.clock.sleep(Self.searchInterval)
            }
        }
        resume(state.stop())
        let requests = Array(requests.values)
        for request in requests { request.cancel() }
        // The database is closed afterward.
        for request in requests { await request.value }
    }

    // MARK: Responses of the server

    /// Sends the requests about the original transactions for which they are due, and waits for the responses.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: Their app and environment.
    ///   - signedDate: When the data that names them was signed; nil if that isn't known.
    /// - Returns: Whether the database is complete. Otherwise it will be in time for a later request.
    func complete(_ originals: Set<String>, scope: AppScope, signedDate: Date? = nil) async -> Bool {
        guard clients.hasKey(for: scope.app) else { return true }
        let due: [ScopedOriginal]
        do throws(StoreError) {
            due = try await dueOriginals(originals, scope: scope)
            guard !due.isEmpty else { return true }
            let now = now
            try await store.enqueue(
                Set(due.map(\.originalTransactionIdentifier)), in: scope, due: now,
                ifNotCompletedAfter: state.oldestCompletion(at: now))
        } catch {
            databaseFailures.log(error, logger: logger)
            return false
        }
        let action = state.request(due, signed: signedDate?.milliseconds, at: now)
        startRequests()
        if case .wait(let number) = action { await wait(number) }
        return due.allSatisfy { state.isComplete($0, at: now) }
    }

    private func dueOriginals(
        _ originals: Set<String>, scope: AppScope
    ) async throws(StoreError) -> [ScopedOriginal] {
        func scoped(_ original: String) -> ScopedOriginal {
            ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
        }
        // By this server or another one.
        let forgetCount = try await store.forgetCount()
        if forgetCount > self.forgetCount {
            self.forgetCount = forgetCount
            state.forgetCompleted()
        }
        let unknown = originals.filter { $0.isStorable && !state.isComplete(scoped($0), at: now) }
        guard !unknown.isEmpty else { return [] }
        for (original, known) in try await store.completions(of: unknown, in: scope) {
            if let date = known.completed { markComplete([scoped(original)], at: date, since: forgetCount) }
        }
        return unknown.sorted().map(scoped).filter { !state.isComplete($0, at: now) }
    }

    /// Marks original transactions as complete, unless purchases were forgotten since it was known.
    private func markComplete(_ originals: [ScopedOriginal], at date: Int64, since forgetCount: Int64) {
        guard forgetCount == self.forgetCount else { return }
        for original in originals { state.markComplete(original, at: date) }
    }

    private func wait(_ number: Int) async {
        let timer = Task { [clock, patience] in
            try? await clock.sleep(patience)
            self.patienceEnded(of: number)
        }
        await withCheckedContinuation { waiters[number] = $0 }
        timer.cancel()
    }

    private func patienceEnded(of number: Int) {
        state.patienceEnded(of: number)
        resume([number])
    }

    private func resume(_ numbers: [Int]) {
        for number in numbers { waiters.removeValue(forKey: number)?.resume() }
    }

    // MARK: The queue

    private func searchDueRequests() async {
        do throws(StoreError) {
            metrics.recordAppStoreQueue(try await store.pendingCompletions())
            for scope in try await store.scopesOfDueCompletions(at: now) { try await search(scope) }
        } catch {
            databaseFailures.log(error, logger: logger)
        }
        startRequests()
    }

    /// Adds due requests about an app from the database, if few are in memory.
    private func search(_ scope: AppScope) async throws(StoreError) {
        guard let limit = state.beginSearch(scope, at: now) else { return }
        do throws(StoreError) {
            state.endSearch(
                scope, found: try await store.dueCompletions(in: scope, at: now, limit: limit), limit: limit)
        } catch {
            state.endSearch(scope, found: nil, limit: limit)
            throw error
        }
    }

    private func startRequests() {
        while let batch = state.nextBatch() {
            lastRequest += 1
            let number = lastRequest
            requests[number] = Task { await self.request(batch, number: number) }
        }
    }

    private func request(_ batch: [ScopedOriginal], number: Int) async {
        let scope = batch[0].scope
        var isFirst = true
        for original in batch {
            if state.shouldRequest(original, isFirst: isFirst, at: now) {
                isFirst = false
                await request(original)
            }
            resume(state.endRequest(original))
        }
        requests[number] = nil
        if state.endBatch(of: scope) {
            do throws(StoreError) {
                try await search(scope)
            } catch {
                databaseFailures.log(error, logger: logger)
            }
        }
        // Other requests aren't part of the trace in which this one was started.
        ServiceContext.$current.withValue(nil) { startRequests() }
    }

    // MARK: Requests to the App Store

    private func request(_ original: ScopedOriginal) async {
        do throws(StoreError) {
            try await complete(original)
            state.databaseSucceeded()
        } catch {
            state.databaseFailed(at: now)
            databaseFailures.log(error, logger: logger)
        }
    }

    /// Reads what the App Store has about an original transaction, and writes the result.
    private func complete(_ original: ScopedOriginal) async throws(StoreError) {
        let identifier = original.originalTransactionIdentifier
        // One that was forgotten since isn't in the queue.
        guard let known = try await store.completions(of: [identifier], in: original.scope)[identifier] else { return }
        let outcome = try await reader.read(original, from: known.revision) { error, delay in
            await self.attemptFailed(original, with: error, retryAfter: delay)
        }
        if let label = outcome.label { metrics.countAppStoreRequest(outcome: label) }
        let newest: Int64? = if case .unknown = outcome { try await store.newestSignedDate(of: original) } else { nil }
        let result = state.received(
            outcome, about: original, attempts: known.attempts, newest: newest, at: now)
        for notice in result.notices { log(notice, about: original.scope) }
        switch result.write {
        case .complete(let originals, let revision):
            let forgetCount = forgetCount
            guard try await store.complete(originals, answering: original, revision: revision, at: now) else { return }
            let completed = originals.map { ScopedOriginal(scope: original.scope, originalTransactionIdentifier: $0) }
            markComplete(completed, at: now, since: forgetCount)
            resume(state.finish(Set(completed)))
        case .postpone(let attempts, let due):
            try await store.postpone(
                original, attempts: attempts, due: due, ifNotCompletedAfter: state.oldestCompletion(at: now))
        case nil:
            break
        }
    }

    private func attemptFailed(
        _ original: ScopedOriginal, with error: AppStoreServerError, retryAfter delay: Duration
    ) {
        let (notices, released) = state.attemptFailed(original, with: error, retryAfter: delay, at: now)
        for notice in notices { log(notice, about: original.scope) }
        resume(released)
    }

    private func log(_ notice: CompletionStateMachine.Notice, about scope: AppScope) {
        switch notice {
        case .reachable:
            logger.notice(
                "The App Store can be reached again",
                metadata: ["app": "\(scope.app)", "environment": "\(scope.environment.rawValue)"])
        case .unreachable(let error):
            logger.warning(
                "The App Store can't be reached; responses contain what is known",
                metadata: error.metadata(for: scope, key: clients.keyIdentifier(of: scope.app)))
        case .rejected(let error):
            logger.warning(
                "The App Store rejects a request",
                metadata: error.metadata(for: scope, key: clients.keyIdentifier(of: scope.app)))
        case .paused(let error, let end):
            var metadata = error.metadata(for: scope, key: clients.keyIdentifier(of: scope.app))
            metadata["until"] = "\(ReceiptDate.string(from: Date(milliseconds: end)))"
            switch error.code {
            case .rateLimited:
                logger.warning(
                    "The App Store limits requests about an app; responses contain what is known", metadata: metadata)
            case .unauthenticated:
                logger.error("The App Store rejects the key", metadata: metadata)
            default:
                logger.error("The App Store doesn't know the app, or not with this key", metadata: metadata)
            }
        }
    }
}
#endif
