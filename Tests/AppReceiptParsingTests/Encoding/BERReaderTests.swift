import AppReceiptParsing
import AppReceiptTesting
import Testing

@Suite("Reading elements")
struct BERReaderTests {
    // MARK: What is read

    @Test("A definite element knows its tag and its bounds")
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

    @Test("An indefinite element ends after its mark, which is not part of its content")
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

    @Test("Indefinite elements nest, and an empty one is one")
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

    @Test("Two zero octets inside of a definite element are no end-of-contents mark")
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
        "A length need not be in its shortest form",
        arguments: [
            [0x02], [0x81, 0x02], [0x82, 0x00, 0x02], [0x84, 0x00, 0x00, 0x00, 0x02],
            [0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02],
        ])
    func longLengths(length: [UInt8]) throws {
        let element = try element(of: [0x04] + length + [0xAA, 0xBB])
        #expect(element.content == 1 + length.count..<3 + length.count)
        #expect(element.end == element.content.upperBound)
    }

    @Test("Every length is read as it was written", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536, 70_000])
    func lengths(count: Int) throws {
        let bytes = DERWriter.octetString([UInt8](repeating: 1, count: count))
        #expect(try element(of: bytes).content == bytes.count - count..<bytes.count)
    }

    @Test("Elements are read from left to right until nothing is left")
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

    @Test("The next element can be asked for by its tag, or taken only if it has it")
    func byTag() throws {
        let bytes: ArraySlice<UInt8> = [
            0x02, 0x01, 0x05,  // INTEGER 5
            0x05, 0x00,  // NULL
        ]
        var reader = BERReader(0..<5, stage: .container, limits: .default)
        #expect(reader.peekTag(bytes.span) == BERTag.integer)
        #expect(try reader.nextIf(bytes.span, BERTag.null) == nil)
        #expect(try reader.next(bytes.span, BERTag.integer).range == 0..<3)
        #expect(try reader.nextIf(bytes.span, BERTag.null)?.range == 3..<5)
        #expect(reader.isAtEnd)
        #expect(reader.peekTag(bytes.span) == nil)
        #expect(try reader.nextIf(bytes.span, BERTag.null) == nil)
    }

    @Test("Another tag than the one asked for, or none at all, is refused where it stands")
    func otherTag() {
        let bytes: ArraySlice<UInt8> = [
            0x02, 0x01, 0x05,  // INTEGER 5
            0x05, 0x00,  // NULL
        ]
        var reader = BERReader(0..<5, stage: .container, limits: .default)
        var failures: [ReceiptError] = []
        for tag in [BERTag.null, BERTag.integer, BERTag.integer, BERTag.null, BERTag.null] {
            do throws(ReceiptError) { _ = try reader.next(bytes.span, tag) } catch { failures.append(error) }
        }
        #expect(failures.map(\.code) == [.encodingUnexpectedTag, .encodingUnexpectedTag, .encodingElementMissing])
        #expect(failures.map(\.offset) == [0, 3, 5])
    }

    // MARK: What is refused

    /// Bytes that break one rule, and bytes like them that do not.
    struct APIError: Sendable, CustomTestStringConvertible {
        let rule: String
        let broken: [UInt8]
        let code: ReceiptError.Code
        var offset = 0
        let harmless: [UInt8]

        var testDescription: String { rule }
    }

    static let refusals = [
        APIError(
            rule: "there must be an element",
            broken: [], code: .encodingElementMissing,
            harmless: [0x05, 0x00]),
        APIError(
            rule: "a tag is followed by a length",
            broken: [0x04], code: .encodingTruncated,
            harmless: [0x04, 0x00]),
        APIError(
            rule: "the content must be there",
            broken: [0x04, 0x03, 0xAA, 0xBB], code: .encodingTruncated,
            harmless: [0x04, 0x02, 0xAA, 0xBB]),
        APIError(
            rule: "the content of an element with a long length must be there",
            broken: [0x04, 0x81, 0x03, 0xAA, 0xBB], code: .encodingTruncated,
            harmless: [0x04, 0x81, 0x02, 0xAA, 0xBB]),
        APIError(
            rule: "the octets of a length must be there",
            broken: [0x04, 0x82, 0x01], code: .encodingTruncated,
            harmless: [0x04, 0x82, 0x00, 0x01, 0xAA]),
        APIError(
            rule: "a claim of 2 GB less a byte may come from a cut receipt",
            broken: [0x04, 0x84, 0x7F, 0xFF, 0xFF, 0xFF, 0xAA], code: .encodingTruncated,
            harmless: [0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0xAA]),
        APIError(
            rule: "a claim of 2 GB is no length",
            broken: [0x04, 0x84, 0x80, 0x00, 0x00, 0x00, 0xAA], code: .encodingLengthMalformed,
            harmless: [0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0xAA]),
        APIError(
            rule: "a claim of 64 bits does not overflow",
            broken: [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], code: .encodingLengthMalformed,
            harmless: [0x30, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
        APIError(
            rule: "a claim of 63 bits does not overflow",
            broken: [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], code: .encodingLengthMalformed,
            harmless: [0x30, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
        APIError(
            rule: "a length has at most eight octets",
            broken: [0x04, 0x89, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xAA],
            code: .encodingLengthMalformed,
            harmless: [0x04, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xAA]),
        APIError(
            rule: "the length octet FF is reserved",
            broken: [0x30, 0xFF, 0x00, 0x00], code: .encodingLengthMalformed,
            harmless: [0x30, 0x80, 0x00, 0x00]),
        APIError(
            rule: "tag numbers above 30 are not read",
            broken: [0x1F, 0x21, 0x00], code: .encodingTagUnsupported,
            harmless: [0x1E, 0x01, 0x00]),
        APIError(
            rule: "tag numbers above 30 are not read in other classes either",
            broken: [0xBF, 0x21, 0x00], code: .encodingTagUnsupported,
            harmless: [0xBE, 0x01, 0x00]),
        APIError(
            rule: "tag zero is only part of an end-of-contents mark",
            broken: [0x00, 0x01, 0xAA], code: .encodingTagUnsupported,
            harmless: [0x01, 0x01, 0xAA]),
        APIError(
            rule: "an end-of-contents mark ends only what is open",
            broken: [0x00, 0x00], code: .encodingTagUnsupported,
            harmless: [0x30, 0x80, 0x00, 0x00]),
        APIError(
            rule: "a primitive element has a definite length",
            broken: [0x04, 0x80, 0xAA, 0x00, 0x00], code: .encodingIndefinitePrimitive,
            harmless: [0x24, 0x80, 0x04, 0x01, 0xAA, 0x00, 0x00]),
        APIError(
            rule: "an indefinite element has an end-of-contents mark",
            broken: [0x30, 0x80, 0x02, 0x01, 0x05], code: .encodingEndOfContentsMissing,
            harmless: [0x30, 0x80, 0x02, 0x01, 0x05, 0x00, 0x00]),
        APIError(
            rule: "every indefinite element has a mark of its own",
            broken: [0x30, 0x80, 0x30, 0x80, 0x00, 0x00], code: .encodingEndOfContentsMissing,
            harmless: [0x30, 0x80, 0x30, 0x80, 0x00, 0x00, 0x00, 0x00]),
        APIError(
            rule: "what stands before the mark is whole",
            broken: [0x30, 0x80, 0x04, 0x05, 0xAA, 0x00, 0x00], code: .encodingTruncated, offset: 2,
            harmless: [0x30, 0x80, 0x04, 0x01, 0xAA, 0x00, 0x00]),
        APIError(
            rule: "a primitive element inside of an indefinite one has a definite length",
            broken: [0x30, 0x80, 0x05, 0x00, 0x04, 0x80, 0x00, 0x00, 0x00, 0x00], code: .encodingIndefinitePrimitive,
            offset: 4, harmless: [0x30, 0x80, 0x05, 0x00, 0x24, 0x80, 0x00, 0x00, 0x00, 0x00]),
        APIError(
            rule: "nothing may be left over",
            broken: [0x05, 0x00, 0xAA], code: .encodingLeftover, offset: 2,
            harmless: [0x05, 0x00]),
    ]

    @Test("What breaks a rule is refused where it breaks it, and its harmless twin is read", arguments: refusals)
    func refusal(_ refusal: APIError) throws {
        expectFailure(refusal.code, stage: .container, at: refusal.offset) { try element(of: refusal.broken) }
        #expect(try element(of: refusal.harmless).end == refusal.harmless.count)
    }

    @Test("An indefinite element that was cut in its end-of-contents mark is cut, not forged")
    func cutInTheMark() throws {
        let bytes: [UInt8] = [
            0x30, 0x80,  // SEQUENCE, indefinite
            0x05, 0x00,  // NULL
            0x00, 0x00,  // end of contents
        ]
        #expect(try element(of: bytes).end == 6)
        expectFailure(.encodingEndOfContentsMissing, at: 0) { try element(of: bytes.dropLast()) }
    }

    @Test("A member may not go on beyond what holds it, though bytes follow there")
    func memberBounds() throws {
        let bytes: [UInt8] = [
            0x30, 0x03,  // SEQUENCE of three bytes
            0x04, 0x02, 0xAA,  // OCTET STRING, cut by the end of the sequence
            0xBB,
        ]
        expectFailure(.encodingTruncated, at: 2) { try members(of: bytes) }
        let harmless: [UInt8] = [
            0x30, 0x04,  // SEQUENCE of four bytes
            0x04, 0x02, 0xAA, 0xBB,  // OCTET STRING
        ]
        #expect(try members(of: harmless).map(\.content) == [4..<6])
    }

    @Test("An indefinite member may not find its end behind what holds it")
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

    @Test("An error names the stage and counts from the origin that the reader was given")
    func stageAndOrigin() {
        expectFailure(.encodingTruncated, stage: .payload, at: 1002) {
            try element(of: [0x30, 0x80, 0x04, 0x05, 0x00, 0x00], stage: .payload, origin: 1000)
        }
    }

    // MARK: Depth and number

    @Test("Indefinite elements may be nested as deep as the limit and no deeper", arguments: [1, 6, 32])
    func depth(limit: Int) throws {
        var limits = ReceiptLimits()
        limits.depth = limit
        #expect(try element(of: nested(limit, indefinite: true), limits: limits).end == 4 * limit)
        expectFailure(.encodingTooDeep, at: 2 * limit) {
            try element(of: nested(limit + 1, indefinite: true), limits: limits)
        }
    }

    @Test("20,000 levels of indefinite length are refused")
    func deepIndefinite() {
        expectFailure(.encodingTooDeep, at: 64) { try element(of: nested(20_000, indefinite: true)) }
        expectFailure(.encodingTooDeep, at: 64) { try element(of: (0..<20_000).flatMap { _ in [0x30, 0x80] }) }
    }

    @Test("20,000 levels of definite length are one element, whose levels nobody enters")
    func deepDefinite() throws {
        let bytes = nested(20_000)
        #expect(try element(of: bytes).end == bytes.count)
    }

    @Test("As many elements as the limit may stand in an indefinite one, and no more")
    func nodes() throws {
        var limits = ReceiptLimits()
        limits.nodes = 50
        let nulls = [[UInt8]](repeating: DERWriter.null, count: 50).flatMap(\.self)
        #expect(try element(of: DERWriter.indefinite(0x30, nulls), limits: limits).end == 104)
        expectFailure(.encodingTooManyNodes, at: 102) {
            try element(of: DERWriter.indefinite(0x30, nulls + DERWriter.null), limits: limits)
        }
    }
}
