#if Server
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The server can't listen on its address.
public struct ListeningFailure: Error, CustomStringConvertible {
    /// The address, the system's reason, and what to do.
    public let description: String

    /// - Returns: `nil` if the error isn't about the address.
    @available(AppReceiptServer 1.0, *)
    init?(_ error: any Error, listeningAs configuration: ServerConfiguration) {
        let reason: String
        switch error {
        case let error as IOError: reason = unsafe "\(String(cString: strerror(error.errnoCode)))."
        case let error as SocketAddressError.UnknownHost: reason = "\(error.errorDescription)."
        case is SocketAddressError: reason = "The address doesn't exist."
        default: return nil
        }
        description =
            "The server can't listen on \(configuration.host), port \(configuration.port): \(reason)"
            + " Choose another address or port."
    }
}
#endif
