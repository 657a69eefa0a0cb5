#if Server
import AppReceiptFoundation
import AppStoreServerAPI

/// Decides which original transactions the App Store is asked about, when, and how long responses wait for the answers.
///
/// The state machine performs no I/O and has no clock: ``AppStoreCompletion`` passes events with their time, and
/// performs the actions that they return. Times are milliseconds since 1970.
@available(AppReceiptServer 1.0, *)
struct CompletionStateMachine: Sendable {
    /// The number of batches that are asked about at the same time. The client limits the rate.
    static let maxRequests = 48
    /// The same for one app and environment, so that one with an outage leaves room for the others.
    static let maxRequestsPerScope = 32
    /// The number of original transactions in memory. The others stay in the database until there is room.
    static let maxQueued = 10_000
    /// The same for one app and environment, so that one with an outage leaves room for the others.
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
    /// The age of signed data up to which a purchase that the App Store doesn't know is a new one, which it will know
    /// in minutes.
    private static let maxAgeOfNewPurchase: Int64 = 3_600_000
    private static let maxDelayOfNewPurchase: Int64 = 300_000

    private let refreshInterval: Int64
    private let patience: Duration

    /// When the App Store last answered about an original transaction.
    private var completed = GenerationalCache<ScopedOriginal, Int64>(capacity: 100_000)
    /// The original transactions that wait for a request.
    private var queue = CompletionQueue()
    /// The original transactions in ``queue`` and those that the App Store is being asked about.
    private var pending: Set<ScopedOriginal> = []
    /// The number of batches of each app that the App Store is being asked about.
    private var requests: [AppScope: Int] = [:]
    /// The apps with more due requests in the database than the last search returned.
    private var backlogs: Set<AppScope> = []
    private var isSearching = false
    /// The original transactions for which each waiting response waits.
    private var waiters: [Int: Set<ScopedOriginal>] = [:]
    private var lastWaiter = 0
    /// When requests about an app resume. They pause after the App Store rejected the key or the app, or limited the
    /// requests.
    private var pauses = GenerationalCache<AppScope, Int64>(capacity: 1000)
    /// When to ask again about customers whose answers can't be used, or contain data that doesn't verify. Responses
    /// don't cause requests before.
    private var rejections = GenerationalCache<ScopedOriginal, Int64>(capacity: 10_000)
    /// When data that names an original transaction was signed, for those that a request named. It isn't in the
    /// database yet when the App Store is asked.
    private var signedDates = GenerationalCache<ScopedOriginal, Int64>(capacity: 10_000)
    /// How often in succession the database didn't accept what was learned about an app.
    private var failedWrites = GenerationalCache<AppScope, Int>(capacity: 1000)
    /// Whether the App Store couldn't be reached with the last request about an app.
    private var outages = GenerationalCache<AppScope, Bool>(capacity: 1000)
    private var isStopped = false

    /// - Parameters:
    ///   - refreshInterval: The time after which the App Store is asked about a purchase again.
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
    /// Whether the App Store has answered about an original transaction, within the refresh interval.
    mutating func isComplete(_ original: ScopedOriginal, at now: Int64) -> Bool {
        completed.value(for: original).map { $0 > now - refreshInterval } ?? false
    }

    /// Notes when the App Store answered about an original transaction.
    mutating func noteCompleted(_ original: ScopedOriginal, at date: Int64) {
        completed.insert(date, for: original, cost: 1)
    }

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
        let asked = originals.filter { (rejections.value(for: $0) ?? 0) <= now }
        if let batch = admit(asked) { queue.addFirst(batch) }
        guard mayWait(about: scope, at: now) else { return .proceed }
        let remaining = Set(asked.filter { pending.contains($0) && !isComplete($0, at: now) })
        guard !remaining.isEmpty else { return .proceed }
        lastWaiter += 1
        waiters[lastWaiter] = remaining
        return .wait(lastWaiter)
    }

    /// Whether a response may wait for an answer about an app.
    private mutating func mayWait(about scope: AppScope, at now: Int64) -> Bool {
        !isStopped && outages.value(for: scope) != true && end(ofPause: scope, at: now) == nil
            && waiters.count < Self.maxWaiters
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
        guard !isStopped, queue.count < Self.maxQueued, let scope = originals.first?.scope,
            queue.count(of: scope) < Self.maxQueuedPerScope
        else { return nil }
        let admitted = originals.filter { pending.insert($0).inserted }
        return admitted.isEmpty ? nil : admitted
    }

    /// Begins a search of the database for due requests about an app.
    ///
    /// - Returns: The number of original transactions to read; nil if enough are in memory, or another search is in
    ///   progress.
    mutating func beginSearch(_ scope: AppScope) -> Int? {
        guard !isStopped, !isSearching, queue.count(of: scope) < Self.minQueued else { return nil }
        isSearching = true
        // Those in memory are due too.
        return Self.maxFound + pending.count
    }

    /// Ends a search.
    ///
    /// - Parameters:
    ///   - scope: The app and environment.
    ///   - due: The batches that were found; nil if the database failed.
    ///   - limit: The number of original transactions that ``beginSearch(_:)`` returned.
    mutating func endSearch(_ scope: AppScope, found due: [[ScopedOriginal]]?, limit: Int) {
        isSearching = false
        guard let due else { return }
        if due.reduce(0, { $0 + $1.count }) < limit { backlogs.remove(scope) } else { backlogs.insert(scope) }
        queue.addLast(due.compactMap { admit($0) }, of: scope)
    }

    /// Removes the next batch from the queue, about which the App Store is asked now; nil if there is none, or too many
    /// are in progress.
    mutating func nextBatch() -> [ScopedOriginal]? {
        guard !isStopped, requests.values.reduce(0, +) < Self.maxRequests,
            let batch = queue.next(requests: requests, limit: Self.maxRequestsPerScope)
        else { return nil }
        requests[batch[0].scope, default: 0] += 1
        return batch
    }

    /// Ends a batch.
    ///
    /// - Returns: Whether to search the database for more about the app.
    mutating func endBatch(of scope: AppScope) -> Bool {
        requests[scope] = requests[scope].flatMap { $0 > 1 ? $0 - 1 : nil }
        return !isStopped && backlogs.contains(scope)
    }
}

// MARK: - Requests to the App Store

@available(AppReceiptServer 1.0, *)
extension CompletionStateMachine {
    enum RequestAction: Hashable {
        /// Ask the App Store.
        case ask
        /// Postpone the request: the App Store accepts none about the app.
        case postpone(due: Int64)
        /// Do nothing: another request of the same customer has answered it, or the server stops.
        case skip
    }

    /// Decides whether to ask about an original transaction of a batch.
    mutating func beginRequest(_ original: ScopedOriginal, at now: Int64) -> RequestAction {
        if isStopped || isComplete(original, at: now) { return .skip }
        return end(ofPause: original.scope, at: now).map { .postpone(due: $0) } ?? .ask
    }

    /// Ends a request, also one that was skipped or postponed.
    ///
    /// - Returns: The responses that wait for nothing else. They don't wait for a repetition.
    mutating func endRequest(_ original: ScopedOriginal) -> [Int] {
        pending.remove(original)
        return finish([original])
    }

    /// Handles a failure of the database: pauses the requests about the app, longer after each failure, because their
    /// answers would be lost. A request that is still due is repeated by the next search only.
    mutating func databaseFailed(_ scope: AppScope, at now: Int64) {
        backlogs.remove(scope)
        guard end(ofPause: scope, at: now) == nil else { return }
        let failures = failedWrites.value(for: scope) ?? 0
        failedWrites.insert(failures + 1, for: scope, cost: 1)
        pauses.insert(now + Self.delay(afterAttempts: failures, max: Self.maxDelayInOutage), for: scope, cost: 1)
    }

    /// Ends the succession of failures of the database.
    mutating func databaseSucceeded(_ scope: AppScope) {
        guard failedWrites.value(for: scope) ?? 0 > 0 else { return }
        failedWrites.insert(0, for: scope, cost: 1)
    }

    /// What to write to the database about a request.
    enum Write: Hashable, Sendable {
        /// The App Store has answered about these original transactions.
        case complete(Set<String>, revision: String?)
        case postpone(attempts: Int, due: Int64)
    }

    /// What to log about an app.
    enum Notice: Sendable, Equatable {
        /// The App Store can be reached again.
        case reachable
        /// The App Store can't be reached.
        case unreachable(AppStoreServerError)
        /// The App Store rejects the key or the app, or limits the requests. Nothing is asked until the date.
        case paused(AppStoreServerError, until: Int64)
        /// The App Store rejects the request about one customer.
        case rejected(AppStoreServerError)
    }

    /// Decides what to write and to log about the result of a request.
    ///
    /// - Parameters:
    ///   - outcome: The result.
    ///   - original: The original transaction that was asked about.
    ///   - attempts: The number of earlier requests that failed.
    ///   - newest: When the newest stored evidence was signed. Needed only if the App Store doesn't know the purchase.
    ///   - now: The current time.
    mutating func received(
        _ outcome: AppStoreReader.Outcome, about original: ScopedOriginal, attempts: Int, newest: Int64? = nil,
        at now: Int64
    ) -> (write: Write?, notices: [Notice]) {
        switch outcome {
        case .answered(let originals, let revision):
            return (.complete(originals, revision: revision), noteReachable(original.scope))
        case .unknown:
            let notices = noteReachable(original.scope)
            // Signed data proves that the purchase exists. The App Store may not know a new one yet.
            let signed = max(newest ?? .min, signedDates.value(for: original) ?? .min)
            guard signed > now - Self.maxAgeOfNewPurchase else {
                return (.complete([original.originalTransactionIdentifier], revision: nil), notices)
            }
            return (reject(original, attempts: attempts, maxDelay: Self.maxDelayOfNewPurchase, at: now), notices)
        case .rejected:
            let notices = noteReachable(original.scope)
            return (reject(original, attempts: attempts, maxDelay: refreshInterval, at: now), notices)
        case .failed(let error):
            return failed(error, about: original, attempts: attempts, at: now)
        }
    }

    private mutating func failed(
        _ error: AppStoreServerError, about original: ScopedOriginal, attempts: Int, at now: Int64
    ) -> (write: Write?, notices: [Notice]) {
        guard error.code != .canceled else { return (nil, []) }
        var notices = error.httpStatus != nil && !error.isOutage ? noteReachable(original.scope) : []
        if error.concernsWholeApp {
            let end = now + Self.pauseAfterRejectedKey
            notices += pause(original.scope, after: error, until: end, at: now)
            return (.postpone(attempts: attempts + 1, due: end), notices)
        }
        guard error.isRetryable else {
            notices.append(.rejected(error))
            return (reject(original, attempts: attempts, maxDelay: refreshInterval, at: now), notices)
        }
        let repetition = now + Self.delay(afterAttempts: attempts, max: Self.maxDelayInOutage)
        let due = min(max(repetition, error.retryDate?.milliseconds ?? 0), now + Self.maxPause)
        notices += noteOutage(of: original.scope, after: error, until: due, at: now)
        return (.postpone(attempts: attempts + 1, due: due), notices)
    }

    /// Postpones a request whose answer can't be used. Responses don't cause it before.
    private mutating func reject(
        _ original: ScopedOriginal, attempts: Int, maxDelay: Int64, at now: Int64
    ) -> Write {
        let due = now + Self.delay(afterAttempts: attempts, max: maxDelay)
        rejections.insert(due, for: original, cost: 1)
        return .postpone(attempts: attempts + 1, due: due)
    }

    /// The time until a request is repeated.
    private static func delay(afterAttempts attempts: Int, max: Int64) -> Int64 {
        min(max, 2000 << Int64(min(attempts, 30)))
    }
}

// MARK: - Outages

@available(AppReceiptServer 1.0, *)
extension CompletionStateMachine {
    /// Handles a failed attempt that the client will repeat: releases responses that would outwait ``patience``.
    ///
    /// - Returns: What to log, and the responses that needn't wait any more.
    mutating func willRepeat(
        _ original: ScopedOriginal, after error: AppStoreServerError, in delay: Duration, at now: Int64
    ) -> (notices: [Notice], waiters: [Int]) {
        guard error.code != .rateLimited || delay > patience else { return ([], []) }
        let notices = noteOutage(
            of: original.scope, after: error, until: now + Int64(delay / .milliseconds(1)), at: now)
        guard delay > patience else { return (notices, []) }
        // A limit is for all customers of the app.
        let isLimit = error.code == .rateLimited
        return (notices, finish(isLimit ? pending.filter { $0.scope == original.scope } : [original]))
    }

    private mutating func noteReachable(_ scope: AppScope) -> [Notice] {
        guard outages.value(for: scope) == true else { return [] }
        outages.insert(false, for: scope, cost: 1)
        return [.reachable]
    }

    /// Remembers that the App Store accepts no requests about an app, or can't be reached, unless the failure concerns
    /// one customer.
    private mutating func noteOutage(
        of scope: AppScope, after error: AppStoreServerError, until end: Int64, at now: Int64
    ) -> [Notice] {
        if error.code == .rateLimited { return pause(scope, after: error, until: end, at: now) }
        guard error.isOutage else { return [] }
        let isKnown = outages.value(for: scope) == true
        outages.insert(true, for: scope, cost: 1)
        return isKnown ? [] : [.unreachable(error)]
    }

    /// Asks nothing about an app until a date. It is logged once.
    private mutating func pause(
        _ scope: AppScope, after error: AppStoreServerError, until end: Int64, at now: Int64
    ) -> [Notice] {
        let isKnown = self.end(ofPause: scope, at: now) != nil
        pauses.insert(max(end, pauses.value(for: scope) ?? 0), for: scope, cost: 1)
        return isKnown ? [] : [.paused(error, until: end)]
    }

    private mutating func end(ofPause scope: AppScope, at now: Int64) -> Int64? {
        pauses.value(for: scope).flatMap { $0 > now ? $0 : nil }
    }
}
#endif
