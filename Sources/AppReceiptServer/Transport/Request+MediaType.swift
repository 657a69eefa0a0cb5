#if Server
import HTTPTypes
import Hummingbird

@available(AppReceiptServer 1.0, *)
extension Request {
    /// The media type in `Content-Type`, in lower case and without parameters; empty if there is none.
    var mediaType: String {
        // Media types are ASCII (RFC 9110, 8.3.1).
        let type = (headers[.contentType] ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
            .filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            }
        return String(decoding: type, as: UTF8.self)
    }
}
#endif
