public import AppReceiptParsing
public import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Xcode's certificates for local testing that a verifier trusts. By default there are none.
///
/// Their private keys are in Xcode or in developers' projects, so a receipt verified with one proves nothing
/// about a purchase. Trust one in debug builds and tests only. It must match exactly, is trusted only for receipts
/// that claim to come from Xcode, and the result is never production or sandbox.
public struct XcodeTrust: Sendable {
    private let certificates: [ArraySlice<UInt8>]

    /// No Xcode certificate is trusted.
    public static let disabled = XcodeTrust(exactly: [])

    /// Trusts exactly these certificates.
    ///
    /// - Parameter certificates: Each as DER or PEM, as Xcode exports them.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate.
    public init(certificates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var named: [ArraySlice<UInt8>] = []
        for file in certificates {
            for der in try CertificateFile.certificates(in: Array(file)) {
                guard Certificate(der: der) != nil else { throw ReceiptError(.trustAnchorMalformed) }
                named.append(der)
            }
        }
        self.certificates = named
    }

    /// Trusts exactly these certificates.
    ///
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded.
    public init(certificates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(certificates: CertificateFile.encoded(certificates))
    }

    /// Whether nothing is trusted.
    package var isDisabled: Bool { certificates.isEmpty }

    private init(exactly certificates: [ArraySlice<UInt8>]) { self.certificates = certificates }

    /// Validates the signer of data from Xcode.
    ///
    /// - Returns: The signer's chain, nil if the data isn't from Xcode or its signer must chain to an anchor.
    func validate(
        _ signer: Certificate, environment: ReceiptEnvironment?, at date: Date
    ) throws(ReceiptError) -> CertificateChain? {
        let isNamed = certificates.contains(signer.der)
        guard environment == .xcode else {
            guard !isNamed else { throw ReceiptError(.xcodeCertificateMisused) }
            return nil
        }
        guard isNamed else {
            // The signer may still chain to an anchor, whatever environment the receipt claims.
            guard signer.isSelfIssued else { return nil }
            throw ReceiptError(certificates.isEmpty ? .xcodeNotTrusted : .xcodeCertificateMismatch)
        }
        guard date >= signer.notBefore else { throw ReceiptError(.signerNotYetValid) }
        guard date <= signer.notAfter else { throw ReceiptError(.signerExpired) }
        return CertificateChain(
            signer: signer, signerKey: try CertificateKey(signer.keyInfo, .signer), intermediate: nil, anchor: nil)
    }
}
