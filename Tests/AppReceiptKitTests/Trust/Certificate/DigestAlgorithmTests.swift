import AppReceiptTesting
import Testing

@testable import AppReceiptKit

@Suite("DigestAlgorithm")
struct DigestAlgorithmTests {
    @Test("Each accepted digest is found by its object identifier", arguments: TestDigest.allCases)
    func knowsDigest(_ digest: TestDigest) throws {
        let octets = DERWriter.objectIdentifierOctets(digest.objectIdentifier)
        let algorithm = try #require(DigestAlgorithm(objectIdentifier: octets[...]))
        #expect(algorithm.digest(of: [1, 2, 3]) == digest.digest(of: [1, 2, 3]))
        for kind in [TestKey.Kind.rsa, .p256, .p384] {
            let name = DERWriter.objectIdentifierOctets(digest.signatureObjectIdentifier(kind))
            #expect(
                SignatureScheme(objectIdentifier: name[...]) == (kind == .rsa ? .rsa(algorithm) : .ecdsa(algorithm)))
        }
    }

    @Test(
        "Other object identifiers are neither a digest nor a scheme",
        arguments: [
            "1.2.840.113549.2.5", "2.16.840.1.101.3.4.2.4", "1.2.840.113549.1.1.4", "1.2.840.113549.1.1.10", "",
        ]
    )
    func knowsNoOther(_ name: String) {
        let octets = DERWriter.objectIdentifierOctets(name)
        #expect(DigestAlgorithm(objectIdentifier: octets[...]) == nil)
        #expect(SignatureScheme(objectIdentifier: octets[...]) == nil)
    }

    @Test("A prefix of an object identifier is another identifier")
    func prefixesDiffer() {
        let octets = DERWriter.objectIdentifierOctets(TestDigest.sha256.objectIdentifier)
        #expect(DigestAlgorithm(objectIdentifier: octets[...]) == .sha256)
        #expect(DigestAlgorithm(objectIdentifier: octets.dropLast()) == nil)
        #expect(DigestAlgorithm(objectIdentifier: (octets + [0])[...]) == nil)
    }
}
