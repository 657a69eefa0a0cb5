#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Asks the store for a fresh receipt, at most one prompt at a time.
///
/// The store asks the customer to sign in, so start it from something the customer did. Share one refresher in the whole
/// app: callers that come while a prompt is open wait for that one, and callers that come right after it are refused
/// instead of prompting again. A caller that is canceled stops waiting; when nobody waits any more the request itself
/// is canceled. After success read and verify the receipt anew.
///
/// Do not use it merely because purchases are missing, which is what restoring is for, nor in the sandbox before a first
/// purchase. Source: Apple, SKReceiptRefreshRequest.
public actor ReceiptRefresher {
    /// The one to share.
    public static let shared = ReceiptRefresher()

    private let request: any ReceiptRefreshRequest
    private let minimumInterval: TimeInterval
    private let now: @Sendable () -> Date

    private var waiting: [Int: CheckedContinuation<Result<Void, ReceiptRefreshError>, Never>] = [:]
    private var callers = 0
    private var attempt: Attempt?
    private var attempts = 0
    private var lastEnd: Date?

    private struct Attempt {
        let number: Int
        let task: Task<Void, Never>
    }

    /// A refresher that asks the store through StoreKit.
    ///
    /// - Parameter minimumInterval: for how many seconds after an attempt has ended the next is refused.
    public init(minimumInterval: TimeInterval = 30) {
        self.init(request: SystemRefreshRequest(), minimumInterval: minimumInterval)
    }

    /// - Parameters:
    ///   - request: how to ask; another one for tests.
    ///   - minimumInterval: for how many seconds after an attempt has ended the next is refused.
    ///   - now: the clock.
    public init(
        request: some ReceiptRefreshRequest, minimumInterval: TimeInterval = 30,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.request = request
        self.minimumInterval = minimumInterval
        self.now = now
    }

    /// Returns when the store has put a fresh receipt in place.
    ///
    /// - Throws: `refresh-failed` with the store's reason (the customer may have declined), `refresh-too-soon`,
    ///   `refresh-canceled` if the calling task was canceled, `refresh-unavailable` on systems without a store.
    public func refresh() async throws(ReceiptRefreshError) {
        guard !Task.isCancelled else { throw ReceiptRefreshError(.canceled) }
        if attempt == nil { try start() }
        callers += 1
        let caller = callers
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting[caller] = $0 }
        } onCancel: {
            Task { await self.leave(caller) }
        }
        try result.get()
    }

    private func start() throws(ReceiptRefreshError) {
        if let lastEnd {
            // A clock that was set back must not lock the customer out.
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
                    self.end(number, .success(()))
                } catch {
                    self.end(number, .failure(ReceiptRefreshError(error)))
                }
            })
    }

    private func end(_ number: Int, _ result: Result<Void, ReceiptRefreshError>) {
        // One that everybody has left may end after the next has begun.
        guard attempt?.number == number else { return }
        attempt = nil
        lastEnd = now()
        let waiting = self.waiting
        self.waiting = [:]
        for continuation in waiting.values { continuation.resume(returning: result) }
    }

    private func leave(_ caller: Int) {
        guard let continuation = waiting.removeValue(forKey: caller) else { return }
        continuation.resume(returning: .failure(ReceiptRefreshError(.canceled)))
        guard waiting.isEmpty, let attempt else { return }
        attempt.task.cancel()
        self.attempt = nil
        lastEnd = now()
    }
}

/// One request to the store for a fresh receipt.
public protocol ReceiptRefreshRequest: Sendable {
    /// Asks once, and returns when the receipt is in place.
    ///
    /// - Throws: the store's error; `CancellationError` if the task was canceled, after the request has been.
    func perform() async throws
}
