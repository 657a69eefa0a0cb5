import AppReceiptFoundation
import AppReceiptParsing

/// Encodes DER, and BER as Xcode writes it.
package enum DERWriter {
    /// Encodes an element.
    package static func element(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        DERElement.encode(tag, containing: content)
    }

    /// Encodes an element with an indefinite length (X.690, 8.1.3.6).
    package static func indefinite(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        [tag, 0x80] + content + [0, 0]
    }

    package static func sequence(_ members: [[UInt8]]) -> [UInt8] { DERElement.sequence(members) }

    /// Encodes a SET OF, in the order that DER requires or as given.
    package static func set(_ members: [[UInt8]], sorted: Bool = true) -> [UInt8] {
        let members = sorted ? members.sorted { $0.lexicographicallyPrecedes($1) } : members
        return element(0x31, members.flatMap(\.self))
    }

    /// Encodes `[number] EXPLICIT`, or `[number] IMPLICIT` of a constructed element.
    package static func context(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xA0 | number, content) }

    package static func octetString(_ octets: some Collection<UInt8>) -> [UInt8] { element(0x04, octets) }
    package static func utf8String(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
    package static func printableString(_ text: String) -> [UInt8] { element(0x13, Array(text.utf8)) }
    package static func ia5String(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }
    package static func boolean(_ value: Bool) -> [UInt8] { [0x01, 0x01, value ? 0xFF : 0x00] }
    package static let null: [UInt8] = [0x05, 0x00]

    /// Encodes a BIT STRING without unused bits.
    package static func bitString(_ octets: some Collection<UInt8>) -> [UInt8] { element(0x03, [0] + octets) }

    /// Encodes a non-negative INTEGER in its shortest form.
    package static func integer(_ value: UInt64) -> [UInt8] {
        var octets: [UInt8] = []
        var rest = value
        repeat {
            octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        } while rest > 0
        if octets[0] & 0x80 != 0 { octets.insert(0, at: 0) }
        return element(0x02, octets)
    }

    /// Encodes an OBJECT IDENTIFIER from dotted decimal text.
    ///
    /// Arcs that aren't numbers are skipped. If the first two arcs are invalid, the result is empty.
    package static func objectIdentifier(_ dotted: String) -> [UInt8] {
        element(0x06, objectIdentifierOctets(dotted))
    }

    package static func objectIdentifierOctets(_ dotted: String) -> [UInt8] {
        var arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
        guard arcs.count >= 2, arcs[0] <= 2, arcs[1] < 1 << 32 else { return [] }
        arcs.replaceSubrange(0..<2, with: [arcs[0] * 40 + arcs[1]])
        return arcs.flatMap { arc in
            var octets = [UInt8(truncatingIfNeeded: arc & 0x7F)]
            var rest = arc >> 7
            while rest > 0 {
                octets.insert(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            return octets
        }
    }

    /// Returns DER as PEM (RFC 7468, section 2), in lines of 64 characters.
    static func pem(_ der: [UInt8], label: String) -> String {
        let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }
}
