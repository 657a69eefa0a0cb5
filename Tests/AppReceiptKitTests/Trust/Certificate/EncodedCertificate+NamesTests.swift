import AppReceiptParsing
import AppReceiptTesting
import SwiftASN1
import Testing
import X509

@testable import AppReceiptKit

@Suite("Names of an EncodedCertificate")
struct EncodedCertificateNamesTests {
    /// Whether swift-certificates can read a name.
    private static func canRead(_ name: ArraySlice<UInt8>) -> Bool {
        (try? DistinguishedName(derEncoded: DER.parse(name))) != nil
    }

    @Test("A name with any byte altered is readable if and only if swift-certificates can read it")
    func alterations() throws {
        let der = try TestPKI.standard.signer.der()
        let unaltered = try #require(EncodedCertificate(der: der[...]))
        var counts = [true: 0, false: 0]
        for position in [unaltered.issuer.indices, unaltered.subject.indices].joined() {
            for value in [0, 0x80, 0xFF, der[position] ^ 0x01, der[position] ^ 0x20, der[position] &+ 1] {
                var altered = der
                altered[position] = value
                guard let certificate = EncodedCertificate(der: altered[...]) else { continue }
                let expected = Self.canRead(certificate.issuer) && Self.canRead(certificate.subject)
                #expect(certificate.hasReadableNames == expected, "\(position): \(value)")
                counts[expected, default: 0] += 1
            }
        }
        #expect(counts.values.allSatisfy { $0 > 50 })
    }

    @Test("Names of other forms are readable if and only if swift-certificates can read them", arguments: names)
    func forms(description: String, name: [UInt8], isReadable: Bool) throws {
        let der = try TestPKI.standard.signer.with { $0.subjectElement = name }.der()
        let certificate = try #require(EncodedCertificate(der: der[...]))
        #expect(Array(certificate.subject) == name)
        #expect(certificate.hasReadableNames == isReadable)
        #expect(Self.canRead(name[...]) == isReadable)
    }

    private static let names: [(String, [UInt8], Bool)] = [
        ("no attributes", sequence(), true),
        ("an empty set", sequence(set()), true),
        ("two attributes in order", sequence(set(commonName, country)), true),
        ("two attributes out of order", sequence(set(country, commonName)), false),
        (
            "a number instead of a text", sequence(set(sequence(identifier([0x55, 0x04, 0x03]), [0x02, 0x01, 0x05]))),
            true
        ),
        ("an attribute without a value", sequence(set(sequence(identifier([0x55, 0x04, 0x03])))), false),
        ("an attribute with two values", sequence(set(sequence(identifier([0x55, 0x04, 0x03]), text, text))), false),
        ("an attribute without a type", sequence(set(sequence(text, text))), false),
        ("an empty type", sequence(set(sequence(identifier([]), text))), false),
        ("a type with a truncated arc", sequence(set(sequence(identifier([0x55, 0x84]), text))), false),
        ("a type with a padded arc", sequence(set(sequence(identifier([0x55, 0x80, 0x03]), text))), false),
        ("a sequence instead of a set", sequence(sequence(commonName)), false),
        ("an attribute outside of a set", sequence(commonName), false),
    ]

    private static let text: [UInt8] = [0x0C, 0x01, 0x41]
    // The shorter one precedes the other in DER.
    private static let commonName = sequence(identifier([0x55, 0x04, 0x03]), text)
    private static let country = sequence(identifier([0x55, 0x04, 0x06]), [0x13, 0x02, 0x55, 0x53])

    private static func sequence(_ members: [UInt8]...) -> [UInt8] { DERElement.sequence(members) }
    private static func set(_ members: [UInt8]...) -> [UInt8] {
        DERElement.encode(BERTag.set, containing: members.flatMap(\.self))
    }
    private static func identifier(_ content: [UInt8]) -> [UInt8] {
        DERElement.encode(BERTag.objectIdentifier, containing: content)
    }
}
