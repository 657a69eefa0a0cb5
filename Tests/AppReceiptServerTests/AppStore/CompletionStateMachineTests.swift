#if Server
import AppReceiptKit
import AppReceiptStore
import Foundation
import Testing

@testable import AppReceiptServer
@testable import AppStoreServerAPI

@Suite("CompletionStateMachine")
struct CompletionStateMachineTests {
    @available(AppReceiptServer 1.0, *)
    private typealias Machine = CompletionStateMachine

    @available(AppReceiptServer 1.0, *)
    private static func machine() -> CompletionStateMachine {
        CompletionStateMachine(refreshInterval: .seconds(86_400), patience: .seconds(2))
    }

    private static func scope(_ app: String = "com.example.app") throws -> AppScope {
        try #require(AppScope(app: app, .sandbox))
    }

    private static func originals(_ names: String..., of app: String = "com.example.app") throws -> [ScopedOriginal] {
        let scope = try scope(app)
        return names.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) }
    }

    @available(AppReceiptServer 1.0, *)
    private static func error(
        _ code: AppStoreServerError.Code, retry: Date? = nil, status: Int? = nil
    ) -> AppStoreServerError {
        AppStoreServerError(code) {
            $0.httpStatus = status
            $0.retryDate = retry
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response waits until all of its original transactions are complete, and they are for the refresh interval")
    func completion() throws {
        var machine = Self.machine()
        let both = try Self.originals("1", "2")
        #expect(machine.request(both, signed: nil, at: 0) == .wait(1))
        #expect(machine.request([both[1]], signed: nil, at: 0) == .wait(2))
        #expect(machine.nextBatch() == both)
        for original in both { #expect(machine.shouldRequest(original, isFirst: false, at: 0) == true) }
        // Nothing is requested twice.
        #expect(machine.nextBatch() == nil)
        let result = machine.received(.complete(originals: ["1"], revision: "r"), about: both[0], attempts: 3, at: 1)
        #expect(result.write == .complete(["1"], revision: "r"))
        #expect(result.notices == [])
        machine.markComplete(both[0], at: 1)
        #expect(machine.endRequest(both[0]) == [])
        machine.markComplete(both[1], at: 1)
        #expect(machine.finish([both[1]]) == [1, 2])
        #expect(machine.endRequest(both[1]) == [])
        #expect(machine.isComplete(both[0], at: 86_400_000) == true)
        #expect(machine.isComplete(both[0], at: 86_400_001) == false)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response about a customer makes requests about the customer's other original transactions unnecessary")
    func customer() throws {
        var machine = Self.machine()
        let both = try Self.originals("1", "2")
        _ = machine.request(both, signed: nil, at: 0)
        #expect(machine.nextBatch() == both)
        machine.markComplete(both[1], at: 1)
        #expect(machine.shouldRequest(both[1], isFirst: false, at: 1) == false)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response whose patience ends isn't named again")
    func patience() throws {
        var machine = Self.machine()
        let original = try Self.originals("1")
        #expect(machine.request(original, signed: nil, at: 0) == .wait(1))
        machine.patienceEnded(of: 1)
        #expect(machine.nextBatch() == original)
        #expect(machine.endRequest(original[0]) == [])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("At most a hundred responses wait")
    func waiters() throws {
        var machine = Self.machine()
        for number in 1...Machine.maxWaiters {
            #expect(machine.request(try Self.originals("\(number)"), signed: nil, at: 0) == .wait(number))
        }
        #expect(machine.request(try Self.originals("1"), signed: nil, at: 0) == .proceed)
        machine.patienceEnded(of: 7)
        #expect(machine.request(try Self.originals("1"), signed: nil, at: 0) == .wait(Machine.maxWaiters + 1))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("While the database fails, requests pause, for longer after each failure, up to a minute")
    func databaseFailure() throws {
        var machine = Self.machine()
        let original = try Self.originals("1")[0]
        machine.databaseFailed(at: 0)
        // Failures during the pause don't lengthen it.
        machine.databaseFailed(at: 1)
        for other in [original, try Self.originals("1", of: "com.example.other")[0]] {
            #expect(machine.shouldRequest(other, isFirst: true, at: 1999) == false)
            #expect(machine.beginSearch(other.scope, at: 1999) == nil)
            #expect(machine.request([other], signed: nil, at: 1999) == .proceed)
            #expect(machine.shouldRequest(other, isFirst: true, at: 2000) == true)
        }
        #expect(machine.nextBatch() == nil)
        machine.databaseFailed(at: 2000)
        #expect(machine.shouldRequest(original, isFirst: true, at: 5999) == false)
        machine.databaseSucceeded()
        machine.databaseFailed(at: 6000)
        #expect(machine.shouldRequest(original, isFirst: true, at: 8000) == true)
        for number in 1...20 as ClosedRange<Int64> { machine.databaseFailed(at: number * 100_000) }
        #expect(machine.shouldRequest(original, isFirst: true, at: 2_060_000) == true)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An app whose queue is full leaves room for another one")
    func fullQueue() throws {
        var machine = Self.machine()
        let scope = try Self.scope()
        let originals = (1...Machine.maxQueuedPerScope).map {
            ScopedOriginal(scope: scope, originalTransactionIdentifier: "\($0)")
        }
        _ = machine.request(originals, signed: nil, at: 0)
        #expect(machine.request(try Self.originals("0"), signed: nil, at: 0) == .proceed)
        guard case .wait = machine.request(try Self.originals("0", of: "com.example.other"), signed: nil, at: 0) else {
            Issue.record("The other app's request isn't queued.")
            return
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("During an outage, each app has one batch in progress, which ends with the first failure")
    func requestsInOutage() throws {
        var machine = Self.machine()
        let both = try Self.originals("1", "2")
        _ = machine.request(both, signed: nil, at: 0)
        _ = machine.request(try Self.originals("3"), signed: nil, at: 0)
        _ = machine.request(try Self.originals("4"), signed: nil, at: 0)
        #expect(machine.nextBatch() == (try Self.originals("4")))
        _ = machine.received(
            .failed(Self.error(.unreachable)), about: try Self.originals("4")[0], attempts: 0, at: 0)
        #expect(machine.nextBatch() == nil)
        _ = machine.endBatch(of: both[0].scope)
        #expect(machine.nextBatch() == (try Self.originals("3")))
        #expect(machine.nextBatch() == nil)
        _ = machine.endBatch(of: both[0].scope)
        #expect(machine.nextBatch() == both)
        #expect(machine.shouldRequest(both[0], isFirst: true, at: 0) == true)
        #expect(machine.shouldRequest(both[1], isFirst: false, at: 0) == false)
        _ = machine.received(.complete(originals: ["1"], revision: nil), about: both[0], attempts: 0, at: 0)
        #expect(machine.shouldRequest(both[1], isFirst: false, at: 0) == true)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Failed requests are postponed with growing delays, and no response waits during an outage")
    func outage() throws {
        var machine = Self.machine()
        let original = try Self.originals("1")
        for (attempts, seconds) in [(0, 2), (1, 4), (5, 64), (11, 3600), (1000, 3600)] as [(Int, Int64)] {
            let result = machine.received(
                .failed(Self.error(.unreachable)), about: original[0], attempts: attempts, at: 0)
            #expect(result.write == .postpone(attempts: attempts + 1, due: seconds * 1000))
            #expect(result.notices == (attempts == 0 ? [.unreachable(Self.error(.unreachable))] : []))
        }
        #expect(machine.request(original, signed: nil, at: 0) == .proceed)
        #expect(machine.request(try Self.originals("1", of: "com.example.other"), signed: nil, at: 0) == .wait(1))
        let answer = machine.received(
            .complete(originals: ["1"], revision: nil), about: original[0], attempts: 1, at: 1)
        #expect(answer.notices == [.reachable])
        #expect(machine.request(original, signed: nil, at: 1) == .wait(2))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A limit of requests or a rejected key pauses the app until a date, once in the log")
    func pauses() throws {
        let date = Date(timeIntervalSince1970: 600)
        for (error, end) in [
            (Self.error(.rateLimited, retry: date, status: 429), 600_000),
            (Self.error(.unauthenticated, status: 401), 300_000),
        ] as [(AppStoreServerError, Int64)] {
            var machine = Self.machine()
            let both = try Self.originals("1", "2")
            let first = machine.received(.failed(error), about: both[0], attempts: 0, at: 0)
            #expect(first.write == .postpone(attempts: 1, due: end))
            #expect(first.notices == [.paused(error, until: end)])
            #expect(machine.received(.failed(error), about: both[1], attempts: 0, at: 1).notices == [])
            #expect(machine.shouldRequest(both[0], isFirst: true, at: 2) == false)
            #expect(machine.beginSearch(both[0].scope, at: 2) == nil)
            #expect(machine.request(both, signed: nil, at: end - 1) == .proceed)
            #expect(machine.shouldRequest(both[0], isFirst: true, at: end + 2) == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A key that is rejected during another pause is logged")
    func secondReason() throws {
        var machine = Self.machine()
        let original = try Self.originals("1")[0]
        machine.databaseFailed(at: 0)
        let limit = Self.error(.rateLimited, retry: Date(timeIntervalSince1970: 600), status: 429)
        _ = machine.received(.failed(limit), about: original, attempts: 0, at: 0)
        let rejected = Self.error(.unauthenticated, status: 401)
        let result = machine.received(.failed(rejected), about: original, attempts: 0, at: 0)
        // The longer pause lasts.
        #expect(result.notices == [.paused(rejected, until: 600_000)])
        #expect(machine.shouldRequest(original, isFirst: true, at: 599_999) == false)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A date beyond a day isn't the App Store's")
    func longPause() throws {
        var machine = Self.machine()
        let error = Self.error(.rateLimited, retry: Date(timeIntervalSince1970: 1_000_000), status: 429)
        let result = machine.received(.failed(error), about: try Self.originals("1")[0], attempts: 0, at: 0)
        #expect(result.write == .postpone(attempts: 1, due: 86_400_000))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Data that doesn't verify is requested again later, and responses of the server don't cause it before")
    func rejection() throws {
        var machine = Self.machine()
        let original = try Self.originals("1")
        let result = machine.received(.rejected, about: original[0], attempts: 1, at: 0)
        #expect(result.write == .postpone(attempts: 2, due: 4000))
        #expect(machine.request(original, signed: nil, at: 3999) == .proceed)
        #expect(machine.nextBatch() == nil)
        #expect(machine.request(original, signed: nil, at: 4000) == .wait(1))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An unknown purchase is complete, unless data that is younger than an hour proves it")
    func unknown() throws {
        let original = try Self.originals("1")
        let now: Int64 = 10_000_000
        for (signed, newest, isNew) in [
            (nil, nil, false), (now - 3_599_999, nil, true), (now - 3_600_000, nil, false), (nil, now - 5, true),
            (now - 3_600_000, now - 5, true),
        ] as [(Int64?, Int64?, Bool)] {
            var machine = Self.machine()
            _ = machine.request(original, signed: signed, at: now)
            let result = machine.received(
                .unknown(.transactionIdentifierNotFound), about: original[0], attempts: 9, newest: newest, at: now)
            #expect(
                result.write
                    == (isNew ? .postpone(attempts: 10, due: now + 300_000) : .complete(["1"], revision: nil)))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A retry that comes too late releases the responses that wait for it, and a limit those of the whole app")
    func retries() throws {
        for (error, delay, released) in [
            (Self.error(.unreachable), .seconds(1), []), (Self.error(.unreachable), .seconds(3), [1]),
            (Self.error(.rateLimited, status: 429), .seconds(1), []),
            (Self.error(.rateLimited, status: 429), .seconds(3), [1, 2]),
        ] as [(AppStoreServerError, Duration, [Int])] {
            var machine = Self.machine()
            let both = try Self.originals("1", "2")
            _ = machine.request([both[0]], signed: nil, at: 0)
            _ = machine.request([both[1]], signed: nil, at: 0)
            _ = machine.request(try Self.originals("1", of: "com.example.other"), signed: nil, at: 0)
            #expect(machine.attemptFailed(both[0], with: error, retryAfter: delay, at: 0).waiters == released)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The number of batches in progress is bounded, and each app leaves room for others")
    func limits() throws {
        var machine = Self.machine()
        let (scope, other) = (try Self.scope(), try Self.scope("com.example.other"))
        for scope in [scope, other] {
            let limit = machine.beginSearch(scope, at: 0) ?? 0
            #expect(machine.beginSearch(scope, at: 0) == nil)
            let found = (0..<100).map { [ScopedOriginal(scope: scope, originalTransactionIdentifier: "\($0)")] }
            machine.endSearch(scope, found: found, limit: limit)
            if scope == other { continue }
            for _ in 0..<Machine.maxRequestsPerScope { #expect(machine.nextBatch() != nil) }
            #expect(machine.nextBatch() == nil)
        }
        for _ in Machine.maxRequestsPerScope..<Machine.maxRequests { #expect(machine.nextBatch()?[0].scope == other) }
        #expect(machine.nextBatch() == nil)
        #expect(machine.endBatch(of: scope) == false)
        #expect(machine.nextBatch() != nil)
        // Enough is in memory.
        #expect(machine.beginSearch(scope, at: 0) == nil)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A search that found as many as it requested is continued, and doesn't count another app's")
    func backlog() throws {
        var machine = Self.machine()
        let (scope, other) = (try Self.scope(), try Self.originals("1", of: "com.example.other"))
        _ = machine.request(other, signed: nil, at: 0)
        #expect(machine.beginSearch(scope, at: 0) == Machine.maxFound)
        // One search doesn't delay that of another app.
        #expect(machine.beginSearch(other[0].scope, at: 0) == Machine.maxFound + 1)
        let found = (0..<Machine.maxFound).map { ScopedOriginal(scope: scope, originalTransactionIdentifier: "\($0)") }
        machine.endSearch(scope, found: [found], limit: Machine.maxFound)
        #expect(machine.nextBatch() == other)
        #expect(machine.endBatch(of: other[0].scope) == false)
        #expect(machine.nextBatch()?.count == Machine.maxFound)
        #expect(machine.endBatch(of: scope) == true)
        // Those in memory are found too.
        #expect(machine.beginSearch(scope, at: 0) == 2 * Machine.maxFound)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Once it is stopped, responses don't wait, and nothing is requested")
    func stop() throws {
        var machine = Self.machine()
        let original = try Self.originals("1")
        #expect(machine.request(original, signed: nil, at: 0) == .wait(1))
        #expect(machine.stop() == [1])
        #expect(machine.nextBatch() == nil)
        #expect(machine.shouldRequest(original[0], isFirst: true, at: 0) == false)
        #expect(machine.request(try Self.originals("2"), signed: nil, at: 0) == .proceed)
        #expect(machine.beginSearch(try Self.scope(), at: 0) == nil)
    }
}
#endif
