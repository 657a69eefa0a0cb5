public import AppReceiptFoundation

/// Requests a new receipt from the App Store, with at most one prompt at a time.
///
/// The App Store asks the customer to sign in, so refresh only in response to an action of the customer. Share one
/// refresher in the whole app: calls during a prompt wait for that prompt, and calls shortly after it fail instead of
/// prompting again. A canceled caller stops waiting; if no callers are left, the request itself is canceled. After
/// success, read and verify the receipt again.
///
/// Don't refresh because purchases are missing: restore them instead. Don't refresh in the sandbox before the first
/// purchase.
///
/// Source: Apple, SKReceiptRefreshRequest.
public actor ReceiptRefresher {
    /// The shared refresher.
    public static let shared = ReceiptRefresher()

    /// Whether the App Store can be asked for a receipt. False on systems without an App Store, such as Linux, unless a
    /// test passes a request.
    public nonisolated let isAvailable: Bool

    private let request: any ReceiptRefreshing
    private let minimumInterval: TimeInterval
    private let now: @Sendable () -> Date

    private var waiting: [Int: CheckedContinuation<Result<Void, ReceiptRefreshError>, Never>] = [:]
    private var callers = 0
    private var attempt: Attempt?
    private var attempts = 0
    private var lastEnd: Date?

    /// The number of callers that wait for the current attempt, for tests.
    package var waitingCallers: Int { waiting.count }

    private struct Attempt {
        let number: Int
        let task: Task<Void, Never>
    }

    /// Creates a refresher that uses StoreKit.
    ///
    /// - Parameter minimumInterval: The number of seconds after an attempt during which the next attempt fails.
    public init(minimumInterval: TimeInterval = 30) {
        request = SystemRefreshRequest()
        isAvailable = SystemRefreshRequest.isAvailable
        self.minimumInterval = minimumInterval
        now = { Date() }
    }

    /// Creates a refresher with another request, for tests.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - minimumInterval: The number of seconds after an attempt during which the next attempt fails.
    ///   - now: The clock.
    public init(
        request: some ReceiptRefreshing, minimumInterval: TimeInterval = 30,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.request = request
        isAvailable = true
        self.minimumInterval = minimumInterval
        self.now = now
    }

    /// Requests a new receipt, and returns when the App Store has stored it.
    ///
    /// - Throws: `refresh-failed` with the App Store's error (the customer may have declined), `refresh-too-soon`,
    ///   `refresh-canceled` if the calling task was canceled, `refresh-unavailable` on systems without an App Store.
    public func refresh() async throws(ReceiptRefreshError) {
        guard isAvailable else { throw ReceiptRefreshError(.unavailable) }
        guard !Task.isCancelled else { throw ReceiptRefreshError(.canceled) }
        if attempt == nil { try start() }
        callers += 1
        let caller = callers
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting[caller] = $0 }
        } onCancel: {
            Task { await self.cancel(caller) }
        }
        try result.get()
    }

    private func start() throws(ReceiptRefreshError) {
        if let lastEnd {
            // If the clock was set back, don't block the customer.
            let elapsed = now().timeIntervalSince(lastEnd)
            if elapsed >= 0, elapsed < minimumInterval {
                throw ReceiptRefreshError(.tooSoon, retryDate: lastEnd.addingTimeInterval(minimumInterval))
            }
        }
        attempts += 1
        let number = attempts
        attempt = Attempt(
            number: number,
            task: Task { [request] in
                do {
                    try await request.perform()
                    self.end(attempt: number, with: .success(()))
                } catch {
                    self.end(attempt: number, with: .failure(ReceiptRefreshError(error)))
                }
            })
    }

    private func end(attempt number: Int, with result: Result<Void, ReceiptRefreshError>) {
        // A canceled request may end after the next one began.
        guard attempt?.number == number else { return }
        attempt = nil
        lastEnd = now()
        let waiting = self.waiting
        self.waiting = [:]
        for continuation in waiting.values { continuation.resume(returning: result) }
    }

    private func cancel(_ caller: Int) {
        guard let continuation = waiting.removeValue(forKey: caller) else { return }
        continuation.resume(returning: .failure(ReceiptRefreshError(.canceled)))
        guard waiting.isEmpty, let attempt else { return }
        attempt.task.cancel()
        self.attempt = nil
        lastEnd = now()
    }
}

/// A request for a new receipt.
public protocol ReceiptRefreshing: Sendable {
    /// Performs the request, and returns when the receipt is stored.
    ///
    /// - Throws: The App Store's error; `CancellationError` after the task and the request were canceled.
    func perform() async throws
}
