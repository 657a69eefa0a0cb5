import AppReceiptKit
import AppReceiptSupport

/// Finds tokens in input from people and programs.
package enum JWSText {
    /// Returns the token in the input, without surrounding whitespace and without the body of the App Store server's request around it.
    package static func token(in bytes: some Collection<UInt8>) -> String {
        let trimmed = Array(bytes)[...].trimmingWhitespace
        if trimmed.first == UInt8(ascii: "{"), let value = try? JSONValue(parsing: trimmed),
            let token = value.object?["signedPayload"]?.string
        {
            return token
        }
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// Returns whether bytes look like a token rather than a receipt: three segments, of which the first is JSON.
    package static func isPlausible(_ bytes: some Collection<UInt8>) -> Bool {
        ArraySlice(token(in: bytes).utf8).isPlausibleJWS
    }
}
