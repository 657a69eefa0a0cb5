import AppReceiptKit
import AppReceiptSupport

extension EvidenceInput {
    /// Returns the object or array that text is base64 of.
    static func json(inBase64 text: ArraySlice<UInt8>) -> AppStoreJSON? {
        guard text.starts(with: "ey".utf8) || text.starts(with: "W".utf8), !text.contains(UInt8(ascii: ".")),
            let decoded = try? Base64.decode(text), let first = decoded.first,
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return nil }
        return try? AppStoreJSON(parsing: decoded[...], depth: 16)
    }

    /// Returns the token that text is base64 of.
    static func token(inBase64 text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.starts(with: "ZXlK".utf8), let decoded = try? Base64.decode(text), decoded[...].isPlausibleJWS else {
            return nil
        }
        return decoded[...]
    }

    /// Returns the property list of a transaction receipt; nil if the text isn't one, nor base64 of one.
    static func transactionReceipt(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if ReceiptInput.isTransactionReceipt(text) { return text }
        guard text.first == UInt8(ascii: "e"), let list = try? Base64.decode(text) else { return nil }
        return ReceiptInput.isTransactionReceipt(list[...]) ? list[...] : nil
    }
}
