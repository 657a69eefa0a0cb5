#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
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
        self.init(status: status, headers: headers, body: .init(byteBuffer: .init(bytes: bytes)))
    }
}
#endif
