public import AppReceiptParsing
public import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Certificates of Xcode's local testing that a verifier trusts: none, unless the caller names them.
///
/// Their private keys ship with Xcode or lie in developers' projects, so a receipt verified with one proves nothing
/// about a purchase. Name one in debug builds and tests only. It is trusted by exact match alone, only for receipts
/// that say that they come from Xcode, and the result never counts as production or sandbox.
public struct XcodeTrust: Sendable {
    private let certificates: [ArraySlice<UInt8>]

    /// No certificate of Xcode's is trusted.
    public static let disabled = XcodeTrust(exactly: [])

    /// Trusts exactly these certificates.
    ///
    /// - Parameter certificates: The certificates, each as DER or PEM, as Xcode exports them.
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

    /// The verdict on a receipt that comes from Xcode; nil if this is none and the chain rules decide.
    func validate(
        _ signer: Certificate, environment: ReceiptEnvironment?, at date: Date
    ) throws(ReceiptError) -> CertificateChain? {
        let isNamed = certificates.contains(signer.der)
        guard environment == .xcode else {
            guard !isNamed else { throw ReceiptError(.xcodeCertificateMisused) }
            return nil
        }
        guard isNamed else {
            // A chain that ends at an anchor may still be good, whatever the receipt says of itself.
            guard signer.isSelfIssued else { return nil }
            throw ReceiptError(certificates.isEmpty ? .xcodeNotTrusted : .xcodeCertificateMismatch)
        }
        guard date >= signer.notBefore else { throw ReceiptError(.signerNotYetValid) }
        guard date <= signer.notAfter else { throw ReceiptError(.signerExpired) }
        do throws(CertificateKey.Fault) {
            return CertificateChain(
                signer: signer, signerKey: try CertificateKey(signer.keyInfo), intermediate: nil, anchor: nil)
        } catch {
            throw ReceiptError(KeyCodes.signer.code(for: error))
        }
    }
}
