import AppReceiptTesting
import Foundation
import SwiftASN1
import Testing
import X509

@testable import AppReceiptKit

/// The library's own certificate, not that of swift-certificates.
private typealias Parsed = EncodedCertificate

@Suite("EncodedCertificate")
struct EncodedCertificateTests {
    @Test("Certificates have the same values as in swift-certificates", arguments: certificates)
    func partsAreRead(_ made: TestCertificate) throws {
        let der = try made.der()
        let certificate = try #require(Parsed(der: der[...]))
        let other = try X509.Certificate(derEncoded: der)
        #expect(Array(certificate.der) == der)
        #expect(Array(certificate.serialNumber.drop { $0 == 0 }) == Array(other.serialNumber.bytes))
        #expect(Array(certificate.issuer) == made.issuer.der)
        #expect(Array(certificate.subject) == made.subject.der)
        #expect(certificate.notBefore == other.notValidBefore)
        #expect(certificate.notAfter == other.notValidAfter)
        #expect(Array(certificate.toBeSigned) == Array(other.tbsCertificateBytes))
        #expect(Array(certificate.keyInfo.encodedBytes) == (try made.key.publicKeyInfo))
        #expect(certificate.extensions.map(\.oid) == other.extensions.map(\.oid))
        #expect(certificate.isAuthority == (made.isAuthority ?? false))
        #expect(certificate.keyUsage.map(\.keyCertSign) == made.keyUsage.map { $0.contains(.keyCertSign) })
        #expect(certificate.keyUsage.map(\.digitalSignature) == made.keyUsage.map { $0.contains(.digitalSignature) })
        #expect(try certificate.subjectKeyIdentifier.map(Array.init) == made.subjectKeyIdentifier)
        #expect(certificate.isSelfIssued == (made.issuer == made.subject))
        #expect(certificate.algorithmFieldsAgree)
        #expect(certificate.signatureScheme != nil)
    }

    static let certificates: [TestCertificate] =
        [TestPKI.standard, .sha1, .large, .elliptic].flatMap { [$0.root, $0.intermediate, $0.signer] } + [
            TestPKI.xcode,
            TestPKI.standard.signer.with { $0.keyUsage = nil },
            TestPKI.standard.signer.with { $0.isAuthority = nil },
            TestPKI.standard.signer.with { $0.notAfter = instant("2050-01-01T00:00:00Z") },
            TestPKI.standard.signer.with { $0.notBefore = instant("1950-01-01T00:00:00Z") },
        ]

    @Test("Truncated, extended and altered certificates are rejected")
    func malformedIsRejected() throws {
        let der = try TestPKI.standard.signer.der()
        #expect(Parsed(der: der[...]) != nil)
        #expect(Parsed(der: []) == nil)
        for length in stride(from: 1, to: der.count, by: 37) {
            #expect(Parsed(der: der[..<length]) == nil, "\(length)")
        }
        #expect(Parsed(der: (der + [0])[...]) == nil)
        #expect(Parsed(der: DERWriter.sequence([der])[...]) == nil)
        #expect(Parsed(der: DERWriter.indefinite(0x30, der.dropFirst(4))[...]) == nil)
    }

    @Test("Certificates with an invalid member are rejected")
    func malformedMembers() throws {
        let der = try TestPKI.standard.signer.der()
        let tree = try #require(DERTree(der))
        func changed(_ change: (inout DERTree) -> Void) -> Parsed? {
            var changed = tree
            change(&changed)
            return Parsed(der: changed.encoded[...])
        }
        #expect(changed { _ in } != nil)
        // The first member of TBSCertificate is the version, tagged [0]. The serial number follows.
        #expect(tree.children[0].children[0].children[0].octets == [2])
        for version: [UInt8] in [[1], [0], [3], []] {
            #expect(changed { $0.children[0].children[0].children[0].octets = version } == nil, "\(version)")
        }
        #expect(changed { $0.children[0].children.removeFirst() } == nil, "extensions without a version")
        for serialNumber: [UInt8] in [[], [0, 5], [0xFF, 0x80]] {
            #expect(changed { $0.children[0].children[1].octets = serialNumber } == nil, "\(serialNumber)")
        }
        #expect(changed { $0.children[0].children[1].octets = [5] } != nil)
        let padded = changed {
            $0.children[2].octets[0] = 1
            $0.children[2].octets[$0.children[2].octets.count - 1] &= 0xFE
        }
        #expect(padded == nil, "unused bits in the signature")
    }

    @Test("A key in a bit string with unused bits isn't accepted")
    func paddedKey() throws {
        var tree = try #require(DERTree(try TestPKI.standard.signer.der()))
        func fault() throws -> CertificateKey.Fault? {
            let certificate = try #require(Parsed(der: tree.encoded[...]))
            do throws(CertificateKey.Fault) {
                _ = try CertificateKey(certificate.keyInfo)
                return nil
            } catch {
                return error
            }
        }
        #expect(try fault() == nil)
        let last = tree.children[0].children[6].children[1].octets.count - 1
        tree.children[0].children[6].children[1].octets[0] = 1
        tree.children[0].children[6].children[1].octets[last] &= 0xFE
        #expect(try fault() == .unsupported)
    }

    @Test("Duplicate extensions are rejected")
    func duplicateExtensionIsRejected() throws {
        let twice = TestPKI.standard.signer.with { $0.markers = ["1.2.3", "1.2.3"] }
        let once = TestPKI.standard.signer.with { $0.markers = ["1.2.3", "1.2.4"] }
        #expect(Parsed(der: try twice.der()[...]) == nil)
        #expect(Parsed(der: try once.der()[...]) != nil)
    }

    @Test("Only markers and supported extensions may be critical")
    func supportedExtensions() throws {
        func isUnknown(_ objectIdentifier: String, critical: Bool) throws -> Bool? {
            let made = TestPKI.standard.signer.with { signer in
                signer.markers = []
                signer.extensions = [TestCertificate.Extension(objectIdentifier, critical: critical)]
            }
            return Parsed(der: try made.der()[...])?.hasUnknownCriticalExtension
        }
        #expect(try isUnknown(TestCertificate.signerMarker, critical: true) == false)
        #expect(try isUnknown(TestCertificate.intermediateMarker, critical: true) == false)
        #expect(try isUnknown("1.2.840.113635.100.6.1.4", critical: true) == true)
        #expect(try isUnknown("1.2.840.113635.100.6.1.4", critical: false) == false)
    }

    @Test("Certificates are equal if their bytes are equal")
    func equality() throws {
        let one = try #require(Parsed(der: try TestPKI.standard.signer.der()[...]))
        let same = try #require(Parsed(der: try TestPKI.standard.signer.der()[...]))
        let other = try #require(
            Parsed(der: try TestPKI.standard.signer.with { $0.serialNumber = 1 }.der()[...]))
        #expect(one == same)
        #expect(Set([one, same, other]).count == 2)
    }
}
