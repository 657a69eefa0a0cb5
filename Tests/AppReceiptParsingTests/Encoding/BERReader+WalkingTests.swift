import AppReceiptParsing
import AppReceiptTesting
import Testing

@Suite("Walking elements")
struct BERReaderWalkingTests {
    // MARK: Fields that are skipped

    @Test(
        "An element that is well-formed at every level is accepted",
        arguments: [
            [0x05, 0x00],  // NULL
            [0x30, 0x00],  // SEQUENCE, empty
            [0x30, 0x80, 0x00, 0x00],  // SEQUENCE, indefinite, empty
            [
                0x30, 0x09,  // SEQUENCE
                0x30, 0x80, 0x00, 0x00,  // SEQUENCE, indefinite, empty
                0x31, 0x03,  // SET
                0x02, 0x01, 0x05,  // INTEGER 5
            ],
            [
                0x30, 0x80,  // SEQUENCE, indefinite
                0x30, 0x80,  // SEQUENCE, indefinite
                0x31, 0x02, 0x05, 0x00,  // SET of NULL
                0x00, 0x00,  // end of contents
                0x00, 0x00,  // end of contents
            ],
        ])
    func wellFormed(bytes: [UInt8]) {
        #expect(throws: Never.self) { try checkWellFormed(bytes) }
    }

    @Test("A malformed element at a lower level is rejected at its position")
    func malformed() {
        expectFailure(.encodingTruncated, at: 4) {
            try checkWellFormed([
                0x30, 0x06,  // SEQUENCE
                0x31, 0x04,  // SET
                0x04, 0x03, 0xAA, 0xBB,  // OCTET STRING, one byte short
            ])
        }
        expectFailure(.encodingTagUnsupported, at: 2) {
            try checkWellFormed([
                0x30, 0x02,  // SEQUENCE
                0x00, 0x00,  // end of contents, though nothing of indefinite length is open
            ])
        }
        expectFailure(.encodingIndefinitePrimitive, at: 4) {
            try checkWellFormed([
                0x30, 0x04,  // SEQUENCE
                0x31, 0x02,  // SET
                0x04, 0x80,  // OCTET STRING, indefinite
            ])
        }
        expectFailure(.encodingEndOfContentsMissing, at: 6) {
            try checkWellFormed([
                0x30, 0x04,  // SEQUENCE
                0x31, 0x80, 0x05, 0x00,  // SET, indefinite, with NULL and no mark
            ])
        }
        expectFailure(.encodingLengthMalformed, at: 2) {
            try checkWellFormed([
                0x30, 0x02,  // SEQUENCE
                0x04, 0xFF,  // OCTET STRING with the reserved length
            ])
        }
    }

    @Test("Elements nested deeper than the limit are rejected", arguments: [false, true])
    func depth(indefinite: Bool) {
        var limits = ReceiptLimits()
        limits.maxDepth = 10
        #expect(throws: Never.self) { try checkWellFormed(nested(10, indefinite: indefinite), limits: limits) }
        expectFailure(.encodingTooDeep) { try checkWellFormed(nested(11, indefinite: indefinite), limits: limits) }
    }

    @Test("20,000 levels are rejected without recursion", arguments: [false, true])
    func deep(indefinite: Bool) {
        expectFailure(.encodingTooDeep) { try checkWellFormed(nested(20_000, indefinite: indefinite)) }
    }

    @Test("More elements than the limit at all levels together are rejected")
    func nodes() {
        var limits = ReceiptLimits()
        limits.maxNodes = 10
        let nulls = [[UInt8]](repeating: DERWriter.null, count: 9).flatMap(\.self)
        let inner = DERWriter.element(0x31, nulls)
        #expect(throws: Never.self) { try checkWellFormed(DERWriter.element(0x30, inner), limits: limits) }
        expectFailure(.encodingTooManyNodes) {
            try checkWellFormed(DERWriter.element(0x30, inner + DERWriter.null), limits: limits)
        }
    }

    // MARK: Constructed strings

    @Test("A primitive string has the position of its content")
    func onePiece() throws {
        let primitive = try octets(of: [
            0x04, 0x02, 0xAA, 0xBB,  // OCTET STRING
        ])
        #expect(primitive.octets == [0xAA, 0xBB])
        #expect(primitive.offset == 2)
        let constructed = try octets(of: [
            0x24, 0x80,  // OCTET STRING, constructed, indefinite
            0x04, 0x02, 0xAA, 0xBB,  // its piece
            0x00, 0x00,  // end of contents
        ])
        #expect(constructed.octets == [0xAA, 0xBB])
        #expect(constructed.offset == 4)
    }

    @Test("Pieces are joined in order, including empty ones")
    func severalPieces() throws {
        let string = try octets(of: [
            0x24, 0x0C,  // OCTET STRING, constructed
            0x04, 0x01, 0xAA,  // piece
            0x04, 0x00,  // piece without octets
            0x04, 0x02, 0xBB, 0xCC,  // piece
            0x04, 0x01, 0xDD,  // piece
        ])
        #expect(string.octets == [0xAA, 0xBB, 0xCC, 0xDD])
        #expect(string.offset == nil)
    }

    @Test("Pieces can be constructed")
    func nestedPieces() throws {
        let string = try octets(of: [
            0x24, 0x80,  // OCTET STRING, constructed, indefinite
            0x04, 0x01, 0xAA,  // piece
            0x24, 0x80,  // piece, constructed, indefinite
            0x04, 0x01, 0xBB,  // piece of the piece
            0x24, 0x03, 0x04, 0x01, 0xCC,  // piece of the piece, constructed
            0x00, 0x00,  // end of contents
            0x04, 0x01, 0xDD,  // piece
            0x00, 0x00,  // end of contents
        ])
        #expect(string.octets == [0xAA, 0xBB, 0xCC, 0xDD])
        #expect(string.offset == nil)
    }

    @Test("A string without pieces is empty", arguments: [[0x24, 0x00], [0x24, 0x80, 0x00, 0x00]])
    func noPieces(bytes: [UInt8]) throws {
        #expect(try octets(of: bytes).octets.isEmpty)
    }

    @Test("Pieces of another type are rejected")
    func otherPieces() {
        expectFailure(.encodingUnexpectedTag, at: 5) {
            try octets(of: [
                0x24, 0x06,  // OCTET STRING, constructed
                0x04, 0x01, 0xAA,  // piece
                0x0C, 0x01, 0x41,  // UTF8String
            ])
        }
        expectFailure(.encodingUnexpectedTag, at: 0) {
            try octets(of: [
                0x30, 0x03,  // SEQUENCE in place of a string
                0x04, 0x01, 0xAA,  // OCTET STRING
            ])
        }
    }

    @Test("Truncated pieces are rejected")
    func brokenPieces() {
        expectFailure(.encodingTruncated, at: 5) {
            try octets(of: [
                0x24, 0x06,  // OCTET STRING, constructed
                0x04, 0x01, 0xAA,  // piece
                0x04, 0x02, 0xBB,  // piece, one byte short
            ])
        }
    }

    @Test("Constructed pieces nested deeper than the limit are rejected", arguments: [false, true])
    func pieceDepth(indefinite: Bool) throws {
        var limits = ReceiptLimits()
        limits.maxDepth = 5
        let piece: [UInt8] = [0x04, 0x01, 0xAA]
        let deepest = nested(5, tag: 0x24, inner: piece, indefinite: indefinite)
        #expect(try octets(of: deepest, limits: limits).octets == [0xAA])
        expectFailure(.encodingTooDeep) {
            try octets(of: nested(6, tag: 0x24, inner: piece, indefinite: indefinite), limits: limits)
        }
        expectFailure(.encodingTooDeep) {
            try octets(of: nested(20_000, tag: 0x24, inner: piece, indefinite: indefinite))
        }
    }

    @Test("More pieces than the limit are rejected")
    func pieceCount() throws {
        var limits = ReceiptLimits()
        limits.maxNodes = 20
        let pieces = [UInt8](repeating: 0xAA, count: 20).flatMap { DERWriter.octetString([$0]) }
        let expected = [UInt8](repeating: 0xAA, count: 20)
        #expect(try octets(of: DERWriter.element(0x24, pieces), limits: limits).octets == expected)
        expectFailure(.encodingTooManyNodes) {
            try octets(of: DERWriter.element(0x24, pieces + DERWriter.octetString([0xAA])), limits: limits)
        }
    }
}
