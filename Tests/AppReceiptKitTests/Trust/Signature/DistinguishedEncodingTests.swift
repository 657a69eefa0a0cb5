import AppReceiptTesting
import Testing

@testable import AppReceiptKit

@Suite("DistinguishedEncoding")
struct DistinguishedEncodingTests {
    private static func set(_ octets: [UInt8], limits: ReceiptLimits = .default) throws -> [UInt8] {
        try DistinguishedEncoding.set(of: octets[...], limits: limits)
    }

    private static let members: [[UInt8]] = [
        DERWriter.integer(5), DERWriter.octetString([1, 2, 3]), DERWriter.sequence([DERWriter.null]),
    ]

    @Test("Members are sorted in DER order")
    func sortsMembers() throws {
        let expected = DERWriter.set(Self.members)
        #expect(try Self.set(Array(Self.members.joined())) == expected)
        #expect(try Self.set(Array(Self.members.reversed().joined())) == expected)
    }

    @Test(
        "DER stays unchanged, with every form of length",
        arguments: [0, 1, 127, 128, 255, 256, 70_000])
    func keepsDER(_ count: Int) throws {
        let value = DERWriter.octetString([UInt8](repeating: 9, count: count))
        #expect(try Self.set(value) == DERWriter.element(0x31, value))
    }

    @Test("No elements result in an empty set")
    func emptySet() throws {
        #expect(try Self.set([]) == [0x31, 0x00])
    }

    @Test("Indefinite and long lengths become the shortest ones")
    func shortensLengths() throws {
        let attribute = DERWriter.sequence([DERWriter.objectIdentifier("1.2.3"), DERWriter.set([DERWriter.null])])
        let indefinite = DERWriter.indefinite(
            0x30, DERWriter.objectIdentifier("1.2.3") + DERWriter.indefinite(0x31, DERWriter.null))
        let long: [UInt8] = [0x30, 0x82, 0x00, 0x08] + DERWriter.objectIdentifier("1.2.3") + [0x31, 0x02, 0x05, 0x00]
        #expect(try Self.set(indefinite) == DERWriter.element(0x31, attribute))
        #expect(try Self.set(long) == DERWriter.element(0x31, attribute))
    }

    @Test("Constructed octet strings become primitive")
    func joinsStrings() throws {
        let pieces = DERWriter.octetString([1, 2]) + DERWriter.octetString([]) + DERWriter.octetString([3])
        let expected = DERWriter.element(0x31, DERWriter.octetString([1, 2, 3]))
        #expect(try Self.set(DERWriter.indefinite(0x24, pieces)) == expected)
        #expect(try Self.set(DERWriter.element(0x24, pieces)) == expected)
    }

    @Test("Only sets are sorted, including nested ones")
    func sortsSetsOnly() throws {
        let reversed = Array(Self.members.reversed())
        let sequence = DERWriter.element(0x30, Array(reversed.joined()))
        #expect(try Self.set(sequence) == DERWriter.element(0x31, sequence))
        let inner = DERWriter.set(reversed, sorted: false)
        #expect(try Self.set(inner) == DERWriter.element(0x31, DERWriter.set(Self.members)))
    }

    @Test("Elements nested deeper than the limit are rejected")
    func boundsDepth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            (0..<depth).reduce(DERWriter.null) { inner, _ in DERWriter.element(0x30, inner) }
        }
        var limits = ReceiptLimits()
        limits.maxDepth = 8
        #expect(try Self.set(nested(7), limits: limits) == DERWriter.element(0x31, nested(7)))
        let error = captured { () throws(ReceiptError) in
            try DistinguishedEncoding.set(of: nested(8)[...], limits: limits)
        }
        #expect(error?.code == .encodingTooDeep)
    }

    @Test("More elements than the limit are rejected")
    func boundsNodes() throws {
        var limits = ReceiptLimits()
        limits.maxNodes = 10
        let eleven = Array([[UInt8]](repeating: DERWriter.null, count: 11).joined())
        #expect(try Self.set(Array(eleven.dropLast(2)), limits: limits).count == 22)
        let error = captured { () throws(ReceiptError) in
            try DistinguishedEncoding.set(of: eleven[...], limits: limits)
        }
        #expect(error?.code == .encodingTooManyNodes)
    }

    @Test("Truncated elements are rejected at every length")
    func rejectsTruncation() throws {
        let whole = DERWriter.sequence(Self.members)
        #expect(try Self.set(whole).count == whole.count + 2)
        for length in 1..<whole.count {
            let error = captured { () throws(ReceiptError) in
                try DistinguishedEncoding.set(of: whole[..<length], limits: .default)
            }
            #expect(error?.check == .signature, "\(length)")
        }
    }
}
