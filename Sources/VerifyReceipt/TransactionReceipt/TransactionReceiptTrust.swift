public import AppReceiptKit
import SwiftASN1
public import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whom to trust for transaction receipts from before iOS 7: nobody, unless the caller names the intermediate.
///
/// These receipts are the one exception to the rules of trust. They carry their signer's certificate and no other, so the
/// intermediate comes from the caller ('Apple iTunes Store Certification Authority', which Apple signed and which issued
/// the signers); it must still chain to a root that the verifier trusts. The signer has RSA of 1,024 bits and signs over
/// SHA-1. Both could be broken by somebody with means today: name the intermediate only while such receipts still come,
/// and take an app receipt instead where the app can send one.
///
/// Everything is judged at the purchase date. What is proven is one purchase by somebody, of this app, at that date; not
/// that it was not refunded since, nor for which device. It never becomes a `VerifiedReceipt`.
public struct TransactionReceiptTrust: Sendable {
    private let intermediates: [AppReceiptKit.Certificate]

    /// Nobody is trusted: such receipts are answered with 21003.
    public static let disabled = TransactionReceiptTrust(exactly: [])

    /// Trusts what these intermediates issued, as far as the verifier's roots issued them.
    ///
    /// - Parameter intermediates: The certificates, each as DER or PEM. A PEM text may contain several.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate.
    public init(intermediates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var certificates: [AppReceiptKit.Certificate] = []
        for file in intermediates {
            for der in try CertificateFile.certificates(in: Array(file)) {
                guard let certificate = AppReceiptKit.Certificate(der: der) else {
                    throw ReceiptError(.trustAnchorMalformed)
                }
                certificates.append(certificate)
            }
        }
        self.intermediates = certificates
    }

    /// Trusts what these intermediates issued, as far as the verifier's roots issued them.
    ///
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded.
    public init(intermediates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(intermediates: CertificateFile.encoded(intermediates))
    }

    private init(exactly intermediates: [AppReceiptKit.Certificate]) { self.intermediates = intermediates }

    /// Apple's marker on certificates that may sign transaction receipts.
    private static let signerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 5, 1]

    /// Proves chain and signature, from the root down, or says what is wrong.
    func prove(_ receipt: TransactionReceipt, under anchors: TrustAnchors) throws(ReceiptError) {
        guard let signer = AppReceiptKit.Certificate(der: receipt.signature.certificate) else {
            throw ReceiptError(.certificateMalformed, "The certificate in the transaction receipt is malformed.")
        }
        guard !signer.isSelfIssued else { throw ReceiptError(.signerSelfSigned) }
        // Certificates name whole seconds, the last of them included (RFC 5280, 4.1.2.5).
        let date = Date(timeIntervalSince1970: receipt.purchaseDate.timeIntervalSince1970.rounded(.down))
        let key = try signerKey(signer, under: anchors, at: date)
        let message = [SignatureBlob.version] + receipt.signedInfo
        guard key.isValidSignature(receipt.signature.signature, over: message[...], .sha1) else {
            throw ReceiptError(.signatureInvalid)
        }
    }

    /// Tries each intermediate and root that bear the right names; of several failures the first is told.
    private func signerKey(
        _ signer: AppReceiptKit.Certificate, under anchors: TrustAnchors, at date: Date
    ) throws(ReceiptError) -> CertificateKey {
        var failure: ReceiptError?
        for intermediate in intermediates where intermediate.subject == signer.issuer && !intermediate.isSelfIssued {
            let candidates = anchors.anchors.filter { $0.certificate.subject == intermediate.issuer }
            if candidates.isEmpty { failure = failure ?? ReceiptError(.rootNotTrusted) }
            for anchor in candidates {
                do throws(ReceiptError) {
                    return try Self.signerKey(signer, intermediate, anchor, at: date)
                } catch {
                    failure = failure ?? error
                }
            }
        }
        throw failure ?? ReceiptError(.transactionReceiptIntermediateMissing)
    }

    /// No key is used before its certificate is proven.
    private static func signerKey(
        _ signer: AppReceiptKit.Certificate, _ intermediate: AppReceiptKit.Certificate, _ anchor: TrustAnchor,
        at date: Date
    ) throws(ReceiptError) -> CertificateKey {
        var attempt = ChainAttempt(date: date)
        let issuerKey = try attempt.prove(intermediate, under: anchor, marker: nil)
        try attempt.check(signer, issuedWith: issuerKey, .signer)
        guard signer.isNoAuthority else { throw ReceiptError(.signerIsAuthority) }
        guard signer.maySign else { throw ReceiptError(.signerKeyUsage) }
        guard signer.has(signerMarker) else { throw ReceiptError(.transactionReceiptMarkerMissing) }
        guard let key = TransactionSignerKey.read(signer.keyInfo) else {
            throw ReceiptError(.transactionReceiptKeyUnfit)
        }
        return key
    }
}
