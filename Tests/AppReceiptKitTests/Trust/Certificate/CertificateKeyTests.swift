import AppReceiptTesting
import SwiftASN1
import Testing

@testable import AppReceiptKit

@Suite("CertificateKey")
struct CertificateKeyTests {
    private static func fault(_ info: [UInt8]) throws -> CertificateKey.Fault? {
        let node = try DER.parse(info)
        do throws(CertificateKey.Fault) {
            _ = try CertificateKey(node)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "RSA keys of 2048 to 8192 bits are accepted",
        arguments: [(512, CertificateKey.Fault.tooWeak), (1024, .tooWeak), (2047, .tooWeak), (2048, nil), (3072, nil)]
            + [(8191, nil), (8192, nil), (8193, .tooLarge), (16_384, .tooLarge), (100_000, .tooLarge)])
    func modulusBounds(_ bits: Int, _ expected: CertificateKey.Fault?) throws {
        #expect(try Self.fault(PublicKeyInfos.rsa(bits: bits)) == expected)
    }

    @Test("Keys of other kinds and malformed keys aren't supported", arguments: unsupported)
    func unsupportedKeys(_ info: [UInt8]) throws {
        #expect(try Self.fault(info) == .unsupported)
    }

    @Test(
        "A key verifies only its own signatures",
        arguments: [TestKey.signer, .large, .ellipticSigner, .ellipticRoot], TestDigest.allCases)
    func verifies(_ key: TestKey, _ digest: TestDigest) throws {
        let message: [UInt8] = [1, 2, 3]
        let signature = try key.signature(for: message, digest: digest)
        let parsed = try CertificateKey(DER.parse(key.publicKeyInfo))
        let algorithm = try #require(
            DigestAlgorithm(objectIdentifier: DERWriter.objectIdentifierOctets(digest.objectIdentifier)[...]))
        #expect(parsed.isValidSignature(signature[...], over: message[...], digest: algorithm))
        #expect(!parsed.isValidSignature(signature[...], over: [1, 2, 4], digest: algorithm))
        #expect(!parsed.isValidSignature(signature.dropLast()[...], over: message[...], digest: algorithm))
        #expect(!parsed.isValidSignature([], over: message[...], digest: algorithm))
    }

    @Test("The summary of a key contains its kind and size")
    func summaries() throws {
        let keys: [TestKey] = [.signer, .large, .ellipticSigner, .ellipticRoot]
        let summaries = try keys.map { CertificateKey.summary(of: try DER.parse($0.publicKeyInfo)) }
        #expect(summaries == ["RSA 2048", "RSA 4096", "P-256", "P-384"])
    }

    @Test("RSA keys without parameters and with NULL are equivalent")
    func rsaParameters() throws {
        let withNull = PublicKeyInfos.rsa(bits: 2048)
        let node = try DER.parse(withNull)
        let key = try #require(Self.members(of: node).last)
        let without = DERWriter.sequence([
            DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.1")]), key,
        ])
        let other = DERWriter.sequence([
            DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.1"), DERWriter.integer(1)]), key,
        ])
        #expect(try Self.fault(withNull) == nil)
        #expect(try Self.fault(without) == nil)
        #expect(try Self.fault(other) == .unsupported)
    }

    private static func members(of node: ASN1Node) -> [[UInt8]] {
        guard case .constructed(let nodes) = node.content else { return [] }
        return nodes.map { Array($0.encodedBytes) }
    }

    static let unsupported: [[UInt8]] = [
        PublicKeyInfos.ed25519, PublicKeyInfos.onP521, PublicKeyInfos.offTheCurve,
        PublicKeyInfos.elliptic(curve: PublicKeyInfos.secp256k1, point: [4] + [UInt8](repeating: 7, count: 64)),
        PublicKeyInfos.elliptic(curve: PublicKeyInfos.p256, point: []),
        PublicKeyInfos.elliptic(curve: PublicKeyInfos.p256, point: [0]),
        PublicKeyInfos.rsa(bits: 2048, algorithm: "1.2.840.113549.1.1.10"),
        DERWriter.sequence([]), DERWriter.sequence([DERWriter.null, DERWriter.bitString([1])]),
        DERWriter.sequence([
            DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.1"), DERWriter.null]),
            DERWriter.bitString([0x30, 0x00]),
        ]),
        DERWriter.sequence([
            DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.1"), DERWriter.null]),
            DERWriter.bitString([]),
        ]),
    ]
}
