import AppReceiptTesting
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import AppReceiptKit

@Suite("TrustAnchors")
struct TrustAnchorsTests {
    @Test("Apple's anchors are the three published roots")
    func appleRoots() {
        let anchors = TrustAnchors.apple.anchors
        let fingerprints = anchors.map { anchor in
            SHA256.hash(data: anchor.certificate.der).map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
        #expect(
            fingerprints == [
                "B0B1730ECBC7FF4505142C49F1295E6EDA6BCAED7E2C68C5BE91B5A11001F024",
                "C2B9B042DD57830E7D117DAC55AC8AE19407D38E41D88F3215BC3A890444A050",
                "63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179",
            ])
        #expect(
            anchors.map { CertificateKey.summary(of: $0.certificate.keyInfo) } == ["RSA 2048", "RSA 4096", "P-384"])
        #expect(
            anchors.map { CertificateSummary($0.certificate, role: .anchor).commonName } == [
                "Apple Root CA", "Apple Root CA - G2", "Apple Root CA - G3",
            ])
    }

    @Test("Apple's anchors reject receipts of the test PKI")
    func appleRootsRejectTests() throws {
        let expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        #expect(ReceiptVerifier().errorCode(of: try TestReceipt().signed(), expectations) == .rootNotTrusted)
        let message = ReceiptVerifier().report(try TestReceipt().signed(), expecting: expectations).failure?.message
        #expect(
            message == "The chain doesn't end at a root that is trusted here. "
                + "Trusted: Apple Root CA, Apple Root CA - G2, Apple Root CA - G3.")
        let trusting = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        #expect(trusting.errorCode(of: try TestReceipt().signed(), expectations) == nil)
    }

    @Test("DER, and PEM with one or more certificates and other text, is read")
    func readsForms() throws {
        let standard = TestPKI.standard.root
        let elliptic = TestPKI.elliptic.root
        let der = try standard.der()
        #expect(try TrustAnchors(der: [der]).anchors.map { Array($0.certificate.der) } == [der])
        let pem = try standard.pem()
        let both = pem + (try elliptic.pem())
        let forms: [(text: String, count: Int)] = [
            (pem, 1), (both, 2), ("subject=/CN=Root\n" + pem + "\n\nanother:\n" + (try elliptic.pem()) + "end\n", 2),
            (pem.replacingOccurrences(of: "\n", with: "\r\n"), 1),
            ("-----BEGIN COMMENT-----\nAAAA\n-----END COMMENT-----\n" + pem, 1),
        ]
        for form in forms {
            let anchors = try TrustAnchors(pem: form.text).anchors
            #expect(anchors.count == form.count, "\(form.text.prefix(40))")
            #expect(anchors.first.map { Array($0.certificate.der) } == der)
        }
        #expect(try TrustAnchors(files: [der, Array(try elliptic.pem().utf8)]).anchors.count == 2)
    }

    @Test("Certificates are accepted as any sequence of bytes and as X509 certificates")
    func acceptsSequences() throws {
        let der = try TestPKI.standard.root.der()
        let parsed = try X509.Certificate(derEncoded: der)
        #expect(try TrustAnchors(der: [Data(der)]).certificates == [der])
        #expect(try TrustAnchors(der: [der[...]]).certificates == [der])
        #expect(try TrustAnchors(der: [der].lazy.map { $0.lazy.map { $0 } }).certificates == [der])
        #expect(try TrustAnchors([parsed]).certificates == [der])
        let none: [X509.Certificate] = []
        #expect(
            captured { () throws(ReceiptError) in try TrustAnchors(none) }?.code == .trustAnchorMalformed)
        let xcode = try X509.Certificate(derEncoded: TestPKI.xcode.der())
        #expect(try XcodeTrust([xcode]).isDisabled == false)
        let receipt = try TestReceipt().signedLikeXcode()
        let verifier = ReceiptVerifier(xcode: try XcodeTrust([xcode]))
        let expectations = Expectations(bundleIdentifier: .anyBundle, environments: [.xcode])
        #expect(try verifier.verify(receipt, expecting: expectations).receipt.environment == .xcode)
    }

    @Test("Certificates that can't be anchors are rejected", arguments: unusable)
    func rejectsGarbage(_ certificates: [[UInt8]]) {
        for error in [
            captured { () throws(ReceiptError) in try TrustAnchors(files: certificates) },
            captured { () throws(ReceiptError) in try TrustAnchors(der: certificates) },
        ] {
            #expect(error?.code == .trustAnchorMalformed)
            #expect(error?.check == .certificateChain)
        }
    }

    @Test("A root whose key isn't accepted can be an anchor")
    func acceptsKeys() throws {
        let der = try TestPKI.standard.root.with { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: 2047) }.der()
        let error = captured { () throws(ReceiptError) in try TrustAnchors(der: [der]) }
        #expect(error == nil)
        for bits in [2048, 8192] {
            let der = try TestPKI.standard.root.with { $0.publicKeyInfo = PublicKeyInfos.rsa(bits: bits) }.der()
            #expect(
                try TrustAnchors(der: [der]).anchors.map { CertificateKey.summary(of: $0.certificate.keyInfo) }
                    == ["RSA \(bits)"])
        }
    }

    static let unusable: [[[UInt8]]] = [
        [], [[]], [[0x30, 0x00]], [Array("no certificate".utf8)],
        [Array("-----BEGIN CERTIFICATE-----\nMIIB".utf8)],
        [Array("-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n".utf8)],
        [Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)],
        [Array("-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n".utf8)],
        [[0x30, 0x82, 0xFF, 0xFF, 0x00]],
    ]

    @Test("Trailing bytes and a malformed certificate among valid ones are rejected")
    func rejectsTrailingBytes() throws {
        let der = try TestPKI.standard.root.der()
        for certificates in [[der + [0]], [der, [0x30, 0x00]], [Array(der.dropLast())]] {
            let error = captured { () throws(ReceiptError) in try TrustAnchors(der: certificates) }
            #expect(error?.code == .trustAnchorMalformed)
        }
    }
}
