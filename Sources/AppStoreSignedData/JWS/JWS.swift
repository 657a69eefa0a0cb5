import AppReceiptKit
import AppReceiptSupport

/// A parsed compact JWS (RFC 7515, section 7.1): three segments, unverified.
struct JWS: Sendable {
    /// The first segment, encoded.
    let header: ArraySlice<UInt8>
    /// The signed bytes: the encoded header and payload, and the period between them.
    let signed: ArraySlice<UInt8>
    /// The payload, decoded.
    let payload: [UInt8]
    /// The signature, decoded: r and s, 32 bytes each (RFC 7518, section 3.4).
    let signature: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>, limits: SignedDataLimits) throws(ReceiptError) {
        guard text.count <= limits.maxTokenBytes else { throw ReceiptError(.tokenTooLarge) }
        if let hint = Self.hint(text) { throw ReceiptError(.tokenMalformed, hint) }
        let span = text.span
        let point = UInt8(ascii: ".")
        guard let first = span.firstIndex(of: point, in: 0..<span.count),
            let second = span.firstIndex(of: point, in: first + 1..<span.count),
            span.firstIndex(of: point, in: second + 1..<span.count) == nil
        else { throw ReceiptError(.tokenMalformed) }
        guard first <= limits.maxHeaderBytes else {
            throw ReceiptError(.tokenTooLarge, "The token's header is too large.")
        }
        header = text.part(0..<first)
        signed = text.part(0..<second)
        payload = try Self.decoded(text, first + 1..<second, "payload")
        let signature = try Self.decoded(text, second + 1..<span.count, "signature")
        guard signature.count == 64 else { throw ReceiptError(.tokenSignatureMalformed) }
        self.signature = signature[...]
    }

    /// The common mistake that explains why the text isn't a token; nil if none is recognized.
    private static func hint(_ text: ArraySlice<UInt8>) -> String? {
        guard let first = text.first, let last = text.last else { return "The text is empty." }
        if Base64.isWhitespace(first) || Base64.isWhitespace(last) {
            return "There is a space or line break before or after the token."
        }
        if first == UInt8(ascii: "\"") || last == UInt8(ascii: "\"") {
            return "There are quotation marks around the token."
        }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            return "The text is JSON, not a token. Pass the member that contains the token."
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { return "There is a byte order mark before the token." }
        if text.starts(with: Array("Bearer ".utf8)) { return "The word 'Bearer' precedes the token." }
        let isBase64OfContainer = first == UInt8(ascii: "M") && !text.contains(UInt8(ascii: "."))
        if first == 0x30 || isBase64OfContainer { return "This looks like an app receipt, not a token." }
        return nil
    }

    /// Decodes a segment.
    static func decoded(
        _ text: ArraySlice<UInt8>, _ range: Range<Int>, _ name: String
    ) throws(ReceiptError) -> [UInt8] {
        do throws(Base64URL.Fault) {
            return try Base64URL.decode(text.part(range))
        } catch {
            throw ReceiptError(
                .tokenBase64Malformed, offset: range.lowerBound + error.position,
                "The token's \(name) isn't URL-safe base64 without padding.")
        }
    }
}
