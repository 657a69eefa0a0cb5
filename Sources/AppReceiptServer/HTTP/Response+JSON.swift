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

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Request {
    /// What the content is said to be, in lower case and without parameters; empty if nothing is said.
    var mediaType: String {
        (headers[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
#endif
