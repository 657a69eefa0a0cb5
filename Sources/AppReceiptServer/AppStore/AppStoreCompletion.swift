#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreServerAPI
import AppStoreSignedData
import Logging
import ServiceLifecycle

/// Completes the database with what the App Store knows about a customer.
///
/// The App Store is asked about an original transaction the first time that verified data names it, and again after
/// ``AppStoreConfiguration/refreshInterval``. The queue is in the database, so it survives the end of the process. Responses of the
/// server wait for at most ``AppStoreConfiguration/patience``, and not at all while the App Store can't be reached or accepts no requests.
@available(AppReceiptServer 1.0, *)
actor AppStoreCompletion: Service {
    private let reader: AppStoreReader
    private let store: TransactionStore
    private let metrics: ServerMetrics
    private let logger: Logger
    private let refreshInterval: Int64
    private let patience: Duration
    private let keyIdentifier: String
    private let clock: AppStoreServerClock

    /// When the App Store last answered about an original transaction, in milliseconds since 1970.
    private var completed = GenerationalCache<ScopedOriginal, Int64>(capacity: 100_000)
    /// The original transactions that wait for a request.
    private var queue = CompletionQueue()
    /// The original transactions in ``queue`` and those that the App Store is being asked about.
    private var pending: Set<ScopedOriginal> = []
    /// The batches that the App Store is being asked about.
    private var requests: [Int: Task<Void, Never>] = [:]
    private var requestsByScope: [AppScope: Int] = [:]
    private var lastRequest = 0
    /// The apps with more due requests in the database than the last search returned.
    private var backlogs: Set<AppScope> = []
    private var isSearching = false
    private var waiters: [Int: Waiter] = [:]
    private var lastWaiter = 0
    /// Until when nothing is asked about an app, because the App Store rejected the key or the app, or limits the requests.
    /// Milliseconds since 1970.
    private var pauses = GenerationalCache<AppScope, Int64>(capacity: 1000)
    /// When to ask again about customers whose answers can't be used, or contain data that doesn't verify. Responses don't cause
    /// requests before. Milliseconds since 1970.
    private var rejections = GenerationalCache<ScopedOriginal, Int64>(capacity: 10_000)
    /// When data that names an original transaction was signed, for those that a request named, in milliseconds since 1970. It isn't in the
    /// database yet when the App Store is asked.
    private var signedDates = GenerationalCache<ScopedOriginal, Int64>(capacity: 10_000)
    /// Whether the App Store couldn't be reached with the last request about an app.
    private var outages = GenerationalCache<AppScope, Bool>(capacity: 1000)
    private var isStopped = false

    /// A response that waits for answers.
    private struct Waiter {
        var remaining: Set<ScopedOriginal>
        let continuation: CheckedContinuation<Void, Never>
    }

    /// The number of batches that are asked about at the same time. The client limits the rate.
    private static let maxRequests = 48
    /// The same for one app and environment, so that one with an outage leaves room for the others.
    private static let maxRequestsPerScope = 32
    /// The number of original transactions in memory. The others stay in the database until there is room.
    private static let maxQueued = 10_000
    /// The number of original transactions of an app that one search of the database adds.
    private static let maxFound = 500
    /// The number of original transactions of an app in memory below which the database is searched for more.
    private static let minQueued = 50
    /// The number of responses that wait. Further ones are sent with what is known.
    private static let maxWaiters = 100
    /// The time after which the database is searched for due requests again, which also bounds how late a repetition is.
    private static let searchInterval = Duration.seconds(5)
    private static let pauseAfterRejectedKey: Int64 = 300_000
    /// Apple counts requests by the hour, so a later date isn't Apple's.
    private static let maxPause: Int64 = 86_400_000
    private static let maxDelayInOutage: Int64 = 3_600_000
    /// The age of signed data up to which a purchase that the App Store doesn't know is a new one, which it will know in minutes.
    private static let maxAgeOfNewPurchase: Int64 = 3_600_000
    private static let maxDelayOfNewPurchase: Int64 = 300_000

    init(
        _ configuration: AppStoreConfiguration, clients: AppStoreClients, store: TransactionStore,
        metrics: ServerMetrics, logger: Logger
    ) {
        reader = AppStoreReader(clients: clients, store: store, metrics: metrics, logger: logger)
        self.store = store
        self.metrics = metrics
        self.logger = logger
        refreshInterval = configuration.refreshInterval.components.seconds * 1000
        patience = configuration.patience
        keyIdentifier = clients.keyIdentifier
        clock = configuration.client.clock
    }

    private var now: Int64 { clock.now().milliseconds ?? 0 }

    /// Asks about what was in the queue when the process ended, and repeats requests that failed, until the server shuts down.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.searchDueRequests()
                // Cancellation ends the loop.
                try? await self.clock.sleep(Self.searchInterval)
            }
        }
        stop()
    }

    private func stop() {
        isStopped = true
        for request in requests.values { request.cancel() }
        for waiter in waiters.values { waiter.continuation.resume() }
        waiters = [:]
    }

    // MARK: Responses of the server

    /// Asks the App Store about the original transactions for which that is due, and waits for the answers.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: Their app and environment.
    ///   - signedDate: When the data that names them was signed; nil if that isn't known.
    /// - Returns: Whether the database is complete. Otherwise the answers are in a later response.
    func complete(_ originals: Set<String>, scope: AppScope, signedDate: Date? = nil) async -> Bool {
        let due: [ScopedOriginal]
        do throws(StoreError) {
            due = try await dueOriginals(originals, scope: scope)
            guard !due.isEmpty else { return true }
            try await store.enqueue(Set(due.map(\.originalTransactionIdentifier)), scope: scope, due: now)
        } catch {
            logger.databaseFailed(error)
            return false
        }
        if let signed = signedDate?.milliseconds {
            for original in due {
                signedDates.insert(max(signed, signedDates.value(for: original) ?? signed), for: original, cost: 1)
            }
        }
        let asked = due.filter { (rejections.value(for: $0) ?? 0) <= now }
        if let batch = admit(asked) { queue.addFirst(batch) }
        startRequests()
        guard !isStopped, outages.value(for: scope) != true, end(ofPause: scope) == nil,
            waiters.count < Self.maxWaiters
        else { return false }
        await wait(for: asked.filter { pending.contains($0) })
        return due.allSatisfy { isComplete($0) }
    }

    private func dueOriginals(
        _ originals: Set<String>, scope: AppScope
    ) async throws(StoreError) -> [ScopedOriginal] {
        func scoped(_ original: String) -> ScopedOriginal {
            ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
        }
        let unknown = originals.filter { $0.isStorable && !isComplete(scoped($0)) }
        guard !unknown.isEmpty else { return [] }
        for (original, known) in try await store.completions(of: unknown, scope: scope) {
            if let date = known.completed { completed.insert(date, for: scoped(original), cost: 1) }
        }
        return unknown.sorted().map(scoped).filter { !isComplete($0) }
    }

    private func isComplete(_ original: ScopedOriginal) -> Bool {
        completed.value(for: original).map { $0 > now - refreshInterval } ?? false
    }

    private func wait(for originals: [ScopedOriginal]) async {
        let remaining = Set(originals.filter { !isComplete($0) })
        guard !remaining.isEmpty else { return }
        lastWaiter += 1
        let number = lastWaiter
        let timer = Task { [clock, patience] in
            try? await clock.sleep(patience)
            self.endWaiting(number)
        }
        await withCheckedContinuation { continuation in
            waiters[number] = Waiter(remaining: remaining, continuation: continuation)
        }
        timer.cancel()
    }

    private func endWaiting(_ number: Int) {
        waiters.removeValue(forKey: number)?.continuation.resume()
    }

    /// Resumes the responses that wait for nothing else.
    private func finish(_ originals: Set<ScopedOriginal>) {
        for number in waiters.keys.sorted() {
            waiters[number]?.remaining.subtract(originals)
            if waiters[number]?.remaining.isEmpty == true { endWaiting(number) }
        }
    }

    // MARK: The queue

    /// Marks those of the original transactions as pending that aren't; nil if there are none, or no room.
    private func admit(_ originals: [ScopedOriginal]) -> [ScopedOriginal]? {
        guard !isStopped, queue.count < Self.maxQueued else { return nil }
        let admitted = originals.filter { pending.insert($0).inserted }
        return admitted.isEmpty ? nil : admitted
    }

    private func searchDueRequests() async {
        do throws(StoreError) {
            metrics.appStoreQueue(try await store.pendingCompletions())
            for scope in try await store.scopesOfDueCompletions(at: now) { try await refill(scope) }
        } catch {
            logger.databaseFailed(error)
        }
        startRequests()
    }

    /// Adds due requests about an app from the database, if few are in memory.
    private func refill(_ scope: AppScope) async throws(StoreError) {
        guard !isSearching, queue.count(of: scope) < Self.minQueued else { return }
        isSearching = true
        defer { isSearching = false }
        // Those in memory are due too.
        let limit = Self.maxFound + pending.count
        let due = try await store.dueCompletions(scope, at: now, limit: limit)
        if due.reduce(0, { $0 + $1.count }) < limit { backlogs.remove(scope) } else { backlogs.insert(scope) }
        queue.addLast(due.compactMap { admit($0) }, of: scope)
    }

    private func startRequests() {
        while !isStopped, requests.count < Self.maxRequests,
            let batch = queue.next(requests: requestsByScope, limit: Self.maxRequestsPerScope)
        {
            lastRequest += 1
            let number = lastRequest
            requestsByScope[batch[0].scope, default: 0] += 1
            requests[number] = Task { await self.request(batch, number: number) }
        }
    }

    private func request(_ batch: [ScopedOriginal], number: Int) async {
        let scope = batch[0].scope
        for original in batch {
            // Another request of the same customer may have answered it.
            if !isStopped, !isComplete(original) { await ask(original) }
            pending.remove(original)
        }
        requests[number] = nil
        requestsByScope[scope] = requestsByScope[scope].flatMap { $0 > 1 ? $0 - 1 : nil }
        if backlogs.contains(scope), !isStopped {
            do throws(StoreError) {
                try await refill(scope)
            } catch {
                logger.databaseFailed(error)
            }
        }
        startRequests()
    }

    // MARK: Requests to the App Store

    private func ask(_ original: ScopedOriginal) async {
        let known: Completion?
        do throws(StoreError) {
            known = try await store.completions(
                of: [original.originalTransactionIdentifier], scope: original.scope)[
                    original.originalTransactionIdentifier]
            if let end = end(ofPause: original.scope) {
                try await store.postpone(original, attempts: known?.attempts ?? 0, due: end)
                return finish([original])
            }
            let outcome = await reader.read(original, from: known?.revision) { error, delay in
                await self.willRepeat(original, after: error, in: delay)
            }
            switch outcome {
            case .answered(let originals, let revision):
                answered("answered", scope: original.scope)
                try await complete(originals, scope: original.scope, revision: revision)
            case .unknown(let code):
                answered(code.rawValue, scope: original.scope)
                if try await isNew(original) {
                    try await reject(
                        original, attempts: known?.attempts ?? 0, maxDelay: Self.maxDelayOfNewPurchase)
                } else {
                    try await complete([original.originalTransactionIdentifier], scope: original.scope, revision: nil)
                }
            case .rejected:
                answered(AppStoreServerError.Code.verificationFailed.rawValue, scope: original.scope)
                try await reject(original, attempts: known?.attempts ?? 0, maxDelay: refreshInterval)
            case .failed(let error):
                try await failed(original, attempts: known?.attempts ?? 0, error: error)
            case .databaseFailed(let error):
                throw error
            }
        } catch {
            // The request is still due: only the next search repeats it.
            backlogs.remove(original.scope)
            logger.databaseFailed(error)
        }
        // Responses don't wait for a repetition.
        finish([original])
    }

    private func complete(_ originals: Set<String>, scope: AppScope, revision: String?) async throws(StoreError) {
        try await store.complete(originals, scope: scope, revision: revision, at: now)
        let answered = originals.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) }
        for other in answered { completed.insert(now, for: other, cost: 1) }
        finish(Set(answered))
    }

    /// Whether signed data proves that a purchase exists, and is so new that the App Store may not know the purchase yet.
    private func isNew(_ original: ScopedOriginal) async throws(StoreError) -> Bool {
        let oldest = now - Self.maxAgeOfNewPurchase
        if let signed = signedDates.value(for: original), signed > oldest { return true }
        return try await store.newestSignedDate(of: original).map { $0 > oldest } ?? false
    }

    /// Postpones a request whose answer can't be used. Responses don't cause it before.
    private func reject(_ original: ScopedOriginal, attempts: Int, maxDelay: Int64) async throws(StoreError) {
        let due = now + Self.delay(afterAttempts: attempts, max: maxDelay)
        rejections.insert(due, for: original, cost: 1)
        try await store.postpone(original, attempts: attempts + 1, due: due)
    }

    private func end(ofPause scope: AppScope) -> Int64? { pauses.value(for: scope).flatMap { $0 > now ? $0 : nil } }

    /// The time until a request is repeated, in milliseconds.
    private static func delay(afterAttempts attempts: Int, max: Int64) -> Int64 {
        min(max, 2000 << Int64(min(attempts, 30)))
    }

    private func answered(_ outcome: String, scope: AppScope) {
        metrics.appStoreRequest(outcome: outcome)
        noteAnswer(scope)
    }

    private func noteAnswer(_ scope: AppScope) {
        guard outages.value(for: scope) == true else { return }
        logger.notice(
            "The App Store can be reached again",
            metadata: ["app": "\(scope.app)", "environment": "\(scope.environment)"])
        outages.insert(false, for: scope, cost: 1)
    }

    private func failed(
        _ original: ScopedOriginal, attempts: Int, error: AppStoreServerError
    ) async throws(StoreError) {
        guard error.code != .canceled else { return }
        metrics.appStoreRequest(outcome: error.code.rawValue)
        if error.httpStatus != nil, !error.isOutage { noteAnswer(original.scope) }
        let metadata = error.metadata(for: original.scope, key: keyIdentifier)
        if error.concernsWholeApp {
            let end = now + Self.pauseAfterRejectedKey
            let message: Logger.Message =
                error.code == .unauthenticated
                ? "The App Store rejects the key" : "The App Store doesn't know the app, or not with this key"
            pause(original.scope, until: end) { logger.error(message, metadata: metadata.merging($0) { $1 }) }
            return try await store.postpone(original, attempts: attempts + 1, due: end)
        }
        guard error.isRetryable else {
            logger.warning("The App Store rejects a request", metadata: metadata)
            return try await reject(original, attempts: attempts, maxDelay: refreshInterval)
        }
        let repetition = now + Self.delay(afterAttempts: attempts, max: Self.maxDelayInOutage)
        let due = min(max(repetition, error.retryDate?.milliseconds ?? 0), now + Self.maxPause)
        noteOutage(of: original.scope, after: error, until: due)
        try await store.postpone(original, attempts: attempts + 1, due: due)
    }

    // MARK: Outages

    /// Learns of a failed attempt that the client repeats, so that responses don't wait for what comes too late.
    private func willRepeat(_ original: ScopedOriginal, after error: AppStoreServerError, in delay: Duration) {
        guard error.code != .rateLimited || delay > patience else { return }
        noteOutage(of: original.scope, after: error, until: now + Int64(delay / .milliseconds(1)))
        // The repetition comes too late for the responses that wait, and the limit is for all customers of the app.
        guard delay > patience else { return }
        finish(error.code == .rateLimited ? pending.filter { $0.scope == original.scope } : [original])
    }

    /// Remembers that the App Store accepts no requests about an app, or can't be reached, unless the failure concerns one customer.
    private func noteOutage(of scope: AppScope, after error: AppStoreServerError, until end: Int64) {
        let metadata = error.metadata(for: scope, key: keyIdentifier)
        if error.code == .rateLimited {
            pause(scope, until: end) {
                logger.warning(
                    "The App Store limits requests about an app; responses contain what is known",
                    metadata: metadata.merging($0) { $1 })
            }
        } else if error.isOutage {
            if outages.value(for: scope) != true {
                logger.warning("The App Store can't be reached; responses contain what is known", metadata: metadata)
            }
            outages.insert(true, for: scope, cost: 1)
        }
    }

    /// Asks nothing about an app until a date, and logs that once with the date.
    private func pause(_ scope: AppScope, until end: Int64, log: (Logger.Metadata) -> Void) {
        let isKnown = self.end(ofPause: scope) != nil
        pauses.insert(max(end, pauses.value(for: scope) ?? 0), for: scope, cost: 1)
        guard !isKnown else { return }
        let date = Date(timeIntervalSince1970: Double(end) / 1000)
        log(["until": "\(ReceiptDate.string(from: date))"])
    }
}
#endif
