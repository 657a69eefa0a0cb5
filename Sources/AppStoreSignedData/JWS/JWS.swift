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
        if let mistake = Self.mistake(text) { throw mistake }
        let span = text.span
        let point = UInt8(ascii: ".")
        guard let first = span.firstIndex(of: point, in: 0..<span.count),
            let second = span.firstIndex(of: point, in: first + 1..<span.count),
            span.firstIndex(of: point, in: second + 1..<span.count) == nil
        else { throw Self.mistake(inParts: text) ?? ReceiptError(.tokenMalformed) }
        guard first <= limits.maxHeaderBytes else {
            throw ReceiptError(.tokenTooLarge, "The token's header is too large.")
        }
        header = text.part(0..<first)
        signed = text.part(0..<second)
        payload = try Self.decoded(text, in: first + 1..<second, as: "payload")
        if let error = Self.truncation(of: text.part(second + 1..<span.count), header: header) { throw error }
        let signature = try Self.decoded(text, in: second + 1..<span.count, as: "signature")
        guard signature.count == 64 else { throw ReceiptError(.tokenSignatureMalformed) }
        self.signature = signature[...]
    }

    /// Decodes a segment.
    static func decoded(
        _ text: ArraySlice<UInt8>, in range: Range<Int>, as name: String
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

extension JWS {
    /// Returns the members of the payload.
    func members(limits: SignedDataLimits) throws(ReceiptError) -> AppStoreJSON.Object {
        let value: AppStoreJSON
        do throws(AppStoreJSON.Fault) {
            value = try AppStoreJSON(parsing: payload[...], depth: limits.maxDepth)
        } catch {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload is \(error.predicate).")
        }
        guard let object = value.object else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload isn't a JSON object.")
        }
        // Genuine data has a few dozen members, and each lookup of a claim searches all of them.
        guard object.members.count <= 1000 else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload has more than 1,000 members.")
        }
        return object
    }
}
