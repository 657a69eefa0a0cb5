#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird

/// A request's body, and the memory that is reserved for it.
@available(AppReceiptServer 1.0, *)
final class CollectedBody: Sendable {
    let bytes: [UInt8]
    private let reservations: [Admission.Reservation]

    private init(_ bytes: [UInt8], reservations: [Admission.Reservation]) {
        self.bytes = bytes
        self.reservations = reservations
    }

    /// Reads the body.
    ///
    /// Memory is reserved as parts arrive, not for the announced length: an announcement costs a client nothing.
    ///
    /// - Throws: `TooLarge`, `OverloadError`, `CancellationError`, or `Broken` if the connection ended or the client
    ///   sent malformed HTTP.
    nonisolated(nonsending) static func read(
        _ request: Request, admission: Admission
    ) async throws -> CollectedBody {
        let limits = admission.limits
        let announced = request.headers.announcedLength
        guard (announced ?? 0) <= limits.maxBodyBytes else { throw TooLarge() }
        var reserved = 0
        var reservations: [Admission.Reservation] = []
        var bytes: [UInt8] = []
        do {
            for try await part in request.body {
                let count = bytes.count + part.readableBytes
                guard count <= limits.maxBodyBytes else { throw TooLarge() }
                if count > reserved {
                    // The array doubles its capacity when it grows.
                    let needed = min(max(2 * reserved, count), max(limits.maxBodyBytes, count))
                    reservations.append(try admission.reserve(bytes: needed - reserved))
                    reserved = needed
                    bytes.reserveCapacity(needed)
                }
                bytes.append(contentsOf: part.readableBytesView)
                // Hummingbird reads the end after the response, and the parser guarantees the length.
                if count == announced { break }
            }
        } catch {
            switch error {
            case is TooLarge, is OverloadError, is CancellationError: throw error
            default: throw Broken()
            }
        }
        return CollectedBody(bytes, reservations: reservations)
    }

    /// The connection ended before the body did, or the body is malformed HTTP.
    struct Broken: Error {}

    /// The body exceeds the limit.
    struct TooLarge: Error {}
}
#endif
