#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import AppReceiptSupport

@available(AppReceiptServer 1.0, *)
extension Response {
    /// A JSON document.
    init(json: JSONValue, status: HTTPResponse.Status = .ok) { self.init(jsonBytes: json.text(), status: status) }

    /// A JSON document that is written already.
    init(jsonBytes: [UInt8], status: HTTPResponse.Status = .ok) {
        self.init(bytes: jsonBytes, contentType: "application/json", status: status)
    }

    /// Any document.
    init(bytes: [UInt8], contentType: String, status: HTTPResponse.Status = .ok) {
        var headers = HTTPFields()
        headers[.contentType] = contentType
        let body =
            bytes.count <= Self.pieceBytes
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

    /// Longer answers leave in pieces of this size, each once the client has taken what was before it.
    private static let pieceBytes = 64 << 10

    /// The same response; if it is long, with room that it takes until it has left.
    func holding(_ room: (_ bytes: Int) throws(Overloaded) -> AnswerRoom) throws(Overloaded) -> Response {
        guard let length = body.contentLength, length > Self.pieceBytes else { return self }
        let (room, body) = (try room(length), body)
        var response = self
        response.body = ResponseBody(contentLength: length) { writer in
            try await body.write(writer)
            withExtendedLifetime(room) {}
        }
        return response
    }
}

@available(AppReceiptServer 1.0, *)
extension Request {
    /// What the content is said to be, in lower case and without parameters; empty if nothing is said.
    var mediaType: String {
        (headers[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
#endif
