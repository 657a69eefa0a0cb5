#if Server
import AppReceiptKit
import AppReceiptSupport

@available(AppReceiptServer 1.0, *)
extension Admission {
    /// Runs the CPU-bound part of a request, or rejects the request. Small bodies may begin on the current event loop; everything
    /// else runs on ``VerificationExecutor``.
    ///
    /// Verifying a body takes ten times its memory: the bytes, what is parsed from them, and the response. A request that waits for the
    /// database keeps all of it while the next one begins, so the number of processors doesn't bound the sum. Large bodies therefore wait
    /// until their sum is at most `largeBodiesBytes`.
    ///
    /// - Parameters:
    ///   - bodyBytes: The size of the request's body.
    ///   - maxEventLoopBytes: The maximum size of a body for which `work` runs on the current event loop, which avoids two thread switches; nil
    ///     for none.
    ///   - now: The current time.
    ///   - work: Begins the work. Must be short and must not block, because it can run on an event loop. It isn't run if the request has waited
    ///     too long.
    /// - Throws: ``OverloadError``, or what `work` throws.
    nonisolated(nonsending) func withVerificationSlot<Value: Sendable>(
        bodyBytes: Int, maxEventLoopBytes: Int? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ work: @escaping @Sendable () throws -> PartialResult<Value>
    ) async throws -> Value {
        let reservation = try reserveRequest()
        defer { withExtendedLifetime(reservation) {} }
        // After `responseTimeout`, the connection is closed.
        let latest = now() + min(limits.queueTimeout, limits.responseTimeout)
        let isLarge = bodyBytes > Self.smallBodyBytes
        if isLarge { await waitForTurn(bodyBytes) }
        defer { if isLarge { endTurn(bodyBytes) } }
        let admitted = { @Sendable in
            guard now() <= latest else { throw self.rejection(.requests) }
            return try work()
        }
        guard let maxEventLoopBytes, bodyBytes <= maxEventLoopBytes else {
            return try await onVerificationExecutor { try await admitted().finish() }
        }
        switch try await onCurrentEventLoop(admitted) {
        case .finished(let value): return value
        case .unfinished(let rest): return try await onVerificationExecutor(rest)
        }
    }

    /// Waits until large bodies that came before leave room for this one.
    private func waitForTurn(_ bytes: Int) async {
        await withCheckedContinuation { continuation in
            if largeBodies.withLock({ $0.begin(bytes, continuation) }) { continuation.resume() }
        }
    }

    private func endTurn(_ bytes: Int) {
        for continuation in largeBodies.withLock({ $0.end(bytes) }) { continuation.resume() }
    }
}
#endif
