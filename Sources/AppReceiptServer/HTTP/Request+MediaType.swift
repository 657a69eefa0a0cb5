#if Server
import HTTPTypes
import Hummingbird

@available(AppReceiptServer 1.0, *)
extension Request {
    /// The media type in `Content-Type`, in lower case and without parameters; empty if there is none.
    var mediaType: String {
        let values = headers[values: .contentType]
        // Joining one value takes longer than the rest.
        let field = values.count == 1 ? values[0] : values.joined(separator: ", ")
        let isMediaType = field.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "/")
        }
        if isMediaType { return field }
        // Media types are ASCII (RFC 9110, 8.3.1).
        let lowercase = field.utf8.prefix { $0 != UInt8(ascii: ";") }
            .filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            }
        return String(decoding: lowercase, as: UTF8.self)
    }
}
#endif
