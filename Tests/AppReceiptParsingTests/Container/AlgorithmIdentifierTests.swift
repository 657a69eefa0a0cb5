import AppReceiptParsing
import AppReceiptTesting
import Testing

@Suite("Algorithm identifiers")
struct AlgorithmIdentifierTests {
    private func read(_ bytes: [UInt8]) throws(ReceiptError) -> AlgorithmIdentifier {
        let slice = bytes[...]
        var reader = BERReader(0..<slice.count, check: .container, limits: .default)
        return try AlgorithmIdentifier(reading: &reader, of: slice)
    }

    private let sha1 = DERWriter.objectIdentifier("1.3.14.3.2.26")

    @Test("Parameters are absent, NULL or other")
    func parameters() throws {
        let absent = try read(DERWriter.sequence([sha1]))
        #expect(absent.description == "1.3.14.3.2.26")
        #expect(Array(absent.objectIdentifier) == [0x2B, 0x0E, 0x03, 0x02, 0x1A])
        #expect(absent.parameters == .absent)
        #expect(absent.hasNoParameters)
        let null = try read(DERWriter.sequence([sha1, DERWriter.null]))
        #expect(null.parameters == .null)
        #expect(null.hasNoParameters)
        #expect(null != absent)
        let sequence = DERWriter.sequence([DERWriter.integer(32)])
        let other = try read(DERWriter.sequence([sha1, sequence]))
        #expect(other.parameters == .other(sequence[...]))
        #expect(!other.hasNoParameters)
    }

    @Test("NULL with content is another parameter")
    func nullWithContent() throws {
        let null: [UInt8] = [0x05, 0x01, 0x00]
        #expect(try read(DERWriter.sequence([sha1, null])).parameters == .other(null[...]))
    }

    @Test(
        "A malformed object identifier is rejected",
        arguments: [[0x06, 0x00], [0x06, 0x02, 0x2A, 0x86], [0x06, 0x01, 0x80]])
    func malformedObjectIdentifier(bytes: [UInt8]) throws {
        expectFailure(.encodingObjectIdentifierMalformed, check: .container, at: 2) {
            try read(DERWriter.sequence([bytes]))
        }
        #expect(try read(DERWriter.sequence([[0x06, 0x01, 0x2A]])).description == "1.2")
    }

    @Test("Malformed parameters and members after them are rejected")
    func malformedParameters() {
        expectFailure(.encodingTruncated, at: 11) {
            try read(
                DERWriter.sequence([
                    sha1,  // at 2
                    [0x30, 0x02, 0x04, 0x01],  // at 9, with a string that is one byte short
                ]))
        }
        expectFailure(.encodingLeftover, at: 11) { try read(DERWriter.sequence([sha1, [5, 0], [5, 0]])) }
    }

    @Test("An algorithm is a sequence that starts with an object identifier")
    func otherTypes() {
        expectFailure(.encodingUnexpectedTag, at: 0) { try read(DERWriter.set([sha1])) }
        expectFailure(.encodingUnexpectedTag, at: 2) { try read(DERWriter.sequence([DERWriter.null])) }
        expectFailure(.encodingElementMissing, at: 2) { try read(DERWriter.sequence([])) }
        expectFailure(.encodingElementMissing, at: 0) { try read([]) }
    }
}
