/// Base64url (RFC 4648, section 5) as JWS uses it (RFC 7515, section 2): no padding, no whitespace, unused bits zero.
///
/// Each byte sequence has exactly one encoding.
package enum Base64URL {
    /// The position of the first invalid character, or the end of the text if it is truncated.
    package struct Fault: Error, Hashable {
        package let position: Int

        package init(position: Int) { self.position = position }
    }

    /// Whether all characters belong to the alphabet.
    package static func isValid(_ text: ArraySlice<UInt8>) -> Bool { text.allSatisfy { values[Int($0)] < 64 } }

    /// Returns the bytes that `text` encodes.
    package static func decode(_ text: ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        let span = text.span
        return try [UInt8](capacity: span.count / 4 * 3 + 3) { (output: inout OutputSpan<UInt8>) throws(Fault) in
            let values = Self.values
            let table = values.span
            var group: UInt32 = 0
            for position in span.indices {
                let value = table[Int(span[position])]
                guard value < 64 else { throw Fault(position: position) }
                group = group << 6 | UInt32(value)
                guard position & 3 == 3 else { continue }
                output.append(UInt8(truncatingIfNeeded: group >> 16))
                output.append(UInt8(truncatingIfNeeded: group >> 8))
                output.append(UInt8(truncatingIfNeeded: group))
            }
            switch span.count & 3 {
            case 0:
                break
            case 2 where group & 0xF == 0:
                output.append(UInt8(truncatingIfNeeded: group >> 4))
            case 3 where group & 0x3 == 0:
                output.append(UInt8(truncatingIfNeeded: group >> 10))
                output.append(UInt8(truncatingIfNeeded: group >> 2))
            default:
                throw Fault(position: span.count)
            }
        }
    }

    /// Encodes bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var group: UInt32 = 0
        var bits = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(group >> UInt32(bits) & 0x3F)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(group << UInt32(6 - bits) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each character, 255 for those outside of the alphabet.
    private static let values: ArraySlice<UInt8> = {
        var values = [UInt8](repeating: 255, count: 256)[...]
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
