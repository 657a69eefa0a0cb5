import AppReceiptParsing
import AppReceiptTesting
import Foundation
import Testing

@Suite("Values of attributes")
struct AttributeValueTests {
    // MARK: Text

    @Test(
        "Text is a UTF8String or an IA5String",
        arguments: [
            (DERWriter.utf8String("1.0"), "1.0"), (DERWriter.ia5String("1.0"), "1.0"),
            (DERWriter.utf8String("Größe 日本 👍"), "Größe 日本 👍"), ([0x0C, 0x81, 0x01, 0x41], "A"),
            ([0x0C, 0x82, 0x00, 0x01, 0x41], "A"),
            (DERWriter.utf8String(String(repeating: "x", count: 300)), String(repeating: "x", count: 300)),
            ([0x0C, 0x01, 0x00], "\0"),
        ] as [([UInt8], String)])
    func text(value: [UInt8], text: String) throws {
        #expect(try receipt(attribute(3, value)).appVersion == text)
    }

    @Test(
        "Bytes after a value of any type are rejected",
        arguments: [
            [0x0C, 0x01, 0x41, 0x00], [0x02, 0x01, 0x01, 0xFF], [0x30, 0x00, 0x30, 0x00],
            [0x0C, 0x81, 0x01, 0x41, 0x41],
        ]
            as [[UInt8]])
    func trailing(value: [UInt8]) {
        expectFailure(.attributeTrailingBytes) { try receipt(attribute(3, value)) }
    }

    @Test("Text isn't normalized")
    func normalization() throws {
        let decomposed: [UInt8] = [0x0C, 0x03, 0x65, 0xCC, 0x81]  // e, combining acute accent
        #expect(try receipt(attribute(3, decomposed)).appVersion?.utf8.elementsEqual([0x65, 0xCC, 0x81]) == true)
    }

    @Test(
        "Invalid UTF-8, an IA5String that isn't ASCII, and other types aren't text",
        arguments: [
            [0x0C, 0x01, 0xFF], [0x0C, 0x02, 0xC0, 0x80], [0x0C, 0x03, 0xED, 0xA0, 0x80], [0x0C, 0x02, 0xC3, 0x28],
            [0x0C, 0x01, 0xC3], [0x16, 0x02, 0xC3, 0xA4], [0x13, 0x01, 0x41], [0x04, 0x01, 0x41],
            [0x2C, 0x03, 0x0C, 0x01, 0x41],
            [0x0C, 0x02, 0x41], [0x0C, 0x81], [0x0C, 0x81, 0x02, 0x41], [0x0C, 0x80, 0x41, 0x00, 0x00], [0x41], [],
        ] as [[UInt8]])
    func noText(value: [UInt8]) throws {
        let receipt = try receipt(attribute(3, value))
        #expect(receipt.appVersion == nil)
        #expect(receipt.attributes.first?.value == value[...])
    }

    @Test(
        "Empty strings of either type are absent texts and dates",
        arguments: [[0x0C, 0x00], [0x16, 0x00], [0x0C, 0x81, 0x00]])
    func empty(value: [UInt8]) throws {
        let receipt = try receipt(
            attribute(0, value), attribute(2, value), attribute(3, value), attribute(8, value), attribute(12, value),
            attribute(21, value))
        #expect(receipt.environment == nil)
        #expect(receipt.bundleIdentifier == nil)
        #expect(receipt.bundleIdentifierBytes == value)
        #expect(receipt.appVersion == nil)
        #expect(receipt.transactionDate == nil)
        #expect(receipt.creationDate == nil)
        #expect(receipt.expirationDate == nil)
    }

    // MARK: Numbers

    @Test(
        "Integers of up to 64 bits are numbers, including nine bytes with a leading zero",
        arguments: [
            ([0x02, 0x01, 0x00], 0), ([0x02, 0x02, 0x00, 0x80], 128),
            ([0x02, 0x05, 0x01, 0x00, 0x00, 0x00, 0x00], 4_294_967_296),
            ([0x02, 0x08, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 9_223_372_036_854_775_807),
            ([0x02, 0x09, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .max), ([0x02, 0x81, 0x01, 0x05], 5),
        ] as [([UInt8], UInt64)])
    func numbers(value: [UInt8], number: UInt64) throws {
        #expect(try receipt(attribute(1, value)).appStoreIdentifier == number)
    }

    @Test(
        "Integers that are too long, negative, padded or empty are nil, and their bytes are available",
        arguments: [
            [0x02, 0x09, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x02, 0x0A, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x02, 0x01, 0xFF],
            [0x02, 0x08, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], [0x02, 0x02, 0x00, 0x05], [0x02, 0x00],
            [0x0C, 0x01, 0x31], [0x0A, 0x01, 0x01],
        ] as [[UInt8]])
    func noNumbers(value: [UInt8]) throws {
        let receipt = try receipt(attribute(1, value))
        #expect(receipt.appStoreIdentifier == nil)
        #expect(receipt.attributes.first?.value == value[...])
    }

    // MARK: Dates

    @Test("Dates are an IA5String or a UTF8String", arguments: [BERTag.ia5String, BERTag.utf8String])
    func dates(tag: UInt8) throws {
        let value = DERWriter.element(tag, Array("2020-07-22T18:33:15+0100".utf8))
        #expect(try receipt(attribute(12, value)).creationDate?.timeIntervalSince1970 == 1_595_439_195)
    }

    // MARK: Trailing bytes

    @Test(
        "Bytes after the value of an attribute are rejected, whether or not a decision depends on it",
        arguments: [
            (0, DERWriter.utf8String("Production")), (1, DERWriter.integer(5)), (2, DERWriter.utf8String("a")),
            (3, DERWriter.utf8String("1")), (8, DERWriter.ia5String("")), (10, DERWriter.ia5String("4+")),
            (12, DERWriter.ia5String("2024-07-02T15:04:05Z")), (19, [0x0C, 0x81, 0x01, 0x41]),
            (20, DERWriter.utf8String("")),
            (21, DERWriter.ia5String("")), (25, DERWriter.integer(3)),
        ] as [(UInt64, [UInt8])])
    func trailing(type: UInt64, value: [UInt8]) {
        #expect(throws: Never.self) { try receipt(attribute(type, value)) }
        for trailing: [UInt8] in [[0x00], [0x05, 0x00], value] {
            // 31 L 30 L 02 01 type 02 01 01 04 L, then the value.
            expectFailure(.attributeTrailingBytes, check: .payload, at: 12 + value.count) {
                try receipt(attribute(type, value + trailing))
            }
        }
    }

    @Test(
        "Bytes after the value of a purchase's attribute are rejected",
        arguments: [
            (1701, DERWriter.integer(1)), (1702, DERWriter.utf8String("pro")), (1704, DERWriter.ia5String("")),
            (1708, DERWriter.ia5String("")), (1709, DERWriter.utf8String("")), (1712, DERWriter.ia5String("")),
            (1713, DERWriter.integer(0)), (1718, DERWriter.utf8String("")), (1722, DERWriter.integer(0)),
        ] as [(UInt64, [UInt8])])
    func trailingInPurchase(type: UInt64, value: [UInt8]) throws {
        #expect(try purchase(attribute(type, value)) != nil)
        expectFailure(.attributeTrailingBytes, check: .payload) { try purchase(attribute(type, value + [0x00])) }
    }
}
