#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import AppReceiptSupport

@available(AppReceiptServer 1.0, *)
extension Response {
    /// Creates a response with a JSON document.
    init(json: AppStoreJSON, status: HTTPResponse.Status = .ok) { self.init(jsonBytes: json.text(), status: status) }

    /// Creates a response with the text of a JSON document.
    init(jsonBytes: [UInt8], status: HTTPResponse.Status = .ok) {
        self.init(bytes: jsonBytes, contentType: "application/json", status: status)
    }

    /// Creates a response with a JSON document on each line.
    ///
    /// - Parameters:
    ///   - elements: The elements, each of which is an object.
    ///   - write: Writes the members of an element.
    init<Element>(lines elements: [Element], write: (Element, inout JSONWriter) -> Void) {
        var bytes: [UInt8] = []
        for element in elements {
            var writer = JSONWriter()
            writer.openObject()
            write(element, &writer)
            writer.closeObject()
            bytes += writer.bytes + [UInt8(ascii: "\n")]
        }
        self.init(bytes: bytes, contentType: "application/x-ndjson")
    }

    /// Creates a response with a document of any type. A long one is sent in pieces, and each piece waits until the
    /// channel is writable.
    init(bytes: [UInt8], contentType: String, status: HTTPResponse.Status = .ok) {
        var headers = HTTPFields()
        headers[.contentType] = contentType
        let buffer = ByteBuffer(bytes: bytes)
        let body =
            bytes.count <= Self.maxUnreservedBytes
            ? ResponseBody(byteBuffer: buffer)
            : ResponseBody(contentLength: bytes.count) { writer in
                var rest = buffer
                while let piece = rest.readSlice(length: min(rest.readableBytes, Self.maxPieceBytes)),
                    piece.readableBytes > 0
                {
                    try await writer.write(piece)
                }
                try await writer.finish(nil)
            }
        self.init(status: status, headers: headers, body: body)
    }

    /// The maximum size in bytes of a response that is sent in one write and needs no reservation.
    static let maxUnreservedBytes = 64 << 10
    /// The maximum size in bytes of a piece of a longer response.
    private static let maxPieceBytes = 256 << 10
}

@available(AppReceiptServer 1.0, *)
extension Request {
    /// Whether the client asks for a JSON document on each line.
    var acceptsLines: Bool { headers[values: .accept].contains { $0.lowercased().contains("application/x-ndjson") } }
}
#endif
