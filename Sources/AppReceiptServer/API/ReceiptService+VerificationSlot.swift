#if Server
import Hummingbird

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Reads the body of a request, then runs `respond` with it on ``VerificationExecutor`` if a slot is free. As for
    /// ``withVerificationSlot(for:maxEventLoopBytes:_:)``.
    nonisolated(nonsending) func withVerificationSlot(
        for request: Request, _ respond: @escaping @Sendable (_ body: [UInt8]) async throws -> Response
    ) async throws -> Response {
        try await withVerificationSlot(for: request, maxEventLoopBytes: nil) { body in
            .unfinished { try await respond(body) }
        }
    }

    /// Reads the body of a request, then runs `respond` with it if a slot is free.
    ///
    /// The slot is taken after the body has arrived, so a slow client occupies a connection but no slot. A request that waits
    /// too long for the executor is rejected, because its client may have given up.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - maxEventLoopBytes: The maximum size of a body for which `respond` runs on the current event loop; nil for none. It must then be
    ///     short and must not block.
    ///   - respond: Returns the response to the body, or what is left to do for it.
    /// - Throws: `OverloadError`, `CollectedBody.TooLarge`, `CollectedBody.Broken`, or an error of `respond`.
    nonisolated(nonsending) func withVerificationSlot(
        for request: Request, maxEventLoopBytes: Int?,
        _ respond: @escaping @Sendable (_ body: [UInt8]) throws -> PartialResult<Response>
    ) async throws -> Response {
        let body = try await CollectedBody.read(request, limits: configuration.limits, admission: admission)
        // The body's reservation ends with its last use.
        defer { withExtendedLifetime(body) {} }
        let response = try await admission.withVerificationSlot(
            bodyBytes: body.bytes.count, maxEventLoopBytes: maxEventLoopBytes
        ) { try respond(body.bytes) }
        return try response.reservingMemory(from: admission)
    }
}
#endif
