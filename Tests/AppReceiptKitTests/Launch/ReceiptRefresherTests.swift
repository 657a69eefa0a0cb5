import AppReceiptKit
import Foundation
import TestSupport
import Testing

/// Tests/Platforms tests the refresher with a stand-in for StoreKit.
@Suite("ReceiptRefresher")
struct ReceiptRefresherTests {
    @Test("A successful request returns, and a failed one throws the App Store's domain and number")
    func outcomes() async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store, minimumInterval: 0)
        await store.answer(.success(()))
        #expect(await refresher.outcome() == nil)
        await store.answer(.failure(NSError(domain: "SKErrorDomain", code: 2)))
        let error = await refresher.outcome()
        #expect(error?.code == .failed)
        #expect(error?.appStoreError == .init(domain: "SKErrorDomain", number: 2))
        #expect(await store.count == 2)
    }

    @Test("Callers during a prompt share its result", arguments: [true, false])
    func shared(_ succeeds: Bool) async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store)
        let tasks = (0..<8).map { _ in Task { await refresher.outcome() } }
        await store.untilOpen()
        await refresher.untilWaiting(8)
        await store.answer(succeeds ? .success(()) : .failure(NSError(domain: "SKErrorDomain", code: 0)))
        for task in tasks { #expect(await task.value?.code == (succeeds ? nil : .failed)) }
        #expect(await store.count == 1)
    }

    @Test("An attempt shortly after the last one fails with a retry date")
    func throttled() async {
        let store = FakeStore()
        let clock = Clock(instant("2024-07-02T15:00:00Z"))
        let refresher = ReceiptRefresher(request: store, minimumInterval: 30, now: { clock.now })
        await store.answer(.success(()))
        #expect(await refresher.outcome() == nil)
        clock.advance(29)
        let error = await refresher.outcome()
        #expect(error?.code == .tooSoon)
        #expect(error?.retryDate == instant("2024-07-02T15:00:30Z"))
        #expect(await store.count == 1)
        clock.advance(1)
        await store.answer(.success(()))
        #expect(await refresher.outcome() == nil)
        #expect(await store.count == 2)
        // A clock that was set back doesn't block the customer.
        clock.advance(-86_400)
        await store.answer(.success(()))
        #expect(await refresher.outcome() == nil)
    }

    @Test("Canceling the last waiting caller cancels the request")
    func cancellation() async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store)
        let first = Task { await refresher.outcome() }
        await store.untilOpen()
        let second = Task { await refresher.outcome() }
        await refresher.untilWaiting(2)
        first.cancel()
        #expect(await first.value?.code == .canceled)
        #expect(await !store.wasCanceled)
        second.cancel()
        #expect(await second.value?.code == .canceled)
        await store.untilCanceled()
        #expect(await store.wasCanceled)
        #expect(await refresher.outcome()?.code == .tooSoon)
    }

    @Test("A canceled task makes no request")
    func canceledBefore() async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store)
        let task = Task {
            await waitUntil { Task.isCancelled }
            return await refresher.outcome()
        }
        task.cancel()
        #expect(await task.value?.code == .canceled)
        #expect(await store.count == 0)
    }

    @Test("The result of a canceled attempt has no effect on the next attempt")
    func staleAnswer() async {
        let store = FakeStore(ignoresCancellation: true)
        let refresher = ReceiptRefresher(request: store, minimumInterval: 0)
        let first = Task { await refresher.outcome() }
        await store.untilOpen()
        first.cancel()
        #expect(await first.value?.code == .canceled)
        let second = Task { await refresher.outcome() }
        await store.untilOpen(2)
        // The first prompt is still open and fails. The second succeeds.
        await store.answerFirst(.failure(NSError(domain: "SKErrorDomain", code: 0)))
        await store.untilFinished()
        #expect(await refresher.waitingCallers == 1)
        await store.answer(.success(()))
        #expect(await second.value == nil)
    }

    #if os(Linux)
    @Test("Refreshing fails on a system without an App Store")
    func unavailable() async {
        let error = await ReceiptRefresher().outcome()
        #expect(error?.code == .unavailable)
        #expect(error?.appStoreError == nil)
    }
    #endif
}

extension ReceiptRefresher {
    /// The error of a refresh, nil for success.
    fileprivate nonisolated func outcome() async -> ReceiptRefreshError? {
        do throws(ReceiptRefreshError) {
            try await refresh()
            return nil
        } catch {
            return error
        }
    }
}

extension ReceiptRefresher {
    /// Waits until a number of callers wait for the attempt.
    fileprivate func untilWaiting(_ count: Int) async {
        await waitUntil { waitingCallers >= count }
    }
}

/// A stand-in for the App Store that answers when a test calls `answer(_:)`, or immediately if the answer was prepared.
actor FakeStore: ReceiptRefreshing {
    private let ignoresCancellation: Bool
    private(set) var count = 0
    private(set) var wasCanceled = false
    /// The number of requests that ended.
    private var finished = 0
    private var prepared: Result<Void, any Error>?
    private var open: [CheckedContinuation<Void, any Error>] = []

    init(ignoresCancellation: Bool = false) { self.ignoresCancellation = ignoresCancellation }

    func answer(_ result: Result<Void, any Error>) {
        guard !open.isEmpty else {
            prepared = result
            return
        }
        let waiting = open
        open = []
        for continuation in waiting { continuation.resume(with: result) }
    }

    func answerFirst(_ result: Result<Void, any Error>) {
        guard !open.isEmpty else { return }
        open.removeFirst().resume(with: result)
    }

    func perform() async throws {
        count += 1
        defer { finished += 1 }
        if let prepared {
            self.prepared = nil
            return try prepared.get()
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { open.append($0) }
        } onCancel: {
            Task { await self.cancel() }
        }
    }

    private func cancel() {
        guard !ignoresCancellation else { return }
        wasCanceled = true
        answer(.failure(CancellationError()))
    }

    func untilOpen(_ number: Int = 1) async {
        await waitUntil { open.count >= number }
    }

    func untilFinished() async {
        await waitUntil { finished > 0 }
    }

    func untilCanceled() async {
        await waitUntil { wasCanceled }
    }
}

/// A clock that a test sets.
private final class Clock: @unchecked Sendable {
    private let lock = NSLock()
    private var date: Date

    init(_ date: Date) { self.date = date }

    var now: Date { lock.withLock { date } }
    func advance(_ seconds: TimeInterval) { lock.withLock { date = date.addingTimeInterval(seconds) } }
}
