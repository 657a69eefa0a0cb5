#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import AppReceiptSupport

@available(AppReceiptServer 1.0, *)
extension Response {
    /// Creates a response with a JSON document.
    init(json: JSONValue, status: HTTPResponse.Status = .ok) { self.init(jsonBytes: json.text(), status: status) }

    /// Creates a response with the text of a JSON document.
    init(jsonBytes: [UInt8], status: HTTPResponse.Status = .ok) {
        self.init(bytes: jsonBytes, contentType: "application/json", status: status)
    }

    /// Creates a response with a document of any type. A long one is sent in pieces, each once the client has read the previous one.
    init(bytes: [UInt8], contentType: String, status: HTTPResponse.Status = .ok) {
        var headers = HTTPFields()
        headers[.contentType] = contentType
        let body =
            bytes.count <= Self.shortBytes
            ? ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            : ResponseBody(contentLength: bytes.count) { writer in
                var rest = bytes[...]
                while !rest.isEmpty {
                    try await writer.write(ByteBuffer(bytes: rest.prefix(Self.pieceBytes)))
                    rest = rest.dropFirst(Self.pieceBytes)
                }
                try await writer.finish(nil)
            }
        self.init(status: status, headers: headers, body: body)
    }

    /// The size in bytes up to which a response is sent at once, and needs no reservation.
    private static let shortBytes = 64 << 10
    /// The size in bytes of the pieces of a longer one.
    private static let pieceBytes = 256 << 10

    /// Reserves memory for a long response until it is sent.
    func reservingMemory(from admission: Admission) throws(OverloadError) -> Response {
        guard let length = body.contentLength, length > Self.shortBytes else { return self }
        let (reservation, body) = (try admission.reserve(bytes: length), body)
        var response = self
        response.body = ResponseBody(contentLength: length) { writer in
            try await body.write(writer)
            withExtendedLifetime(reservation) {}
        }
        return response
    }
}
#endif
