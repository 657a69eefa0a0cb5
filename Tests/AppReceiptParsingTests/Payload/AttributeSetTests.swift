import AppReceiptParsing
import AppReceiptTesting
import Foundation
import Testing

@Suite("Sets of attributes")
struct AttributeSetTests {
    private func parse(_ payload: [UInt8]) throws(ReceiptError) -> AppReceipt { try AppReceipt(payload: payload[...]) }

    // MARK: Contents

    @Test("The list contains every attribute in order with type, version and bytes, known or not")
    func kept() throws {
        let receipt = try parse([
            0x31, 0x31,  // SET
            0x30, 0x0B,  // SEQUENCE
            0x02, 0x01, 0x19,  // type 25
            0x02, 0x01, 0x01,  // version 1
            0x04, 0x03, 0x02, 0x01, 0x03,  // value: INTEGER 3
            0x30, 0x0D,  // SEQUENCE
            0x02, 0x04, 0x7F, 0xFF, 0xFF, 0xFF,  // type 2,147,483,647, which is not known
            0x02, 0x02, 0x01, 0x00,  // version 256
            0x04, 0x01, 0xEE,  // value that is not an element
            0x30, 0x08,  // SEQUENCE
            0x02, 0x01, 0x63,  // type 99, which is not known
            0x02, 0x01, 0x00,  // version 0
            0x04, 0x00,  // value without octets
            0x30, 0x09,  // SEQUENCE
            0x02, 0x01, 0x63,  // type 99 again
            0x02, 0x01, 0x02,  // version 2
            0x04, 0x01, 0xAA,  // value
        ])
        #expect(
            Array(receipt.attributes) == [
                ReceiptAttribute(type: 25, version: 1, value: [0x02, 0x01, 0x03]),
                ReceiptAttribute(type: 2_147_483_647, version: 256, value: [0xEE]),
                ReceiptAttribute(type: 99, version: 0, value: []),
                ReceiptAttribute(type: 99, version: 2, value: [0xAA]),
            ])
        #expect(receipt.platformCode == 3)
    }

    @Test(
        "The fast path and reading element by element have equal results for attributes with any byte changed",
        arguments: [
            attribute(99, [0xAA]), attribute(1701, []), attribute(0x7FFF, [UInt8](repeating: 7, count: 126)),
            attribute(98, [UInt8](repeating: 8, count: 200)), attribute(128, [UInt8](repeating: 9, count: 300)),
            attribute(0x8000, [1, 2]), attribute(99, [1], version: 128),
        ])
    func usualForm(usual: [UInt8]) throws {
        var (read, rejected) = (0, 0)
        // The header has at most 20 bytes. Changes to the value don't affect the path.
        for position in 0..<min(usual.count, 20) {
            for octet in UInt8.min...UInt8.max {
                var changed = usual
                changed[position] = octet
                let expected = try? elementByElement(changed)
                do throws(ReceiptError) {
                    #expect(try Array(parse(attributeSet([changed])).attributes) == expected.map { [$0] })
                    read += 1
                } catch {
                    // The change may result in a known type, for which the value is malformed.
                    #expect(expected == nil || !error.code.rawValue.hasPrefix("encoding-"))
                    rejected += 1
                }
            }
        }
        #expect(read > 256)
        #expect(rejected > 256)
    }

    private func elementByElement(_ bytes: [UInt8]) throws(ReceiptError) -> ReceiptAttribute {
        let slice = bytes[...]
        let span = slice.span
        var outer = BERReader(0..<span.count, check: .payload, limits: .default)
        var members = outer.inside(try outer.next(BERTag.sequence, in: span))
        try outer.finish()
        var numbers: [Int] = []
        for _ in 0..<2 {
            let element = try members.next(BERTag.integer, in: span)
            guard let number = BERValue.unsigned(in: span, at: element.content), number <= Int.max else {
                throw members.failure(.encodingIntegerMalformed, at: element.start)
            }
            numbers.append(Int(number))
        }
        let string = try members.next(in: span)
        try members.finish()
        let value = try members.octets(of: string, in: slice).octets
        return ReceiptAttribute(type: numbers[0], version: numbers[1], value: value)
    }

    @Test("A parsed receipt contains every attribute of the test receipt")
    func keptOfReceipt() throws {
        let test = TestReceipt().with {
            $0.overrides[99] = [[1, 2, 3]]
            $0.purchases = [TestPurchase("pro", transaction: "1", at: $0.creationDate)]
        }
        let receipt = try parse(test.payload)
        #expect(Set(receipt.attributes) == Set(test.attributes))
        #expect(receipt.attributes.count == test.attributes.count)
        #expect(receipt.attributes.first(ofType: 4)?.version == 2)
        #expect(receipt.attributes.first(ofType: 5)?.version == 1)
    }

    @Test("Raw attributes are available as text, date, number and bytes")
    func rawAccess() throws {
        let receipt = try receipt(
            attribute(99, DERWriter.utf8String("text")), attribute(99, DERWriter.utf8String("second")),
            attribute(100, DERWriter.ia5String("2024-07-02T15:04:05Z")), attribute(101, DERWriter.integer(5)),
            attribute(102, DERWriter.utf8String("") + [0x00]))
        let attributes = receipt.attributes
        #expect(attributes.text(ofType: 99) == "text")
        #expect(attributes.date(ofType: 100)?.timeIntervalSince1970 == 1_719_932_645)
        #expect(attributes.number(ofType: 101) == 5)
        #expect(attributes.bytes(ofType: 101) == [0x02, 0x01, 0x05])
        // Other types, trailing bytes, and missing attributes.
        #expect(attributes.text(ofType: 101) == nil)
        #expect(attributes.date(ofType: 99) == nil)
        #expect(attributes.number(ofType: 100) == nil)
        #expect(attributes.text(ofType: 102) == nil)
        #expect(attributes.bytes(ofType: 103) == nil)
        #expect(attributes.first(ofType: 103) == nil)
    }

    @Test("Lists with the same attributes in the same order are equal and have equal hashes")
    func equality() throws {
        let one = ReceiptAttribute(type: 1, value: [1])
        let two = ReceiptAttribute(type: 2, value: [2])
        #expect(AttributeList([one, two]) == AttributeList([one, two]))
        #expect(AttributeList([one, two]).hashValue == AttributeList([one, two]).hashValue)
        #expect(AttributeList([one, two]) != AttributeList([two, one]))
        #expect(AttributeList([one]) != AttributeList([one, one]))
        #expect(AttributeList([one]) != AttributeList([ReceiptAttribute(type: 1, version: 2, value: [1])]))
        let parsed = try receipt(attribute(1, [1]), attribute(2, [0x0C, 0x00])).attributes
        #expect(parsed == AttributeList([one, ReceiptAttribute(type: 2, value: [0x0C, 0x00])]))
        #expect(parsed.hashValue == AttributeList(Array(parsed)).hashValue)
    }

    @Test("Types and versions have up to 63 bits")
    func largeNumbers() throws {
        let list = AttributeList([
            ReceiptAttribute(type: 1 << 31, value: [1]), ReceiptAttribute(type: 1, version: 1 << 31, value: [2]),
            ReceiptAttribute(type: Int.max, version: Int.max, value: [3]),
        ])
        #expect(list.map(\.type) == [1 << 31, 1, Int.max])
        #expect(list.map(\.version) == [1, 1 << 31, Int.max])
        #expect(try Array(parse(DERWriter.set(list.map(\.der), sorted: false)).attributes) == Array(list))
    }

    // MARK: Constructed values

    /// Encodes an attribute whose value is a constructed string.
    private func chunkedAttribute(_ type: UInt64, _ value: [UInt8], size: Int) -> [UInt8] {
        DERWriter.sequence([DERWriter.integer(type), DERWriter.integer(1), chunked(pieces(value, ofSize: size))])
    }

    @Test("The pieces of a constructed value are joined", arguments: [1, 4, 100])
    func chunkedValues(size: Int) throws {
        let whole = [
            attribute(3, DERWriter.utf8String("31.10.0")), attribute(2, DERWriter.utf8String("com.example.app")),
            attribute(99, [1, 2, 3, 4, 5]), attribute(12, DERWriter.ia5String("2024-07-02T15:04:05Z")),
        ]
        let inPieces = [
            chunkedAttribute(3, DERWriter.utf8String("31.10.0"), size: size), whole[1],
            chunkedAttribute(99, [1, 2, 3, 4, 5], size: size),
            chunkedAttribute(12, DERWriter.ia5String("2024-07-02T15:04:05Z"), size: size),
        ]
        let receipt = try parse(attributeSet(inPieces))
        #expect(try receipt == parse(attributeSet(whole)))
        #expect(receipt.appVersion == "31.10.0")
        #expect(receipt.bundleIdentifierBytes == DERWriter.utf8String("com.example.app"))
        #expect(receipt.creationDate?.timeIntervalSince1970 == 1_719_932_645)
    }

    @Test("A constructed purchase with constructed values is equal to a primitive one", arguments: [1, 5, 100])
    func chunkedPurchases(size: Int) throws {
        let first = [attribute(1702, DERWriter.utf8String("pro")), attribute(1703, DERWriter.utf8String("1"))]
        let second = [attribute(1702, DERWriter.utf8String("gold")), attribute(1701, DERWriter.integer(2))]
        let firstInPieces = [chunkedAttribute(1702, DERWriter.utf8String("pro"), size: size), first[1]]
        let secondInPieces = [second[0], chunkedAttribute(1701, DERWriter.integer(2), size: size)]
        let version = attribute(3, DERWriter.utf8String("7"))
        let receipt = try parse(
            attributeSet([
                chunkedAttribute(17, attributeSet(firstInPieces), size: size), version,
                attribute(17, attributeSet(secondInPieces)), chunkedAttribute(99, [9, 9, 9], size: size),
            ]))
        let plain = try parse(
            attributeSet([
                attribute(17, attributeSet(first)), version, attribute(17, attributeSet(second)),
                attribute(99, [9, 9, 9]),
            ]))
        #expect(receipt.purchases == plain.purchases)
        #expect(receipt.purchases.map(\.productIdentifier) == ["pro", "gold"])
        #expect(receipt.purchases.map(\.quantity) == [nil, 2])
        #expect(receipt.appVersion == "7")
        #expect(receipt.attributes.bytes(ofType: 99) == [9, 9, 9])
    }

    @Test("Constructed values with nested pieces or without pieces are read")
    func nestedPieces() throws {
        let nestedValue: [UInt8] = [
            0x24, 0x80,  // OCTET STRING, constructed, indefinite
            0x24, 0x05,  // piece, constructed
            0x04, 0x03, 0x0C, 0x02, 0x34,  // piece of the piece
            0x04, 0x01, 0x32,  // piece
            0x00, 0x00,  // end of contents
        ]
        let none: [UInt8] = [0x24, 0x00]
        let receipt = try parse(
            attributeSet([
                DERWriter.sequence([DERWriter.integer(3), DERWriter.integer(1), nestedValue]),
                DERWriter.sequence([DERWriter.integer(99), DERWriter.integer(1), none]),
            ]))
        #expect(receipt.appVersion == "42")
        #expect(receipt.attributes.bytes(ofType: 99) == [])
    }

    @Test("Sets, attributes and purchases can have indefinite lengths")
    func indefinite() throws {
        let bytes: [UInt8] = [
            0x31, 0x80,  // SET, indefinite
            0x30, 0x80,  // SEQUENCE, indefinite
            0x02, 0x01, 0x03,  // type 3
            0x02, 0x01, 0x01,  // version 1
            0x04, 0x03, 0x0C, 0x01, 0x37,  // value: UTF8String "7"
            0x00, 0x00,  // end of contents
            0x30, 0x80,  // SEQUENCE, indefinite
            0x02, 0x01, 0x11,  // type 17
            0x02, 0x01, 0x01,  // version 1
            0x04, 0x04, 0x31, 0x80, 0x00, 0x00,  // value: SET, indefinite, empty
            0x00, 0x00,  // end of contents
            0x00, 0x00,  // end of contents
        ]
        let receipt = try parse(bytes)
        #expect(receipt.appVersion == "7")
        #expect(receipt.purchases.count == 1)
    }

    @Test("An error in a constructed value has an offset within the attribute, or none")
    func offsetOfChunkedValue() {
        let before = attribute(99, [UInt8](repeating: 1, count: 20))
        let date = chunkedAttribute(12, DERWriter.ia5String("2024-07-02T15:04:60Z"), size: 5)
        let bytes = ContainerParts(content: DERWriter.octetString(attributeSet([before, date]))).bytes
        let error = expectFailure(.creationDateMalformed) { try AppReceipt(parsing: bytes) }
        let attributeRange = bytes.position(of: date).map { $0..<$0 + date.count }
        #expect(error?.offset.map { attributeRange?.contains($0) == true } ?? true)
    }

    @Test("An error in a constructed purchase has an offset within the attribute, or none")
    func offsetOfChunkedPurchase() {
        let purchase = chunkedAttribute(17, attributeSet([attribute(1702, []), [0x05, 0x00]]), size: 5)
        let bytes = ContainerParts(content: DERWriter.octetString(attributeSet([purchase]))).bytes
        let error = expectFailure(.purchaseMalformed) { try AppReceipt(parsing: bytes) }
        let attributeRange = bytes.position(of: purchase).map { $0..<$0 + purchase.count }
        #expect(error?.offset.map { attributeRange?.contains($0) == true } ?? true)
    }

    // MARK: Rejected

    @Test(
        "A payload that isn't a set is rejected",
        arguments: [[0x30, 0x00], [0x05, 0x00], [0x0C, 0x00], [0x00, 0x00], [0xFF]])
    func noSet(payload: [UInt8]) throws {
        expectFailure(.encodingUnexpectedTag, check: .payload, at: 0) { try parse(payload) }
        #expect(try parse([0x31, 0x00]).attributes.isEmpty)
    }

    @Test("Bytes after the payload or its wrapper are rejected")
    func trailing() throws {
        expectFailure(.payloadTrailingBytes, check: .payload, at: 2) { try parse([0x31, 0x00, 0x00]) }
        expectFailure(.payloadTrailingBytes, check: .payload, at: 4) { try parse([0x04, 0x02, 0x31, 0x00, 0x00]) }
        expectFailure(.payloadTrailingBytes, check: .payload, at: 4) { try parse([0x04, 0x03, 0x31, 0x00, 0x00]) }
        let payload = TestReceipt().payload
        expectFailure(.payloadTrailingBytes, at: payload.count) { try parse(payload + payload) }
        #expect(throws: Never.self) { try parse(payload) }
        #expect(throws: Never.self) { try parse([0x04, 0x02, 0x31, 0x00]) }
    }

    /// An attribute that breaks a rule, and the offset of the error.
    struct MalformedAttribute: Sendable, CustomTestStringConvertible {
        let rule: String
        let attribute: [UInt8]
        let code: ReceiptError.Code
        let offset: Int

        var testDescription: String { rule }
    }

    static let malformedAttributes = [
        MalformedAttribute(
            rule: "an attribute is a sequence",
            attribute: [0x31, 0x08, 0x02, 0x01, 0x63, 0x02, 0x01, 0x01, 0x04, 0x00],
            code: .encodingUnexpectedTag, offset: 2),
        MalformedAttribute(
            rule: "an attribute has a type", attribute: [0x30, 0x00], code: .encodingElementMissing, offset: 4),
        MalformedAttribute(
            rule: "an attribute has a version",
            attribute: [0x30, 0x03, 0x02, 0x01, 0x63],
            code: .encodingElementMissing, offset: 7),
        MalformedAttribute(
            rule: "an attribute has a value",
            attribute: [0x30, 0x06, 0x02, 0x01, 0x63, 0x02, 0x01, 0x01],
            code: .encodingElementMissing, offset: 10),
        MalformedAttribute(
            rule: "an attribute has no fourth member",
            attribute: [0x30, 0x0A, 0x02, 0x01, 0x63, 0x02, 0x01, 0x01, 0x04, 0x00, 0x05, 0x00],
            code: .encodingLeftover, offset: 12),
        MalformedAttribute(
            rule: "a type is an integer",
            attribute: [0x30, 0x08, 0x0A, 0x01, 0x63, 0x02, 0x01, 0x01, 0x04, 0x00],
            code: .encodingUnexpectedTag, offset: 4),
        MalformedAttribute(
            rule: "a type has octets",
            attribute: [0x30, 0x07, 0x02, 0x00, 0x02, 0x01, 0x01, 0x04, 0x00],
            code: .encodingIntegerMalformed, offset: 4),
        MalformedAttribute(
            rule: "a type is not negative",
            attribute: [0x30, 0x08, 0x02, 0x01, 0xFF, 0x02, 0x01, 0x01, 0x04, 0x00],
            code: .encodingIntegerMalformed, offset: 4),
        MalformedAttribute(
            rule: "a type is in its shortest form",
            attribute: [0x30, 0x09, 0x02, 0x02, 0x00, 0x63, 0x02, 0x01, 0x01, 0x04, 0x00],
            code: .encodingIntegerMalformed, offset: 4),
        MalformedAttribute(
            rule: "a type fits 63 bits",
            attribute: [
                0x30, 0x10, 0x02, 0x09, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x01, 0x01, 0x04, 0x00,
            ],
            code: .encodingIntegerMalformed, offset: 4),
        MalformedAttribute(
            rule: "a version is not negative",
            attribute: [0x30, 0x08, 0x02, 0x01, 0x63, 0x02, 0x01, 0x80, 0x04, 0x00],
            code: .encodingIntegerMalformed, offset: 7),
        MalformedAttribute(
            rule: "a version fits 63 bits",
            attribute: [
                0x30, 0x10, 0x02, 0x01, 0x63, 0x02, 0x09, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x04, 0x00,
            ],
            code: .encodingIntegerMalformed, offset: 7),
        MalformedAttribute(
            rule: "a value is an octet string",
            attribute: [0x30, 0x08, 0x02, 0x01, 0x63, 0x02, 0x01, 0x01, 0x0C, 0x00],
            code: .encodingUnexpectedTag, offset: 10),
        MalformedAttribute(
            rule: "a value ends within its attribute",
            attribute: [0x30, 0x08, 0x02, 0x01, 0x63, 0x02, 0x01, 0x01, 0x04, 0x01],
            code: .encodingTruncated, offset: 10),
        MalformedAttribute(
            rule: "an attribute ends within its set",
            attribute: [0x30, 0x09, 0x02, 0x01, 0x63, 0x02, 0x01, 0x01, 0x04, 0x00],
            code: .encodingTruncated, offset: 2),
    ]

    @Test("An attribute that breaks a rule is rejected at the position", arguments: malformedAttributes)
    func rejected(_ malformed: MalformedAttribute) {
        expectFailure(malformed.code, check: .payload, at: malformed.offset) {
            try parse(attributeSet([malformed.attribute]))
        }
    }

    @Test("The well-formed attribute on which the malformed ones are based is accepted")
    func harmless() throws {
        let receipt = try parse([
            0x31, 0x0A,  // SET
            0x30, 0x08,  // SEQUENCE
            0x02, 0x01, 0x63,  // type 99
            0x02, 0x01, 0x01,  // version 1
            0x04, 0x00,  // value without octets
        ])
        #expect(receipt.attributes.map(\.type) == [99])
    }
}
