#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI

/// Decides for which original transactions requests to the App Store are sent, when, and how long responses wait for
/// them.
///
/// The state machine performs no I/O and has no clock: ``AppStoreCompletion`` passes events with their time, and
/// performs the actions that they return. Times are milliseconds since 1970. What isn't in memory stays in the
/// database, where a search finds it once it is due.
@available(AppReceiptServer 1.0, *)
struct CompletionStateMachine: Sendable {
    /// The number of batches in progress. The client limits the rate of the requests.
    static let maxRequests = 48
    /// The number of batches in progress of one app and environment, so that a slow one leaves room for others.
    static let maxRequestsPerScope = 32
    /// The number of original transactions in memory.
    static let maxQueued = 10_000
    /// The number of original transactions of one app and environment in memory.
    static let maxQueuedPerScope = 5000
    /// The number of original transactions of an app that one search of the database adds.
    static let maxFound = 500
    /// The number of original transactions of an app in memory below which the database is searched for more.
    static let minQueued = 50
    /// The number of responses that wait. Further ones are sent with what is known.
    static let maxWaiters = 100
    private static let pauseAfterRejectedKey: Int64 = 300_000
    /// Apple counts requests by the hour, so a later date isn't Apple's.
    private static let maxPause: Int64 = 86_400_000
    private static let maxDelayInOutage: Int64 = 3_600_000
    /// Short, because responses don't wait for the App Store in the meantime.
    private static let maxPauseOfDatabase: Int64 = 60_000
    /// The age of signed data up to which a purchase that the App Store doesn't have is a new one, which it will have
    /// in minutes.
    private static let maxAgeOfNewPurchase: Int64 = 3_600_000
    private static let maxDelayOfNewPurchase: Int64 = 300_000

    private let refreshInterval: Int64
    private let patience: Duration

    /// The date at which the requests about an original transaction were last completed.
    private var completed = GenerationalCache<ScopedOriginal, Int64>(capacity: 100_000)
    /// The original transactions that wait for a request.
    private var queue = CompletionQueue()
    /// The original transactions in ``queue`` and in batches in progress.
    private var pending: Set<ScopedOriginal> = []
    /// The apps and environments with requests in progress, a backlog, an outage or a pause.
    private var scopes: [AppScope: CompletionScope] = [:]
    /// The pause after the database failed, and how often it failed in succession.
    private var database: (pauseEnd: Int64, failures: Int) = (0, 0)
    /// The original transactions for which each waiting response waits.
    private var waiters: [Int: Set<ScopedOriginal>] = [:]
    private var lastWaiter = 0
    /// The date to repeat requests whose responses can't be used or contain data that doesn't verify. Responses of the
    /// server don't cause them before.
    private var rejections = GenerationalCache<ScopedOriginal, Int64>(capacity: 10_000)
    /// The signing date of data about an original transaction, for those that a request named. It isn't in the
    /// database yet when the App Store responds.
    private var signedDates = GenerationalCache<ScopedOriginal, Int64>(capacity: 10_000)
    private var isStopped = false

    /// - Parameters:
    ///   - refreshInterval: The time after which the requests about a purchase are repeated.
    ///   - patience: The longest time that a response waits.
    init(refreshInterval: Duration, patience: Duration) {
        // At least a second, and at most a year, as on the command line.
        self.refreshInterval = min(max(refreshInterval.components.seconds, 1), 31_536_000) * 1000
        self.patience = patience
    }

    /// Ends everything: no request starts any more.
    ///
    /// - Returns: The responses that needn't wait any more.
    mutating func stop() -> [Int] {
        isStopped = true
        defer { waiters = [:] }
        return waiters.keys.sorted()
    }
}

// MARK: - Responses of the server

@available(AppReceiptServer 1.0, *)
extension CompletionStateMachine {
    /// Returns whether the requests about an original transaction were completed within the refresh interval.
    mutating func isComplete(_ original: ScopedOriginal, at now: Int64) -> Bool {
        completed.value(for: original).map { $0 > oldestCompletion(at: now) } ?? false
    }

    /// Returns the date up to which a completion is outdated.
    func oldestCompletion(at now: Int64) -> Int64 { now - refreshInterval }

    /// Marks an original transaction as complete since a date.
    mutating func markComplete(_ original: ScopedOriginal, at date: Int64) {
        completed.insert(date, for: original, cost: 1)
    }

    /// Forgets which original transactions are complete, because purchases were forgotten.
    mutating func forgetCompleted() { completed.removeAll() }

    enum WaitAction: Hashable {
        /// Send the response with what is known.
        case proceed
        /// Wait until an action names this number, or ``patience`` ends.
        case wait(Int)
    }

    /// Adds the original transactions that a response needs to the queue, before all others.
    ///
    /// - Parameters:
    ///   - originals: The original transactions of one app, none of which is complete.
    ///   - signed: When the data that names them was signed; nil if that isn't known.
    ///   - now: The current time.
    /// - Returns: What the response does.
    mutating func request(_ originals: [ScopedOriginal], signed: Int64?, at now: Int64) -> WaitAction {
        guard let scope = originals.first?.scope else { return .proceed }
        if let signed {
            for original in originals {
                signedDates.insert(max(signed, signedDates.value(for: original) ?? signed), for: original, cost: 1)
            }
        }
        guard !isStopped, !isPaused(scope, at: now) else { return .proceed }
        let usable = originals.filter { (rejections.value(for: $0) ?? 0) <= now }
        if let batch = admit(usable) { queue.addFirst(batch) }
        guard scopes[scope]?.isUnreachable != true, waiters.count < Self.maxWaiters else { return .proceed }
        let remaining = Set(usable.filter { pending.contains($0) && !isComplete($0, at: now) })
        guard !remaining.isEmpty else { return .proceed }
        lastWaiter += 1
        waiters[lastWaiter] = remaining
        return .wait(lastWaiter)
    }

    /// Ends the waiting of a response.
    mutating func patienceEnded(of waiter: Int) { waiters[waiter] = nil }

    /// Ends the waiting for original transactions.
    ///
    /// - Returns: The responses that wait for nothing else.
    mutating func finish(_ originals: Set<ScopedOriginal>) -> [Int] {
        var finished: [Int] = []
        for waiter in waiters.keys.sorted() {
            waiters[waiter]?.subtract(originals)
            guard waiters[waiter]?.isEmpty == true else { continue }
            waiters[waiter] = nil
            finished.append(waiter)
        }
        return finished
    }
}

// MARK: - The queue

@available(AppReceiptServer 1.0, *)
extension CompletionStateMachine {
    /// Marks those of the original transactions as pending that aren't; nil if there are none, or no room.
    private mutating func admit(_ originals: [ScopedOriginal]) -> [ScopedOriginal]? {
        guard queue.count < Self.maxQueued, let scope = originals.first?.scope,
            queue.count(of: scope) < Self.maxQueuedPerScope
        else { return nil }
        let admitted = originals.filter { pending.insert($0).inserted }
        return admitted.isEmpty ? nil : admitted
    }

    /// Begins a search of the database for due requests about an app.
    ///
    /// - Returns: The number of original transactions to read; nil if there is nothing to search for: enough are in
    ///   memory, requests pause, or another search is in progress.
    mutating func beginSearch(_ scope: AppScope, at now: Int64) -> Int? {
        guard !isStopped, !isPaused(scope, at: now), scopes[scope]?.isSearching != true,
            queue.count(of: scope) < Self.minQueued
        else { return nil }
        scopes[scope, default: CompletionScope()].isSearching = true
        // Those in memory are due too.
        return Self.maxFound + pending.count { $0.scope == scope }
    }

    /// Ends a search.
    ///
    /// - Parameters:
    ///   - scope: The app and environment.
    ///   - due: The batches that were found; nil if the database failed.
    ///   - limit: The number of original transactions that ``beginSearch(_:at:)`` returned.
    mutating func endSearch(_ scope: AppScope, found due: [[ScopedOriginal]]?, limit: Int) {
        scopes[scope]?.isSearching = false
        guard !isStopped, let due else { return }
        scopes[scope]?.hasBacklog = due.reduce(0) { $0 + $1.count } >= limit
        queue.addLast(due.compactMap { admit($0) }, of: scope)
    }

    /// Removes the next batch from the queue and begins it; nil if there is none, or too many are in progress.
    mutating func nextBatch() -> [ScopedOriginal]? {
        let inProgress = scopes.mapValues(\.requests)
        let full = Set(scopes.filter { $0.value.requests >= $0.value.maxRequests }.keys)
        guard !isStopped, inProgress.values.reduce(0, +) < Self.maxRequests,
            let batch = queue.next(inProgress: inProgress, except: full)
        else { return nil }
        scopes[batch[0].scope, default: CompletionScope()].requests += 1
        return batch
    }

    /// Ends a batch.
    ///
    /// - Returns: Whether to search the database for more about the app.
    mutating func endBatch(of scope: AppScope) -> Bool {
        scopes[scope]?.requests -= 1
        if scopes[scope]?.isIdle == true { scopes[scope] = nil }
        return scopes[scope]?.hasBacklog == true
    }
}

// MARK: - Requests to the App Store

@available(AppReceiptServer 1.0, *)
extension CompletionStateMachine {
    /// Returns whether to send the requests about an original transaction of a batch. Those that aren't sent stay due.
    ///
    /// - Parameters:
    ///   - original: The original transaction.
    ///   - isFirst: Whether no requests about the batch were sent before.
    ///   - now: The current time.
    mutating func shouldRequest(_ original: ScopedOriginal, isFirst: Bool, at now: Int64) -> Bool {
        // During an outage, each request takes as long as the client repeats it, so the rest of the batch isn't sent.
        guard isFirst || scopes[original.scope]?.isUnreachable != true else { return false }
        return !isStopped && !isPaused(original.scope, at: now) && !isComplete(original, at: now)
    }

    /// Ends the requests about an original transaction, also if none was sent.
    ///
    /// - Returns: The responses that wait for nothing else. They don't wait until the requests are repeated.
    mutating func endRequest(_ original: ScopedOriginal) -> [Int] {
        pending.remove(original)
        return finish([original])
    }

    /// A write to the database after a request.
    enum Write: Hashable, Sendable {
        /// The requests about these original transactions are completed.
        case complete(Set<String>, revision: String?)
        case postpone(attempts: Int, due: Int64)
    }

    /// An event for the log about an app.
    enum Notice: Sendable, Equatable {
        /// The App Store can be reached again.
        case reachable
        /// The App Store can't be reached.
        case unreachable(AppStoreServerError)
        /// The App Store rejects the key or the app, or limits the requests. None is sent until the date.
        case paused(AppStoreServerError, until: Int64)
        /// The App Store rejects the request about one customer.
        case rejected(AppStoreServerError)
    }

    /// Decides what to write and to log about the result of a request.
    ///
    /// - Parameters:
    ///   - outcome: The result.
    ///   - original: The original transaction that the request named.
    ///   - attempts: The number of earlier requests that failed.
    ///   - newest: When the newest stored evidence was signed. Needed only for ``AppStoreReader/Outcome/unknown(_:)``.
    ///   - now: The current time.
    mutating func received(
        _ outcome: AppStoreReader.Outcome, about original: ScopedOriginal, attempts: Int, newest: Int64? = nil,
        at now: Int64
    ) -> (write: Write?, notices: [Notice]) {
        switch outcome {
        case .complete(let originals, let revision):
            return (.complete(originals, revision: revision), markReachable(original.scope))
        case .unknown:
            let notices = markReachable(original.scope)
            // Signed data proves that the purchase exists. The App Store may not have a new one yet.
            let signed = max(newest ?? .min, signedDates.value(for: original) ?? .min)
            guard signed > now - Self.maxAgeOfNewPurchase else {
                return (.complete([original.originalTransactionIdentifier], revision: nil), notices)
            }
            return (reject(original, attempts: attempts, maxDelay: Self.maxDelayOfNewPurchase, at: now), notices)
        case .rejected:
            let notices = markReachable(original.scope)
            return (reject(original, attempts: attempts, maxDelay: refreshInterval, at: now), notices)
        case .failed(let error):
            return failed(error, about: original, attempts: attempts, at: now)
        }
    }

    private mutating func failed(
        _ error: AppStoreServerError, about original: ScopedOriginal, attempts: Int, at now: Int64
    ) -> (write: Write?, notices: [Notice]) {
        guard error.code != .canceled else { return (nil, []) }
        var notices = error.httpStatus != nil && !error.isOutage ? markReachable(original.scope) : []
        if error.concernsWholeApp {
            let end = now + Self.pauseAfterRejectedKey
            notices += scopes[original.scope, default: CompletionScope()].pause(after: error, until: end, at: now)
            return (.postpone(attempts: attempts + 1, due: end), notices)
        }
        guard error.isRetryable else {
            notices.append(.rejected(error))
            return (reject(original, attempts: attempts, maxDelay: refreshInterval, at: now), notices)
        }
        let retry = now + Self.delay(afterAttempts: attempts, max: Self.maxDelayInOutage)
        let due = min(max(retry, error.retryDate?.milliseconds ?? 0), now + Self.maxPause)
        notices += scopes[original.scope, default: CompletionScope()].recordOutage(after: error, until: due, at: now)
        return (.postpone(attempts: attempts + 1, due: due), notices)
    }

    /// Postpones a request whose response can't be used. Responses of the server don't cause it before.
    private mutating func reject(
        _ original: ScopedOriginal, attempts: Int, maxDelay: Int64, at now: Int64
    ) -> Write {
        let due = now + Self.delay(afterAttempts: attempts, max: maxDelay)
        rejections.insert(due, for: original, cost: 1)
        return .postpone(attempts: attempts + 1, due: due)
    }

    /// Returns the time until a request is repeated.
    private static func delay(afterAttempts attempts: Int, max: Int64) -> Int64 {
        min(max, 2000 << Int64(min(attempts, 30)))
    }
}

// MARK: - Outages and pauses

@available(AppReceiptServer 1.0, *)
extension CompletionStateMachine {
    /// Handles a failed attempt that the client will repeat: releases responses that would outwait ``patience``.
    ///
    /// - Returns: What to log, and the responses that needn't wait any more.
    mutating func attemptFailed(
        _ original: ScopedOriginal, with error: AppStoreServerError, retryAfter delay: Duration, at now: Int64
    ) -> (notices: [Notice], waiters: [Int]) {
        guard error.code != .rateLimited || delay > patience else { return ([], []) }
        let notices = scopes[original.scope, default: CompletionScope()].recordOutage(
            after: error, until: now + Int64(delay / .milliseconds(1)), at: now)
        guard delay > patience else { return (notices, []) }
        // A limit is for all customers of the app.
        let isLimit = error.code == .rateLimited
        return (notices, finish(isLimit ? pending.filter { $0.scope == original.scope } : [original]))
    }

    /// Pauses all requests after a failure of the database, because their results would be lost: longer after each
    /// failure in succession.
    mutating func databaseFailed(at now: Int64) {
        guard database.pauseEnd <= now else { return }
        database.pauseEnd = now + Self.delay(afterAttempts: database.failures, max: Self.maxPauseOfDatabase)
        database.failures += 1
    }

    /// Ends the succession of failures of the database.
    mutating func databaseSucceeded() { database.failures = 0 }

    private func isPaused(_ scope: AppScope, at now: Int64) -> Bool {
        database.pauseEnd > now || scopes[scope]?.pauseEnd(at: now) != nil
    }

    private mutating func markReachable(_ scope: AppScope) -> [Notice] { scopes[scope]?.markReachable() ?? [] }
}
#endif
