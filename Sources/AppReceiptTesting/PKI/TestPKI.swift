import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
import Crypto

/// A root, an intermediate and a signer with the structure of Apple's certificates.
///
/// Only verifiers that are configured with the root trust it.
///
/// ```swift
/// let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
/// ```
public struct TestPKI: TestValue, Hashable {
    /// The self-signed root.
    public var root: TestCertificate
    /// The intermediate.
    public var intermediate: TestCertificate
    /// The receipt signer.
    public var signer: TestCertificate

    /// Creates a PKI from certificates, which need not form a valid chain.
    public init(root: TestCertificate, intermediate: TestCertificate, signer: TestCertificate) {
        self.root = root
        self.intermediate = intermediate
        self.signer = signer
    }

    /// The root as a trust anchor.
    public var anchors: TrustAnchors {
        get throws(ReceiptError) { try TrustAnchors(der: [root.der()]) }
    }

    /// RSA 2048 and SHA-256, as in receipts since 2023. Valid from 2020 to 2040, the signer from 2022 to 2032.
    public static let standard = TestPKI.make(digest: .sha256)

    /// RSA 2048 and SHA-1, as in older receipts. The signer is valid from 2015 to 2023, so the receipt needs a
    /// ``TestReceipt/creationDate`` in that period.
    public static let sha1 = TestPKI.make(digest: .sha1).with { pki in
        pki.root.notBefore = .year(2006)
        pki.intermediate.notBefore = .year(2013)
        pki.signer.notBefore = .year(2015)
        pki.signer.notAfter = .year(2023)
    }

    /// RSA 4096 and SHA-512.
    public static let large = TestPKI.make(digest: .sha512).with { $0.useKey(.large) }

    /// P-384 and SHA-384 for root and intermediate, and RSA for the signer.
    public static let elliptic = TestPKI.make(digest: .sha384).with { pki in
        pki.root.key = .ellipticRoot
        pki.root.issuerKey = .ellipticRoot
        pki.intermediate.key = .ellipticIntermediate
        pki.intermediate.issuerKey = .ellipticRoot
        pki.signer.issuerKey = .ellipticIntermediate
    }

    /// An impostor: the names and serial numbers of ``standard`` with other keys.
    public static let impostor = TestPKI.standard.with { $0.useKey(.untrusted) }

    /// The PKI of transaction receipts with a signature of version 3: that of ``sha1``, which signs app receipts too.
    public static let transactionReceiptsVersion3 = TestPKI.sha1

    /// The PKI of transaction receipts with a signature of version 2: the root of ``sha1``, an intermediate without a
    /// marker, a signer with RSA 1024, and SHA-1. The signer is valid from 2010 to 2016.
    public static let transactionReceipts = TestPKI.sha1.with { pki in
        pki.intermediate.subject = TestName("AppReceiptTesting Store CA", organizationalUnit: "Certification Authority")
        pki.intermediate.serialNumber = 0x19
        pki.intermediate.notBefore = .year(2009)
        pki.intermediate.key = .intermediate
        pki.intermediate.markers = []
        pki.signer.subject = TestName("PurchaseReceiptCertificate", organizationalUnit: "Store")
        pki.signer.issuer = pki.intermediate.subject
        pki.signer.serialNumber = 0x1BA9_E3E3
        pki.signer.notBefore = .year(2010)
        pki.signer.notAfter = .year(2016)
        pki.signer.key = .transactionSigner
        pki.signer.issuerKey = .intermediate
        pki.signer.markers = [TestCertificate.transactionSignerMarker]
    }

    /// Replaces every key, and so every signature.
    package mutating func useKey(_ key: TestKey) {
        for certificate in [\TestPKI.root, \.intermediate, \.signer] {
            self[keyPath: certificate].key = key
            self[keyPath: certificate].issuerKey = key
        }
    }

    private static func make(digest: TestDigest) -> TestPKI {
        let rootName = TestName("AppReceiptTesting Root CA", organizationalUnit: "Certification Authority")
        let intermediateName = TestName("AppReceiptTesting Intermediate CA", organizationalUnit: "Developer Relations")
        let root = TestCertificate(
            subject: rootName, serialNumber: 2, notBefore: .year(2020), notAfter: .year(2040), key: .root,
            digest: digest, isAuthority: true, keyUsage: [.keyCertSign, .cRLSign])
        let intermediate = TestCertificate(
            subject: intermediateName, issuer: rootName, serialNumber: 0x3B7E_800A_EED3, notBefore: .year(2020),
            notAfter: .year(2040), key: .intermediate, issuerKey: .root, digest: digest, isAuthority: true,
            pathLength: 0, keyUsage: [.keyCertSign, .cRLSign], markers: [TestCertificate.intermediateMarker])
        let signer = TestCertificate(
            subject: TestName("AppReceiptTesting Receipt Signing", organizationalUnit: "Developer Relations"),
            issuer: intermediateName, serialNumber: 0x15E7_9FCE_5255_0A65, notBefore: .year(2022),
            notAfter: .year(2032), key: .signer, issuerKey: .intermediate, digest: digest, isAuthority: false,
            keyUsage: [.digitalSignature], markers: [TestCertificate.signerMarker])
        return TestPKI(root: root, intermediate: intermediate, signer: signer)
    }

    /// A certificate like the one with which Xcode signs local receipts: self-signed, without a marker, for code
    /// signing.
    public static let xcode = TestCertificate(
        subject: TestName("StoreKit", organizationalUnit: "StoreKit", organization: "StoreKit"), serialNumber: 1,
        notBefore: .year(2020), notAfter: .year(2040), key: .xcode, isAuthority: true,
        keyUsage: [.digitalSignature, .keyCertSign],
        extensions: [
            // Critical extended key usage for code signing, as in Xcode's certificate.
            TestCertificate.Extension(
                "2.5.29.37", critical: true,
                value: DERWriter.sequence([DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.3")]))
        ])
}

extension TestPKI {
    /// P-384 for root and intermediate and P-256 for the signer, as in signed data of the App Store. Valid from 2020 to
    /// 2040, the signer from 2022 to 2032.
    public static let signedData = TestPKI.elliptic.with { pki in
        pki.signer.key = .ellipticSigner
        // Separate names, so that the roots can't be confused.
        pki.root.subject = TestName("AppReceiptTesting Root CA - G3", organizationalUnit: "Certification Authority")
        pki.root.issuer = pki.root.subject
        pki.intermediate.subject = TestName("AppReceiptTesting Intermediate CA", organizationalUnit: "G6")
        pki.intermediate.issuer = pki.root.subject
        pki.signer.subject = TestName("AppReceiptTesting Signed Data", organizationalUnit: "Developer Relations")
        pki.signer.issuer = pki.intermediate.subject
        pki.intermediate.hasAuthorityKeyIdentifier = true
        pki.signer.hasAuthorityKeyIdentifier = true
    }

    /// Returns signer, intermediate and root as DER.
    ///
    /// - Returns: The three certificates.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func certificates() throws(ReceiptError) -> [[UInt8]] {
        [try signer.der(), try intermediate.der(), try root.der()]
    }

    /// A certificate like the one with which Xcode signs tokens: self-signed, P-256, without a marker.
    public static let xcodeTokens = TestCertificate(
        subject: TestName("StoreKit Testing in Xcode", organizationalUnit: "StoreKit", organization: "Xcode"),
        notBefore: .year(2020), notAfter: .year(2040), key: .ellipticSigner, isAuthority: true,
        keyUsage: [.digitalSignature, .keyCertSign])
}

/// Test data of which every part can be changed.
public protocol TestValue: Sendable {}

extension TestValue {
    /// Returns a copy with the given changes.
    public func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
        var changed = self
        try change(&changed)
        return changed
    }
}
