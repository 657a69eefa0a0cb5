import AppReceiptParsing
import AppReceiptSupport

/// Converts BER to DER (X.690, section 10): shortest definite lengths, primitive octet strings, sorted sets.
enum DistinguishedEncoding {
    /// Returns the SET OF the elements in `octets`, as DER.
    static func set(of octets: ArraySlice<UInt8>, origin: Int = 0, limits: ReceiptLimits) throws(ReceiptError)
        -> [UInt8]
    {
        let span = octets.span
        let reader = BERReader(0..<span.count, check: .signature, limits: limits, origin: origin)
        var encoder = Encoder(limits: limits)
        return try encoder.constructed(BERTag.set, reader, span, octets, depth: 0)
    }

    /// Re-encodes elements recursively, up to `ReceiptLimits.maxDepth` and never more than 64 levels.
    private struct Encoder {
        let limits: ReceiptLimits
        var nodes = 0

        mutating func constructed(
            _ tag: UInt8, _ members: BERReader, _ span: Span<UInt8>, _ octets: ArraySlice<UInt8>, depth: Int
        ) throws(ReceiptError) -> [UInt8] {
            guard depth < min(limits.maxDepth, 64) else {
                throw members.failure(.encodingTooDeep, at: members.position)
            }
            var members = members
            var parts: [[UInt8]] = []
            while !members.isAtEnd {
                let element = try members.next(span)
                nodes += 1
                guard nodes <= limits.maxNodes else {
                    throw members.failure(.encodingTooManyNodes, at: element.start)
                }
                if element.tag == BERTag.constructedOctetString {
                    let joined = try members.octets(span, of: element, in: octets).octets
                    parts.append(DERElement.encode(BERTag.octetString, joined))
                } else if element.isConstructed {
                    let inner = members.inside(element)
                    parts.append(try constructed(element.tag, inner, span, octets, depth: depth + 1))
                } else {
                    parts.append(DERElement.encode(element.tag, octets.part(element.content)))
                }
            }
            // X.690, 11.6: members of a SET OF are sorted as octet strings. No encoding is a prefix of another.
            if tag == BERTag.set { parts.sort { $0.lexicographicallyPrecedes($1) } }
            return DERElement.encode(tag, parts.flatMap(\.self))
        }
    }
}
