#if Server
import AppReceiptKit
import AppReceiptSupport

@available(AppReceiptServer 1.0, *)
extension Admission {
    /// Runs the CPU-bound part of a request, or rejects the request. Small bodies may run on the current event loop; everything
    /// else runs on ``VerificationExecutor``.
    ///
    /// Verifying a body takes ten times its memory: the bytes, what is parsed from them, and the response. A request that waits for the
    /// database keeps all of it while the next one begins, so the number of processors doesn't bound the sum. Large bodies therefore wait
    /// until their sum is at most `largeBodiesBytes`.
    ///
    /// - Parameters:
    ///   - bodyBytes: The size of the request's body.
    ///   - maxEventLoopBytes: The maximum size of a body that is verified on the current event loop, which avoids two thread switches.
    ///   - now: The current time.
    ///   - body: The work. It isn't run if the request has waited too long.
    /// - Throws: ``OverloadError``, or what `body` throws.
    func withVerificationSlot<Value: Sendable>(
        bodyBytes: Int, maxEventLoopBytes: Int = 0, now: () -> ContinuousClock.Instant = { .now },
        _ body: () async throws -> Value
    ) async throws -> Value {
        let reservation = try reserveRequest()
        defer { withExtendedLifetime(reservation) {} }
        // After `responseTimeout`, the connection is closed.
        let latest = now() + min(limits.queueTimeout, limits.responseTimeout)
        func verify() async throws -> Value {
            try await withTurn(bodyBytes) {
                guard now() <= latest else { throw rejection(.requests) }
                return try await body()
            }
        }
        return if bodyBytes <= maxEventLoopBytes {
            try await onCurrentEventLoop(verify)
        } else {
            try await onVerificationExecutor(verify)
        }
    }

    /// Waits until large bodies that came before leave room for this one, and runs `body`.
    private func withTurn<Value>(_ bytes: Int, _ body: () async throws -> Value) async throws -> Value {
        guard bytes > Self.smallBodyBytes else { return try await body() }
        await withCheckedContinuation { continuation in
            if largeBodies.withLock({ $0.begin(bytes, continuation) }) { continuation.resume() }
        }
        defer {
            for continuation in largeBodies.withLock({ $0.end(bytes) }) { continuation.resume() }
        }
        return try await body()
    }
}
#endif
