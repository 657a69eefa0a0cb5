#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird

/// A request's body, and the room that it takes, which is given back when nobody holds it any more.
@available(AppReceiptServer 1.0, *)
final class CollectedBody: Sendable {
    let bytes: [UInt8]
    private let reserved: Int
    private let admission: Admission

    fileprivate init(_ bytes: [UInt8], reserved: Int, _ admission: Admission) {
        self.bytes = bytes
        self.reserved = reserved
        self.admission = admission
    }

    deinit { admission.release(bytes: reserved) }

    /// Reads the body, as long as there is room for it.
    ///
    /// Room is taken for what has come and not for what is announced: an announcement costs a client nothing.
    ///
    /// - Throws: `TooLarge`, `Overloaded`, or `Broken` if the client hung up or sends what is no HTTP.
    static func read(_ request: Request, limits: ServerLimits, admission: Admission) async throws -> CollectedBody {
        guard (request.headers.announcedLength ?? 0) <= limits.bodyBytes else { throw TooLarge() }
        var reserved = 0
        var bytes: [UInt8] = []
        do {
            for try await part in request.body {
                let count = bytes.count + part.readableBytes
                guard count <= limits.bodyBytes else { throw TooLarge() }
                if count > reserved {
                    // The array grows by doubling, so that is what it takes.
                    let wanted = min(max(2 * reserved, count), max(limits.bodyBytes, count))
                    guard admission.reserve(bytes: wanted - reserved) else { throw Overloaded() }
                    reserved = wanted
                    bytes.reserveCapacity(wanted)
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return CollectedBody(bytes, reserved: reserved, admission)
        } catch {
            admission.release(bytes: reserved)
            switch error {
            case is TooLarge, is Overloaded, is CancellationError: throw error
            default: throw Broken()
            }
        }
    }

    /// The body ended before its end, or is no HTTP: the client's fault or its network's.
    struct Broken: Error {}

    /// The body is larger than the limit.
    struct TooLarge: Error {}
}

extension HTTPFields {
    /// The length of the body as it is announced; the greatest number for one beyond all numbers, nil for none.
    var announcedLength: Int? { self[.contentLength].map { Int($0) ?? .max } }
}
#endif
