#if Server
import AppReceiptSupport
import AppReceiptKit

extension EmbeddedFiles {
    /// The contents of an embedded file.
    static func bytes(_ base64: String) -> [UInt8] {
        guard let bytes = try? Base64.decode(ArraySlice(base64.utf8)) else {
            preconditionFailure("An embedded file isn't base64. Run scripts/embed-files.py.")
        }
        return bytes
    }
}
#endif
