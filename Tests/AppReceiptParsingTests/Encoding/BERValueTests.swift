import AppReceiptParsing
import AppReceiptTesting
import Testing

@Suite("Primitive values")
struct BERValueTests {
    private func unsigned(_ content: [UInt8]) -> UInt64? {
        // Bytes before and after show that only the range is read.
        let bytes = ([0xFF] + content + [0xFF])[...]
        return BERValue.unsigned(in: bytes.span, at: 1..<1 + content.count)
    }

    @Test(
        "Integers of up to 64 bits are read",
        arguments: [
            ([0x00], 0), ([0x01], 1), ([0x7F], 127), ([0x00, 0x80], 128), ([0x01, 0x00], 256),
            ([0x00, 0xFF, 0xFF], 65_535),
            ([0x01, 0x00, 0x00, 0x00, 0x00], 4_294_967_296),
            ([0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], UInt64(Int64.max)),
            ([0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], 9_223_372_036_854_775_808),
            ([0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], UInt64.max),
        ] as [([UInt8], UInt64)])
    func integers(content: [UInt8], value: UInt64) {
        #expect(unsigned(content) == value)
        #expect(DERWriter.integer(value) == DERWriter.element(BERTag.integer, content))
    }

    @Test(
        "Integers that are empty, negative, padded or longer than 64 bits are rejected",
        arguments: [
            [], [0x80], [0xFF], [0x80, 0x00], [0x00, 0x00], [0x00, 0x7F], [0x00, 0x01, 0x00], [0xFF, 0x7F],
            [0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
            [0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
            [0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func noIntegers(content: [UInt8]) {
        #expect(unsigned(content) == nil)
    }

    private func isObjectIdentifier(_ content: [UInt8]) -> Bool {
        let bytes = ([0x80] + content + [0x80])[...]
        return BERValue.isObjectIdentifier(in: bytes.span, at: 1..<1 + content.count)
    }

    @Test(
        "Object identifiers have at least one arc, each complete and in its shortest form",
        arguments: [
            ([0x2A], true), ([0x2A, 0x86, 0x48], true), ([0x55, 0x04, 0x03], true), ([0x2A, 0x00], true),
            ([0x2A, 0x81, 0x80, 0x00], true), ([], false), ([0x80], false), ([0x2A, 0x86], false),
            ([0x80, 0x01], false),
            ([0x2A, 0x80, 0x01], false),
        ] as [([UInt8], Bool)])
    func objectIdentifiers(content: [UInt8], isOne: Bool) {
        #expect(isObjectIdentifier(content) == isOne)
    }

    @Test(
        "Object identifiers are written in dotted decimal",
        arguments: [
            "1.2.840.113549.1.7.2", "2.16.840.1.101.3.4.2.1", "1.3.14.3.2.26", "0.9.2342.19200300.100.1.25",
            "2.5.29.37",
            "2.999.1", "1.39", "0.0", "1.2.72057594037927935",
        ])
    func dotted(text: String) {
        #expect(BERValue.dotted(DERWriter.objectIdentifierOctets(text)) == text)
    }

    @Test("An arc larger than 64 bits doesn't trap")
    func oversizedArc() {
        let octets = [0x2A] + [UInt8](repeating: 0xFF, count: 20) + [0x7F]
        #expect(BERValue.dotted(octets) == "(object identifier with an oversized arc)")
        #expect(BERValue.dotted([0x2A, 0x03]) == "1.2.3")
    }
}
