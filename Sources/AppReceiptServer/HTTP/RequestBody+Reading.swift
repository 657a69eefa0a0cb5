#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird

/// A request's body, and the room that it takes, which is given back when nobody holds it any more.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class ReadBody: Sendable {
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
    /// - Throws: `TooLarge`, `Overloaded`, or what came of the connection.
    static func read(_ request: Request, limits: ServerLimits, admission: Admission) async throws -> ReadBody {
        var reserved = 0
        do {
            if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
                guard length <= limits.bodyBytes else { throw TooLarge() }
                guard admission.reserve(bytes: length) else { throw Overloaded() }
                reserved = length
            }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(reserved)
            for try await part in request.body {
                let count = bytes.count + part.readableBytes
                guard count <= limits.bodyBytes else { throw TooLarge() }
                if count > reserved {
                    guard admission.reserve(bytes: count - reserved) else { throw Overloaded() }
                    reserved = count
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return ReadBody(bytes, reserved: reserved, admission)
        } catch {
            admission.release(bytes: reserved)
            throw error
        }
    }

    /// The body is larger than the limit.
    struct TooLarge: Error {}
}
#endif
