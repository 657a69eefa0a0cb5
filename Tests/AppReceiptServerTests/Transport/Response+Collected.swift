#if Server
import AppReceiptSupport
import AppReceiptKit
import HTTPTypes
import Hummingbird
import NIOCore

@available(AppReceiptServer 1.0, *)
extension Response {
    /// The pieces of the body, as they are sent.
    func pieces() async throws -> [[UInt8]] {
        struct Writer: ResponseBodyWriter {
            let pieces: LockedValueBox<[[UInt8]]>

            mutating func write(_ buffer: ByteBuffer) async throws {
                pieces.withLock { $0.append(Array(buffer.readableBytesView)) }
            }

            consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
        }
        let pieces = LockedValueBox<[[UInt8]]>([])
        try await body.write(Writer(pieces: pieces))
        return pieces.withLock { $0 }
    }
}
#endif
