/// Decodes the values of primitive elements.
package enum BERValue {
    /// Returns the value of a non-negative INTEGER of at most 64 bits, or nil if it is larger, negative or not in its
    /// shortest form (X.690, 8.3.2).
    package static func unsigned(in bytes: Span<UInt8>, at content: Range<Int>) -> UInt64? {
        var position = content.lowerBound
        let end = content.upperBound
        guard position < end, bytes[position] & 0x80 == 0 else { return nil }
        if bytes[position] == 0, end - position > 1 {
            // A leading zero is only allowed if the next octet has its sign bit set.
            position += 1
            guard bytes[position] & 0x80 != 0 else { return nil }
        }
        guard end - position <= 8 else { return nil }
        var value: UInt64 = 0
        while position < end {
            value = value << 8 | UInt64(bytes[position])
            position += 1
        }
        return value
    }

    /// Whether the content is a valid OBJECT IDENTIFIER: at least one arc, and each arc complete and in its shortest
    /// form (X.690, 8.19.2).
    package static func isObjectIdentifier(in bytes: Span<UInt8>, at content: Range<Int>) -> Bool {
        var atStartOfArc = true
        for position in content {
            let octet = bytes[position]
            if atStartOfArc, octet == 0x80 { return false }
            atStartOfArc = octet & 0x80 == 0
        }
        return !content.isEmpty && atStartOfArc
    }

    /// Returns the dotted decimal text of an OBJECT IDENTIFIER, for messages.
    package static func dotted(_ octets: some Collection<UInt8>) -> String {
        var arcs: [UInt64] = []
        var arc: UInt64 = 0
        for octet in octets {
            guard arc >> 56 == 0 else { return "(object identifier with an oversized arc)" }
            arc = arc << 7 | UInt64(octet & 0x7F)
            guard octet & 0x80 == 0 else { continue }
            if arcs.isEmpty {
                let first = min(arc / 40, 2)
                arcs = [first, arc - first * 40]
            } else {
                arcs.append(arc)
            }
            arc = 0
        }
        return arcs.map(String.init).joined(separator: ".")
    }
}
