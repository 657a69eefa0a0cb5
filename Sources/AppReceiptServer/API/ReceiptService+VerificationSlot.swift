#if Server
import Hummingbird
import NIOPosix

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Reads the body of a request, then runs `respond` with it if a slot is free.
    ///
    /// The slot is taken after the body has arrived, so a slow client occupies a connection but no slot. A request that waits
    /// too long for the executor is rejected, because its client may have given up.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - maxEventLoopBytes: The maximum size of a body for which `respond` runs on the current event loop. It must then be short and must not
    ///     block; see ``isKnownToBeOnlyEvidence(_:)``.
    ///   - respond: Returns the response to the body.
    /// - Throws: `OverloadError`, `CollectedBody.TooLarge`, `CollectedBody.Broken`, or an error of `respond`.
    func withVerificationSlot(
        for request: Request, maxEventLoopBytes: Int = 0, _ respond: (_ body: [UInt8]) async throws -> Response
    ) async throws -> Response {
        let body = try await CollectedBody.read(request, limits: configuration.limits, admission: admission)
        // The body's reservation ends with its last use.
        defer { withExtendedLifetime(body) {} }
        return try await admission.withVerificationSlot(
            bodyBytes: body.bytes.count, maxEventLoopBytes: maxEventLoopBytes
        ) {
            // Every test of a debug build checks this.
            assert(
                body.bytes.count <= maxEventLoopBytes || MultiThreadedEventLoopGroup.currentEventLoop == nil,
                "Verification would block an event loop.")
            return try await respond(body.bytes).reservingMemory(from: admission)
        }
    }
}
#endif
