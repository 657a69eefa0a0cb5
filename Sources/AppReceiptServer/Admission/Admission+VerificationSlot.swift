#if Server
import AppReceiptSupport
import Hummingbird
import NIOPosix

@available(AppReceiptServer 1.0, *)
extension Admission {
    /// Reads the body of a request, and returns the response to it.
    ///
    /// The slot is taken after the body has arrived, so a slow client occupies a connection but no slot.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - respond: Returns the response to the body. Must not block.
    /// - Throws: `OverloadError`, `CollectedBody.TooLarge`, `CollectedBody.Broken`, or an error of `respond`.
    nonisolated(nonsending) func withBody(
        of request: Request, respond: @Sendable (_ body: [UInt8]) async throws -> Response
    ) async throws -> Response {
        let body = try await CollectedBody.read(request, admission: self)
        // The body's reservation ends with its last use.
        defer { withExtendedLifetime(body) {} }
        let response = try await withVerificationSlot(bodyBytes: body.bytes.count) { try await respond(body.bytes) }
        return try response.reservingMemory(from: self)
    }

    /// Returns the response to a request whose body isn't read.
    nonisolated(nonsending) func withoutBody(
        respond: @Sendable () async throws -> Response
    ) async throws -> Response {
        try await withVerificationSlot(bodyBytes: 0, respond).reservingMemory(from: self)
    }

    /// Runs the CPU-bound part of a request, or rejects the request.
    ///
    /// Small bodies are verified on the current event loop, if there is one, after the tasks that are enqueued
    /// there, and their responses are sent after those that are enqueued then. Requests that arrive together run stage
    /// by stage, while the code of a stage is in the processor's caches, and without changing threads (budget: 7 KB).
    /// All others run on ``VerificationExecutor``.
    ///
    /// Verifying a body takes ten times its memory: the bytes, what is parsed from them, and the response. A request
    /// that waits for the database keeps all of it while the next one begins, so the number of processors doesn't bound
    /// the sum. Large bodies therefore wait until their sum is at most `largeBodiesBytes`.
    ///
    /// - Parameters:
    ///   - bodyBytes: The size of the request's body.
    ///   - now: The current time.
    ///   - work: The work. It must not block, so it reads the database on ``VerificationExecutor``, except for SQLite's
    ///     look-ups of microseconds (`isSole`, `forgetCount`). It isn't run if the request has waited too long, because
    ///     its client may have given up.
    /// - Throws: ``OverloadError``, or what `work` throws.
    nonisolated(nonsending) func withVerificationSlot<Value: Sendable>(
        bodyBytes: Int, now: @Sendable () -> ContinuousClock.Instant = { .now },
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let reservation = try reserveRequest()
        defer { withExtendedLifetime(reservation) {} }
        // After `responseTimeout`, the connection is closed.
        let latest = now() + min(limits.queueTimeout, limits.responseTimeout)
        let isLarge = bodyBytes > Self.smallBodyBytes
        if isLarge { await waitForTurn(bodyBytes) }
        defer { if isLarge { endTurn(bodyBytes) } }
        nonisolated(nonsending) func workInTime() async throws -> Value {
            guard now() <= latest else { throw rejection(of: .requests) }
            return try await work()
        }
        guard bodyBytes <= Self.eventLoopBodyBytes, MultiThreadedEventLoopGroup.currentEventLoop != nil else {
            return try await onVerificationExecutor { try await workInTime() }
        }
        await Task.yield()
        let value = try await workInTime()
        await Task.yield()
        return value
    }

    /// Waits until large bodies that came before leave room for this one.
    private func waitForTurn(_ bytes: Int) async {
        await withCheckedContinuation { continuation in
            if largeBodies.withLock({ $0.begin(continuation, size: bytes) }) { continuation.resume() }
        }
    }

    private func endTurn(_ bytes: Int) {
        for continuation in largeBodies.withLock({ $0.end(bytes) }) { continuation.resume() }
    }
}
#endif
