import AppReceiptTesting
import Testing

@Suite("DERWriter")
struct DERWriterTests {
    @Test(
        "Integers are written in their shortest form, and never negative",
        arguments: [
            (0, [0x02, 0x01, 0x00]), (1, [0x02, 0x01, 0x01]), (127, [0x02, 0x01, 0x7F]),
            (128, [0x02, 0x02, 0x00, 0x80]),
            (255, [0x02, 0x02, 0x00, 0xFF]), (256, [0x02, 0x02, 0x01, 0x00]), (32_768, [0x02, 0x03, 0x00, 0x80, 0x00]),
            (UInt64.max, [0x02, 0x09, 0x00] + [UInt8](repeating: 0xFF, count: 8)),
        ] as [(UInt64, [UInt8])])
    func integers(_ value: UInt64, _ expected: [UInt8]) {
        #expect(DERWriter.integer(value) == expected)
    }

    @Test(
        "Lengths are written in their shortest form",
        arguments: [
            (0, [0x00]), (1, [0x01]), (127, [0x7F]), (128, [0x81, 0x80]), (255, [0x81, 0xFF]),
            (256, [0x82, 0x01, 0x00]),
            (65_535, [0x82, 0xFF, 0xFF]), (65_536, [0x83, 0x01, 0x00, 0x00]),
        ] as [(Int, [UInt8])])
    func lengths(_ count: Int, _ expected: [UInt8]) {
        let content = [UInt8](repeating: 7, count: count)
        #expect(DERWriter.octetString(content) == [0x04] + expected + content)
    }

    @Test(
        "Object identifiers are written from dotted decimal",
        arguments: [
            ("1.2.840.113549.1.7.2", [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]),
            ("2.5.29.19", [0x06, 0x03, 0x55, 0x1D, 0x13]), ("2.999.3", [0x06, 0x03, 0x88, 0x37, 0x03]),
            ("1.3.14.3.2.26", [0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A]), ("1", [0x06, 0x00]), ("", [0x06, 0x00]),
        ] as [(String, [UInt8])])
    func objectIdentifiers(_ dotted: String, _ expected: [UInt8]) {
        #expect(DERWriter.objectIdentifier(dotted) == expected)
    }

    @Test("Sets are sorted by default, and sequences never")
    func sets() {
        let members = [DERWriter.integer(5), DERWriter.boolean(true), DERWriter.integer(3)]
        #expect(
            DERWriter.set(members) == [0x31, 0x09, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x03, 0x02, 0x01, 0x05])
        #expect(
            DERWriter.set(members, sorted: false) == [0x31, 0x09, 0x02, 0x01, 0x05, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x03])
        #expect(
            DERWriter.sequence(members) == [0x30, 0x09, 0x02, 0x01, 0x05, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x03])
    }

    @Test("Strings, booleans, NULL, bit strings and tagged elements have their tags")
    func otherForms() {
        #expect(DERWriter.utf8String("é") == [0x0C, 0x02, 0xC3, 0xA9])
        #expect(DERWriter.printableString("US") == [0x13, 0x02, 0x55, 0x53])
        #expect(DERWriter.ia5String("") == [0x16, 0x00])
        #expect(DERWriter.boolean(false) == [0x01, 0x01, 0x00])
        #expect(DERWriter.null == [0x05, 0x00])
        #expect(DERWriter.bitString([0xF0]) == [0x03, 0x02, 0x00, 0xF0])
        #expect(DERWriter.context(0, DERWriter.null) == [0xA0, 0x02, 0x05, 0x00])
        #expect(DERWriter.context(3, []) == [0xA3, 0x00])
        #expect(DERWriter.indefinite(0x24, DERWriter.null) == [0x24, 0x80, 0x05, 0x00, 0x00, 0x00])
    }
}
