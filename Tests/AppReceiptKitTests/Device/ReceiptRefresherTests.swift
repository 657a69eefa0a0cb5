import AppReceiptKit
import Foundation
import Testing

/// How it goes with StoreKit itself is tested in Tests/Platforms, against a stand-in.
@Suite("ReceiptRefresher")
struct ReceiptRefresherTests {
    @Test("a request that succeeds returns, and one that fails gives the store's domain and number")
    func outcomes() async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store, minimumInterval: 0)
        await store.answer(.success(()))
        #expect(await refresher.outcome() == nil)
        await store.answer(.failure(NSError(domain: "SKErrorDomain", code: 2)))
        let error = await refresher.outcome()
        #expect(error?.code == .failed)
        #expect(error?.storeError == .init(domain: "SKErrorDomain", number: 2))
        #expect(await store.count == 2)
    }

    @Test("callers that come while a prompt is open share its answer", arguments: [true, false])
    func shared(_ succeeds: Bool) async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store)
        let tasks = (0..<8).map { _ in Task { await refresher.outcome() } }
        await store.untilOpen()
        // Those that have not asked yet have time to; all of them must get this answer.
        try? await Task.sleep(nanoseconds: 50_000_000)
        await store.answer(succeeds ? .success(()) : .failure(NSError(domain: "SKErrorDomain", code: 0)))
        for task in tasks { #expect(await task.value?.code == (succeeds ? nil : .failed)) }
        #expect(await store.count == 1)
    }

    @Test("the next attempt must wait, whatever came of the last, and is told how long")
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
        // A clock that was set back by a day does not lock the customer out for that day.
        clock.advance(-86_400)
        await store.answer(.success(()))
        #expect(await refresher.outcome() == nil)
    }

    @Test("a caller that is canceled leaves; the last one to leave cancels the request")
    func cancellation() async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store)
        let first = Task { await refresher.outcome() }
        await store.untilOpen()
        let second = Task { await refresher.outcome() }
        try? await Task.sleep(nanoseconds: 50_000_000)
        first.cancel()
        #expect(await first.value?.code == .canceled)
        #expect(await !store.wasCanceled)
        second.cancel()
        #expect(await second.value?.code == .canceled)
        await store.untilCanceled()
        #expect(await store.wasCanceled)
        #expect(await refresher.outcome()?.code == .tooSoon)
    }

    @Test("a task that is canceled already asks nobody")
    func cancelledBefore() async {
        let store = FakeStore()
        let refresher = ReceiptRefresher(request: store)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await refresher.outcome()
        }
        task.cancel()
        #expect(await task.value?.code == .canceled)
        #expect(await store.count == 0)
    }

    @Test("an attempt that everybody has left says nothing to the next")
    func staleAnswer() async {
        let store = FakeStore(ignoresCancellation: true)
        let refresher = ReceiptRefresher(request: store, minimumInterval: 0)
        let first = Task { await refresher.outcome() }
        await store.untilOpen()
        first.cancel()
        #expect(await first.value?.code == .canceled)
        let second = Task { await refresher.outcome() }
        await store.untilOpen(2)
        // The first prompt, still open somewhere, fails; the second succeeds.
        await store.answerFirst(.failure(NSError(domain: "SKErrorDomain", code: 0)))
        try? await Task.sleep(nanoseconds: 50_000_000)
        await store.answer(.success(()))
        #expect(await second.value == nil)
    }

    #if os(Linux)
    @Test("a system without a store says so")
    func unavailable() async {
        let error = await ReceiptRefresher().outcome()
        #expect(error?.code == .unavailable)
        #expect(error?.storeError == nil)
    }
    #endif
}

extension ReceiptRefresher {
    /// What comes of a refresh, nil for success.
    fileprivate nonisolated func outcome() async -> ReceiptRefreshError? {
        do throws(ReceiptRefreshError) {
            try await refresh()
            return nil
        } catch {
            return error
        }
    }
}

/// A store that answers when a test says so, or at once if the answer was given before the question.
actor FakeStore: ReceiptRefreshRequest {
    private let ignoresCancellation: Bool
    private(set) var count = 0
    private(set) var wasCanceled = false
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
        while open.count < number { try? await Task.sleep(nanoseconds: 1_000_000) }
    }

    func untilCanceled() async {
        while !wasCanceled { try? await Task.sleep(nanoseconds: 1_000_000) }
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
