#if Server
import Foundation
import AppReceiptSupport
import AppReceiptKit
import NIOPosix
import TestSupport
import Testing

@testable import AppReceiptServer

@Suite("Admission")
struct AdmissionTests {
    private let registry = PrometheusRegistry()

    @available(AppReceiptServer 1.0, *)
    private func admission(_ change: (inout ServerLimits) -> Void) -> Admission {
        var limits = ServerLimits()
        change(&limits)
        return Admission(limits: limits, metrics: ServerMetrics(registry))
    }

    private func has(_ line: String) -> Bool { registry.text().contains(line + "\n") }

    @available(AppReceiptServer 1.0, *)
    @Test("Connections beyond the limit are rejected until one ends")
    func connections() throws {
        let admission = admission { $0.maxConnections = 2 }
        var open = try [admission.reserveConnection(), admission.reserveConnection()]
        #expect(throws: OverloadError(.connections)) { try admission.reserveConnection() }
        #expect(has("appreceipt_connections 2"))
        #expect(has(#"appreceipt_overload_total{reason="connections"} 1"#))
        open.removeLast()
        open.append(try admission.reserveConnection())
        #expect(has("appreceipt_connections 2"))
        open.removeAll()
        #expect(has("appreceipt_connections 0"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A token gets at most half of the places of requests that wait, and at least one")
    func waiting() throws {
        let admission = admission { $0.maxConnections = 20 }
        var first = try [admission.reserveWaiting(for: "first"), admission.reserveWaiting(for: "first")]
        #expect(throws: OverloadError(.waiting)) { try admission.reserveWaiting(for: "first") }
        #expect(has(#"appreceipt_overload_total{reason="waiting"} 1"#))
        let others = try [admission.reserveWaiting(for: "second"), admission.reserveWaiting(for: "second")]
        #expect(has("appreceipt_waiting_requests 4"))
        first.removeLast()
        first.append(try admission.reserveWaiting(for: "first"))
        #expect(throws: OverloadError(.waiting)) { try admission.reserveWaiting(for: "first") }
        let last = try admission.reserveWaiting(for: "third")
        #expect(throws: OverloadError(.waiting)) { try admission.reserveWaiting(for: "fourth") }
        withExtendedLifetime((others, last)) {}
        first.removeAll()
        #expect(has("appreceipt_waiting_requests 3"))
        let small = self.admission { $0.maxConnections = 4 }
        let only = try small.reserveWaiting(for: "first")
        withExtendedLifetime(only) {}
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Without tokens, requests that wait get every place")
    func waitingWithoutTokens() throws {
        let admission = admission { $0.maxConnections = 12 }
        let all = try (0..<3).map { _ in try admission.reserveWaiting(for: nil) }
        #expect(throws: OverloadError(.waiting)) { try admission.reserveWaiting(for: nil) }
        withExtendedLifetime(all) {}
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Memory beyond the limit is rejected, and smaller reservations still fit")
    func memory() throws {
        let admission = admission { $0.maxTotalBodyBytes = 150_000 }
        let first = try admission.reserve(bytes: 90_000)
        #expect(throws: OverloadError(.memory)) { try admission.reserve(bytes: 60_001) }
        let second = try admission.reserve(bytes: 60_000)
        #expect(has("appreceipt_body_bytes 150000"))
        #expect(has(#"appreceipt_overload_total{reason="memory"} 1"#))
        withExtendedLifetime((first, second)) {}
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A number of bytes that doesn't fit into the sum is rejected")
    func overflow() throws {
        let admission = admission { $0.maxTotalBodyBytes = .max }
        let first = try admission.reserve(bytes: .max - 1)
        #expect(throws: OverloadError(.memory)) { try admission.reserve(bytes: .max) }
        withExtendedLifetime(first) {}
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request beyond the limit is rejected immediately, and its work isn't run")
    func requests() async throws {
        let admission = admission { $0.maxRequests = 1 }
        try await admission.withVerificationSlot(bodyBytes: 0) {
            #expect(has("appreceipt_requests_in_progress 1"))
            await #expect(throws: OverloadError(.requests)) {
                try await admission.withVerificationSlot(bodyBytes: 0) { Issue.record("Not admitted") }
            }
        }
        #expect(has("appreceipt_requests_in_progress 0"))
        #expect(has(#"appreceipt_overload_total{reason="requests"} 1"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request that has waited too long is rejected, and its work isn't run")
    func waitedTooLong() async throws {
        for (wait, response, elapsed, isRun) in [(5, 30, 5, true), (5, 30, 6, false), (60, 30, 31, false)] {
            let admission = admission {
                $0.queueTimeout = .seconds(wait)
                $0.responseTimeout = .seconds(response)
            }
            let start = ContinuousClock.now
            let times = LockedValueBox([start, start + .seconds(elapsed)])
            do {
                let hasRun = try await admission.withVerificationSlot(
                    bodyBytes: 0, now: { times.withLock { $0.removeFirst() } }
                ) { true }
                #expect(isRun)
                #expect(hasRun)
            } catch {
                #expect(!isRun)
                #expect(error as? OverloadError == OverloadError(.requests))
            }
        }
        #expect(has(#"appreceipt_overload_total{reason="requests"} 2"#))
        #expect(has("appreceipt_requests_in_progress 0"))
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test("Only the work of a small body runs on an event loop, and its caller always does")
    func eventLoops() async throws {
        let admission = admission { _ in }
        let isOnEventLoop = { @Sendable in MultiThreadedEventLoopGroup.currentEventLoop != nil }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let results = try await withTaskExecutorPreference(EventLoopExecutor(eventLoop)) {
            [
                try await admission.withVerificationSlot(bodyBytes: Admission.eventLoopBodyBytes, isOnEventLoop),
                try await admission.withVerificationSlot(bodyBytes: Admission.eventLoopBodyBytes + 1, isOnEventLoop),
                isOnEventLoop(),
            ]
        }
        #expect(results == [true, false, true])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A large body waits for another one, and a small one doesn't")
    func largeBodies() async throws {
        // On a busy machine, a turn may come late.
        let admission = admission {
            $0.queueTimeout = .seconds(3600)
            $0.responseTimeout = .seconds(3600)
        }
        let events = LockedValueBox<[String]>([])
        let second = try await admission.withVerificationSlot(bodyBytes: Admission.largeBodiesBytes) {
            let second = Task {
                try await admission.withVerificationSlot(bodyBytes: Admission.smallBodyBytes + 1) {
                    events.withLock { $0.append("second large") }
                }
            }
            await waitUntil { admission.largeBodies.withLock { !$0.waiting.isEmpty } }
            try await admission.withVerificationSlot(bodyBytes: Admission.smallBodyBytes) {
                events.withLock { $0.append("small") }
            }
            events.withLock { $0.append("first large") }
            return second
        }
        try await second.value
        #expect(events.withLock { $0 } == ["small", "first large", "second large"])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A large body that fails lets the next one proceed")
    func failingLargeBodies() async throws {
        struct Failure: Error {}
        let admission = admission { _ in }
        for _ in 0..<2 {
            await #expect(throws: Failure.self) {
                try await admission.withVerificationSlot(bodyBytes: Admission.largeBodiesBytes) {
                    () throws -> Void in throw Failure()
                }
            }
        }
        #expect(has("appreceipt_requests_in_progress 0"))
    }
}
#endif
