import AppReceiptKit
import AppReceiptSupport

/// Tokens in what people and programs send.
package enum JWSText {
    /// The token in what was read: without white space around it, and without the body of the App Store server's request.
    package static func token(in bytes: some Collection<UInt8>) -> String {
        let text = Array(bytes).drop(while: Base64.isWhitespace)
        let trimmed = text.prefix(text.count - text.reversed().prefix(while: Base64.isWhitespace).count)
        if trimmed.first == UInt8(ascii: "{"), let value = try? JSONValue(parsing: trimmed),
            let token = value.object?["signedPayload"]?.string
        {
            return token
        }
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// Whether bytes look like a token rather than a receipt: three segments, the first of JSON.
    package static func isPlausible(_ bytes: some Collection<UInt8>) -> Bool {
        let text = token(in: bytes)
        return text.hasPrefix("eyJ") && text.utf8.count { $0 == UInt8(ascii: ".") } == 2
    }
}
