public import AppReceiptKit
import AppReceiptSupport
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TestPKI {
    /// P-384 for root and intermediate and P-256 for the signer, as in signed data of the App Store. Valid from 2020 to 2040,
    /// the signer from 2022 to 2032.
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
