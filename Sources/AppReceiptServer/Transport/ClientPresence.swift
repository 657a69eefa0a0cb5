#if Server
import AppReceiptSupport

/// Whether the client of a connection still waits for responses.
///
/// A client that closes its side of the connection, or all of it, is gone. It may still read, so what is in progress is
/// answered nevertheless, but a request that waits for something ends its wait.
@available(AppReceiptServer 1.0, *)
final class ClientPresence: Sendable {
    /// The client of the current request; nil for a request without a connection.
    @TaskLocal static var current: ClientPresence?

    private let gone = LockedValueBox(false)

    /// Whether the client is gone.
    var isGone: Bool { gone.withLock(\.self) }

    /// Notes that the client is gone.
    func leave() { gone.withLock { $0 = true } }
}
#endif
