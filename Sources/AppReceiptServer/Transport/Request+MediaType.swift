#if Server
import HTTPTypes
import Hummingbird

@available(AppReceiptServer 1.0, *)
extension Request {
    /// Returns whether `Content-Type` has a media type, whatever its case and parameters.
    ///
    /// - Parameter mediaType: The type in lower case.
    func hasMediaType(_ mediaType: String) -> Bool {
        guard let field = headers[.contentType] else { return false }
        // Media types are ASCII (RFC 9110, 8.3.1).
        let type = field.utf8.lazy.prefix { $0 != UInt8(ascii: ";") }
            .filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            .map { byte in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }
        return type.elementsEqual(mediaType.utf8)
    }
}
#endif
