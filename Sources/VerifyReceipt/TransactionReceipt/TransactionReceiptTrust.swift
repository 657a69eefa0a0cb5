public import AppReceiptKit
public import X509

/// The intermediates to trust for transaction receipts from before iOS 7. By default, no intermediate is trusted.
///
/// These receipts are the one exception to the rules of trust. They contain only the signer's certificate, so the intermediate comes from
/// the caller ("Apple iTunes Store Certification Authority", which Apple's root issued and which issued the signers). It must chain to a root that
/// the verifier trusts. The signer has a 1,024-bit RSA key and signs over SHA-1, and a determined attacker could break both today: pass
/// the intermediate only while clients still send such receipts, and use an app receipt instead if the app can send one.
///
/// Certificates are validated at the purchase date. A valid receipt proves one purchase of this app at that date. It doesn't
/// prove that the purchase wasn't refunded since, or which device made it. It never becomes a `VerifiedReceipt`.
public struct TransactionReceiptTrust: Sendable {
    private let intermediates: [EncodedCertificate]

    /// No intermediate is trusted: such receipts are rejected with 21003.
    public static let disabled = TransactionReceiptTrust(exactly: [])

    /// Trusts these intermediates if a root of the verifier issued them.
    ///
    /// - Parameter intermediates: Each as DER or PEM; a PEM text may contain several.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate.
    public init(intermediates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var certificates: [EncodedCertificate] = []
        for file in intermediates {
            for der in try CertificateFile.certificates(in: Array(file)) {
                guard let certificate = EncodedCertificate(der: der) else {
                    throw ReceiptError(.trustAnchorMalformed)
                }
                certificates.append(certificate)
            }
        }
        self.intermediates = certificates
    }

    /// Trusts these intermediates if a root of the verifier issued them.
    ///
    /// - Parameter intermediates: The certificates.
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded.
    public init(intermediates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(intermediates: CertificateFile.encoded(intermediates))
    }

    private init(exactly intermediates: [EncodedCertificate]) { self.intermediates = intermediates }

    /// Verifies the chain and the signature of a receipt.
    ///
    /// - Throws: The failure of the chain that passed the most rules, or `signature-invalid`.
    func verify(_ receipt: TransactionReceipt, under anchors: TrustAnchors) throws(ReceiptError) {
        guard let signer = EncodedCertificate(der: receipt.signature.certificate) else {
            throw ReceiptError(.certificateMalformed, "The certificate in the transaction receipt is malformed.")
        }
        let (chain, _) = try ChainBuilder(anchors: anchors, policy: .transactionReceipt)
            .build(from: signer, intermediates: intermediates, at: receipt.purchaseDate)
        let message = [SignatureBlob.version] + receipt.signedInfo
        guard chain.signerKey.isValidSignature(receipt.signature.signature, over: message[...], .sha1) else {
            throw ReceiptError(.signatureInvalid)
        }
    }
}
