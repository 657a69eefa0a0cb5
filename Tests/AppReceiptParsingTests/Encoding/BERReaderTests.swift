import AppReceiptParsing
import AppReceiptTesting
import Testing

@Suite("Reading elements")
struct BERReaderTests {
    // MARK: Accepted

    @Test("An element of definite length has its tag and bounds")
    func definite() throws {
        let element = try element(of: [
            0x04, 0x02, 0xAA, 0xBB,  // OCTET STRING
        ])
        #expect(element.tag == BERTag.octetString)
        #expect(element.start == 0)
        #expect(element.content == 2..<4)
        #expect(element.end == 4)
        #expect(element.range == 0..<4)
        #expect(!element.isConstructed)
        #expect(!element.isIndefinite)
    }

    @Test("An element of indefinite length ends after its end-of-contents mark, which isn't part of the content")
    func indefinite() throws {
        let element = try element(of: [
            0x30, 0x80,  // SEQUENCE, indefinite
            0x02, 0x01, 0x05,  // INTEGER 5
            0x00, 0x00,  // end of contents
        ])
        #expect(element.content == 2..<5)
        #expect(element.end == 7)
        #expect(element.isConstructed)
        #expect(element.isIndefinite)
    }

    @Test("Elements of indefinite length can be nested and can be empty")
    func nestedIndefinite() throws {
        let bytes: [UInt8] = [
            0x30, 0x80,  // SEQUENCE, indefinite
            0x30, 0x80,  // SEQUENCE, indefinite
            0x00, 0x00,  // end of contents
            0x31, 0x80,  // SET, indefinite
            0x05, 0x00,  // NULL
            0x00, 0x00,  // end of contents
            0x00, 0x00,  // end of contents
        ]
        #expect(try element(of: bytes).content == 2..<12)
        #expect(try members(of: bytes).map(\.range) == [2..<6, 6..<12])
    }

    @Test("Two zero bytes in an element of definite length aren't an end-of-contents mark")
    func zerosInContent() throws {
        let bytes: [UInt8] = [
            0x30, 0x80,  // SEQUENCE, indefinite
            0x04, 0x02, 0x00, 0x00,  // OCTET STRING of two zeros
            0x00, 0x00,  // end of contents
        ]
        #expect(try element(of: bytes).content == 2..<6)
        #expect(try members(of: bytes).map(\.content) == [4..<6])
    }

    @Test(
        "A length in a longer form than necessary is accepted",
        arguments: [
            [0x02], [0x81, 0x02], [0x82, 0x00, 0x02], [0x84, 0x00, 0x00, 0x00, 0x02],
            [0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02],
        ])
    func longLengths(length: [UInt8]) throws {
        let element = try element(of: [0x04] + length + [0xAA, 0xBB])
        #expect(element.content == 1 + length.count..<3 + length.count)
        #expect(element.end == element.content.upperBound)
    }

    @Test("Lengths of every size are read", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536, 70_000])
    func lengths(count: Int) throws {
        let bytes = DERWriter.octetString([UInt8](repeating: 1, count: count))
        #expect(try element(of: bytes).content == bytes.count - count..<bytes.count)
    }

    @Test("Elements are read from left to right up to the end")
    func leftToRight() throws {
        let read = try elements(of: [
            0x02, 0x01, 0x05,  // INTEGER 5
            0x05, 0x00,  // NULL
            0x30, 0x80, 0x00, 0x00,  // SEQUENCE, indefinite, empty
            0x80, 0x01, 0xAA,  // [0]
        ])
        #expect(read.map(\.tag) == [0x02, 0x05, 0x30, 0x80])
        #expect(read.map(\.start) == [0, 3, 5, 9])
    }

    @Test("The next element can be read with a required or an optional tag")
    func byTag() throws {
        let bytes: ArraySlice<UInt8> = [
            0x02, 0x01, 0x05,  // INTEGER 5
            0x05, 0x00,  // NULL
        ]
        var reader = BERReader(0..<5, check: .container, limits: .default)
        #expect(reader.peekTag(in: bytes.span) == BERTag.integer)
        #expect(try reader.nextIf(BERTag.null, in: bytes.span) == nil)
        #expect(try reader.next(BERTag.integer, in: bytes.span).range == 0..<3)
        #expect(try reader.nextIf(BERTag.null, in: bytes.span)?.range == 3..<5)
        #expect(reader.isAtEnd)
        #expect(reader.peekTag(in: bytes.span) == nil)
        #expect(try reader.nextIf(BERTag.null, in: bytes.span) == nil)
    }

    @Test("A missing element and one with another tag are rejected at their position")
    func otherTag() {
        let bytes: ArraySlice<UInt8> = [
            0x02, 0x01, 0x05,  // INTEGER 5
            0x05, 0x00,  // NULL
        ]
        var reader = BERReader(0..<5, check: .container, limits: .default)
        var failures: [ReceiptError] = []
        for tag in [BERTag.null, BERTag.integer, BERTag.integer, BERTag.null, BERTag.null] {
            do throws(ReceiptError) { _ = try reader.next(tag, in: bytes.span) } catch { failures.append(error) }
        }
        #expect(failures.map(\.code) == [.encodingUnexpectedTag, .encodingUnexpectedTag, .encodingElementMissing])
        #expect(failures.map(\.offset) == [0, 3, 5])
    }

    // MARK: Rejected

    /// Bytes that break one rule, and similar bytes that don't.
    struct MalformedElement: Sendable, CustomTestStringConvertible {
        let rule: String
        let broken: [UInt8]
        let code: ReceiptError.Code
        var offset = 0
        let harmless: [UInt8]

        var testDescription: String { rule }
    }

    static let malformedElements = [
        MalformedElement(
            rule: "there must be an element",
            broken: [], code: .encodingElementMissing,
            harmless: [0x05, 0x00]),
        MalformedElement(
            rule: "a tag is followed by a length",
            broken: [0x04], code: .encodingTruncated,
            harmless: [0x04, 0x00]),
        MalformedElement(
            rule: "the content must be there",
            broken: [0x04, 0x03, 0xAA, 0xBB], code: .encodingTruncated,
            harmless: [0x04, 0x02, 0xAA, 0xBB]),
        MalformedElement(
            rule: "the content of an element with a long length must be there",
            broken: [0x04, 0x81, 0x03, 0xAA, 0xBB], code: .encodingTruncated,
            harmless: [0x04, 0x81, 0x02, 0xAA, 0xBB]),
        MalformedElement(
            rule: "the octets of a length must be there",
            broken: [0x04, 0x82, 0x01], code: .encodingTruncated,
            harmless: [0x04, 0x82, 0x00, 0x01, 0xAA]),
        MalformedElement(
            rule: "a length of 2 GB less a byte may be from a truncated receipt",
            broken: [0x04, 0x84, 0x7F, 0xFF, 0xFF, 0xFF, 0xAA], code: .encodingTruncated,
            harmless: [0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0xAA]),
        MalformedElement(
            rule: "a length of 2 GB is malformed",
            broken: [0x04, 0x84, 0x80, 0x00, 0x00, 0x00, 0xAA], code: .encodingLengthMalformed,
            harmless: [0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0xAA]),
        MalformedElement(
            rule: "a length of 64 bits does not overflow",
            broken: [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], code: .encodingLengthMalformed,
            harmless: [0x30, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
        MalformedElement(
            rule: "a length of 63 bits does not overflow",
            broken: [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], code: .encodingLengthMalformed,
            harmless: [0x30, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
        MalformedElement(
            rule: "a length has at most eight octets",
            broken: [0x04, 0x89, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xAA],
            code: .encodingLengthMalformed,
            harmless: [0x04, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xAA]),
        MalformedElement(
            rule: "the length octet FF is reserved",
            broken: [0x30, 0xFF, 0x00, 0x00], code: .encodingLengthMalformed,
            harmless: [0x30, 0x80, 0x00, 0x00]),
        MalformedElement(
            rule: "tag numbers above 30 are unsupported",
            broken: [0x1F, 0x21, 0x00], code: .encodingTagUnsupported,
            harmless: [0x1E, 0x01, 0x00]),
        MalformedElement(
            rule: "tag numbers above 30 are unsupported in every class",
            broken: [0xBF, 0x21, 0x00], code: .encodingTagUnsupported,
            harmless: [0xBE, 0x01, 0x00]),
        MalformedElement(
            rule: "tag zero is only part of an end-of-contents mark",
            broken: [0x00, 0x01, 0xAA], code: .encodingTagUnsupported,
            harmless: [0x01, 0x01, 0xAA]),
        MalformedElement(
            rule: "an end-of-contents mark ends only what is open",
            broken: [0x00, 0x00], code: .encodingTagUnsupported,
            harmless: [0x30, 0x80, 0x00, 0x00]),
        MalformedElement(
            rule: "a primitive element has a definite length",
            broken: [0x04, 0x80, 0xAA, 0x00, 0x00], code: .encodingIndefinitePrimitive,
            harmless: [0x24, 0x80, 0x04, 0x01, 0xAA, 0x00, 0x00]),
        MalformedElement(
            rule: "an indefinite element has an end-of-contents mark",
            broken: [0x30, 0x80, 0x02, 0x01, 0x05], code: .encodingEndOfContentsMissing,
            harmless: [0x30, 0x80, 0x02, 0x01, 0x05, 0x00, 0x00]),
        MalformedElement(
            rule: "every indefinite element has a mark of its own",
            broken: [0x30, 0x80, 0x30, 0x80, 0x00, 0x00], code: .encodingEndOfContentsMissing,
            harmless: [0x30, 0x80, 0x30, 0x80, 0x00, 0x00, 0x00, 0x00]),
        MalformedElement(
            rule: "the elements before the mark are complete",
            broken: [0x30, 0x80, 0x04, 0x05, 0xAA, 0x00, 0x00], code: .encodingTruncated, offset: 2,
            harmless: [0x30, 0x80, 0x04, 0x01, 0xAA, 0x00, 0x00]),
        MalformedElement(
            rule: "a primitive element inside of an indefinite one has a definite length",
            broken: [0x30, 0x80, 0x05, 0x00, 0x04, 0x80, 0x00, 0x00, 0x00, 0x00], code: .encodingIndefinitePrimitive,
            offset: 4, harmless: [0x30, 0x80, 0x05, 0x00, 0x24, 0x80, 0x00, 0x00, 0x00, 0x00]),
        MalformedElement(
            rule: "no bytes follow the element",
            broken: [0x05, 0x00, 0xAA], code: .encodingLeftover, offset: 2,
            harmless: [0x05, 0x00]),
    ]

    @Test(
        "An element that breaks a rule is rejected at the position, and its harmless twin is accepted",
        arguments: malformedElements)
    func rejected(_ malformed: MalformedElement) throws {
        expectFailure(malformed.code, check: .container, at: malformed.offset) { try element(of: malformed.broken) }
        #expect(try element(of: malformed.harmless).end == malformed.harmless.count)
    }

    @Test("An element truncated inside its end-of-contents mark is truncated, not forged")
    func truncatedMark() throws {
        let bytes: [UInt8] = [
            0x30, 0x80,  // SEQUENCE, indefinite
            0x05, 0x00,  // NULL
            0x00, 0x00,  // end of contents
        ]
        #expect(try element(of: bytes).end == 6)
        expectFailure(.encodingEndOfContentsMissing, at: 0) { try element(of: bytes.dropLast()) }
    }

    @Test("A member that extends beyond its parent is rejected, even if bytes follow")
    func memberBounds() throws {
        let bytes: [UInt8] = [
            0x30, 0x03,  // SEQUENCE of three bytes
            0x04, 0x02, 0xAA,  // OCTET STRING, truncated by the end of the sequence
            0xBB,
        ]
        expectFailure(.encodingTruncated, at: 2) { try members(of: bytes) }
        let harmless: [UInt8] = [
            0x30, 0x04,  // SEQUENCE of four bytes
            0x04, 0x02, 0xAA, 0xBB,  // OCTET STRING
        ]
        #expect(try members(of: harmless).map(\.content) == [4..<6])
    }

    @Test("A member whose end-of-contents mark is after its parent is rejected")
    func indefiniteMemberBounds() throws {
        let bytes: [UInt8] = [
            0x30, 0x04,  // SEQUENCE of four bytes
            0x30, 0x80, 0x05, 0x00,  // SEQUENCE, indefinite, with NULL and no mark
            0x00, 0x00,
        ]
        expectFailure(.encodingEndOfContentsMissing, at: 2) { try members(of: bytes) }
        let harmless: [UInt8] = [
            0x30, 0x06,  // SEQUENCE of six bytes
            0x30, 0x80, 0x05, 0x00, 0x00, 0x00,  // SEQUENCE, indefinite, with NULL
        ]
        #expect(try members(of: harmless).map(\.content) == [4..<6])
    }

    @Test("An error has the reader's check and an offset relative to its origin")
    func stageAndOrigin() {
        expectFailure(.encodingTruncated, check: .payload, at: 1002) {
            try element(of: [0x30, 0x80, 0x04, 0x05, 0x00, 0x00], check: .payload, origin: 1000)
        }
    }

    // MARK: Depth and number

    @Test("Elements of indefinite length nested deeper than the limit are rejected", arguments: [1, 6, 32])
    func depth(limit: Int) throws {
        var limits = ReceiptLimits()
        limits.maxDepth = limit
        #expect(try element(of: nested(limit, indefinite: true), limits: limits).end == 4 * limit)
        expectFailure(.encodingTooDeep, at: 2 * limit) {
            try element(of: nested(limit + 1, indefinite: true), limits: limits)
        }
    }

    @Test("20,000 levels of indefinite length are rejected")
    func deepIndefinite() {
        expectFailure(.encodingTooDeep, at: 64) { try element(of: nested(20_000, indefinite: true)) }
        expectFailure(.encodingTooDeep, at: 64) { try element(of: (0..<20_000).flatMap { _ in [0x30, 0x80] }) }
    }

    @Test("20,000 levels of definite length are read as one element")
    func deepDefinite() throws {
        let bytes = nested(20_000)
        #expect(try element(of: bytes).end == bytes.count)
    }

    @Test("More elements than the limit in an element of indefinite length are rejected")
    func nodes() throws {
        var limits = ReceiptLimits()
        limits.maxNodes = 50
        let nulls = [[UInt8]](repeating: DERWriter.null, count: 50).flatMap(\.self)
        #expect(try element(of: DERWriter.indefinite(0x30, nulls), limits: limits).end == 104)
        expectFailure(.encodingTooManyNodes, at: 102) {
            try element(of: DERWriter.indefinite(0x30, nulls + DERWriter.null), limits: limits)
        }
    }
}
