import AppReceiptKit
import Foundation
import StoreKit
import Testing

extension PlatformTests {
    @Suite("SystemRefreshRequest", .timeLimit(.minutes(1)))
    struct SystemRefreshRequestTests {
        private let store = StoreScript.shared

        /// Returns the error of a refresh, nil for success.
        private func outcome(_ refresher: ReceiptRefresher) async -> ReceiptRefreshError? {
            do {
                try await refresher.refresh()
                return nil
            } catch {
                return error
            }
        }

        /// Waits until a condition is true. The suite's time limit cancels a wait in vain.
        private func until(_ condition: () async -> Bool) async {
            while await !condition(), !Task.isCancelled { await Task.yield() }
        }

        @Test("A successful refresh makes one request and releases it")
        func succeeds() async {
            store.prepare(.success)
            #expect(await outcome(ReceiptRefresher()) == nil)
            #expect(store.seen.started == 1)
            #expect(store.seen.canceled == 0)
            await until { store.seen.deallocated == 1 }
        }

        @Test("A failed refresh throws the App Store's domain and number")
        func fails() async {
            store.prepare(.failure(domain: "SKErrorDomain", code: 2))
            let error = await outcome(ReceiptRefresher())
            #expect(error?.code == .failed)
            #expect(error?.appStoreError?.domain == "SKErrorDomain")
            #expect(error?.appStoreError?.number == 2)
            await until { store.seen.deallocated == 1 }
        }

        @Test("Two concurrent callers share one prompt and its result")
        func twoCallers() async {
            store.prepare(.none)
            let refresher = ReceiptRefresher()
            async let first = outcome(refresher)
            async let second = outcome(refresher)
            await until { store.seen.started == 1 }
            await until { await refresher.waitingCallers == 2 }
            store.answerOpen(.success)
            #expect(await (first, second) == (nil, nil))
            #expect(store.seen.started == 1)
        }

        @Test("Canceling the only caller cancels the request")
        func canceled() async {
            store.prepare(.none)
            let refresher = ReceiptRefresher()
            let task = Task { await outcome(refresher) }
            await until { store.seen.started == 1 }
            task.cancel()
            #expect(await task.value?.code == .canceled)
            await until { store.seen.canceled == 1 && store.seen.deallocated == 1 }
        }

        @Test("Canceling one of two callers doesn't cancel the request")
        func oneOfTwoCanceled() async {
            store.prepare(.none)
            let refresher = ReceiptRefresher()
            let leaving = Task { await outcome(refresher) }
            await until { store.seen.started == 1 }
            let staying = Task { await outcome(refresher) }
            await until { await refresher.waitingCallers == 2 }
            leaving.cancel()
            #expect(await leaving.value?.code == .canceled)
            store.answerOpen(.success)
            #expect(await staying.value == nil)
            #expect(store.seen.started == 1)
            #expect(store.seen.canceled == 0)
        }

        @Test("An answer after the cancellation has no effect")
        func lateAnswer() async {
            // The answer is a few milliseconds after the start, and the cancellation immediately after it.
            store.prepare(.success)
            let refresher = ReceiptRefresher(minimumInterval: 0)
            for round in 1...20 {
                let task = Task { await outcome(refresher) }
                await until { store.seen.started == round }
                task.cancel()
                let error = await task.value
                #expect(error == nil || error?.code == .canceled)
            }
            #expect(await outcome(refresher) == nil)
            #expect(store.seen.started == 21)
            await until { store.seen.deallocated == 21 }
        }

        @Test("A second prompt shortly after the first is rejected")
        func throttled() async {
            store.prepare(.failure(domain: "SKErrorDomain", code: 0))
            let refresher = ReceiptRefresher()
            #expect(await outcome(refresher)?.code == .failed)
            let error = await outcome(refresher)
            #expect(error?.code == .tooSoon)
            #expect(error?.retryDate != nil)
            #expect(store.seen.started == 1)
        }
    }
}
