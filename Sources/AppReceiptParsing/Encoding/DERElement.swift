/// Encodes elements in DER (X.690, section 10).
package enum DERElement {
    /// Encodes an element: its identifier octet, shortest definite length and content.
    package static func encode(_ tag: UInt8, containing content: some Collection<UInt8>) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    /// Encodes a SEQUENCE of these elements.
    package static func sequence(_ members: [[UInt8]]) -> [UInt8] {
        encode(BERTag.sequence, containing: members.flatMap(\.self))
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        var octets: [UInt8] = []
        var rest = count
        while rest > 0 {
            octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(octets.count)] + octets
    }
}
