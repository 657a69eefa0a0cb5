import AppReceiptTesting
import SwiftASN1
import TestSupport
import Testing

@testable import AppReceiptKit

@Suite("DERReader")
struct DERReaderTests {
    private static func isWellFormed(_ bytes: [UInt8]) -> Bool { DERReader.isWellFormed(ContiguousArray(bytes).span) }

    @Test("Elements are well-formed exactly if swift-asn1 reads them", arguments: elements)
    func agreement(_ bytes: [UInt8], _ expected: Bool) {
        #expect(Self.isWellFormed(bytes) == expected)
        #expect(((try? DER.parse(bytes)) != nil) == expected)
    }

    @Test("Altered certificates are well-formed exactly if swift-asn1 reads them")
    func alteredCertificates() throws {
        var random = SeededGenerator(seed: 19)
        var counts = (accepted: 0, rejected: 0)
        for certificate in [TestPKI.standard.signer, TestPKI.standard.intermediate, TestPKI.elliptic.root] {
            let der = try certificate.der()
            for _ in 0..<3000 {
                var altered = der
                for _ in 0...Int(random.next() % 3) {
                    altered[Int(random.next() % UInt64(der.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                let expected = (try? DER.parse(altered)) != nil
                #expect(Self.isWellFormed(altered) == expected, "\(altered)")
                if expected { counts.accepted += 1 } else { counts.rejected += 1 }
            }
        }
        #expect(counts.accepted > 1000 && counts.rejected > 1000)
    }

    static let elements: [([UInt8], Bool)] = [
        ([], false), ([0x05], false), ([0x05, 0x00], true), ([0x05, 0x00, 0x00], false), ([0x04, 0x01], false),
        // Long lengths only where short ones don't suffice.
        ([0x04, 0x81, 0x01, 0x00], false), ([0x04, 0x81, 0x80] + [UInt8](repeating: 0, count: 128), true),
        ([0x04, 0x82, 0x00, 0x80] + [UInt8](repeating: 0, count: 128), false), ([0x30, 0x80, 0x00, 0x00], false),
        ([0x04, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00], false), ([0x04, 0xFF], false),
        // Tags: the end-of-contents mark, and numbers of more than one octet.
        ([0x00, 0x00], false), ([0x20, 0x00], false), ([0x80, 0x00], true), ([0x1F, 0x1E, 0x00], false),
        ([0x1F, 0x1F, 0x00], true), ([0x1F, 0x80, 0x7F, 0x00], false), ([0x1F, 0x81, 0x00, 0x00], true),
        ([0x1F] + [UInt8](repeating: 0xFF, count: 8) + [0x7F, 0x00], true),
        ([0x1F] + [UInt8](repeating: 0xFF, count: 9) + [0x7F, 0x00], false), ([0x1F, 0x81], false),
        // Levels.
        ([0x30, 0x03, 0x30, 0x01, 0x00], false), ([0x30, 0x02, 0x05, 0x00], true), ([0x30, 0x01, 0x05], false),
        (nested(50), true), (nested(51), false),
    ]

    /// Returns sequences, one inside the other.
    private static func nested(_ depth: Int) -> [UInt8] {
        (1..<depth).reduce(DERWriter.sequence([])) { inner, _ in DERWriter.sequence([inner]) }
    }
}
