public import AppReceiptParsing
import AppReceiptSupport
import CryptoExtras
import SwiftASN1
public import X509

/// The intermediates of transaction receipts, which contain only the signer's certificate.
///
/// An intermediate isn't an anchor: it must chain to a root that the verifier trusts. ``apple`` has the two that Apple
/// used, so nothing needs to be configured for genuine receipts.
///
/// The signers of version 2 have a 1,024-bit RSA key, and receipts of both versions are signed over SHA-1. A determined
/// attacker could break such a key today: pass ``disabled`` if no client sends transaction receipts, and prefer an app
/// receipt if the app can send one.
public struct TransactionReceiptTrust: Sendable {
    private let intermediates: [EncodedCertificate]

    /// The intermediates that Apple used, embedded in this library.
    public static let apple: TransactionReceiptTrust = {
        let texts = [AppleIntermediateCertificates.itunesStore, AppleIntermediateCertificates.developerRelations]
        let certificates = texts.compactMap { text in
            (try? Base64.decode(ArraySlice(text.utf8))).flatMap { EncodedCertificate(der: $0[...]) }
        }
        guard certificates.count == texts.count else {
            preconditionFailure("An embedded intermediate certificate is malformed.")
        }
        return TransactionReceiptTrust(exactly: certificates)
    }()

    /// No intermediate: every transaction receipt is rejected.
    public static let disabled = TransactionReceiptTrust(exactly: [])

    /// Creates a list of Apple's intermediates and these certificates in DER.
    ///
    /// - Parameter intermediates: Each as DER.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate.
    public init(der intermediates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var certificates = Self.apple.intermediates
        for der in intermediates {
            guard let certificate = EncodedCertificate(der: Array(der)[...]) else {
                throw ReceiptError(.trustAnchorMalformed)
            }
            certificates.append(certificate)
        }
        self.intermediates = certificates
    }

    /// Creates a list of Apple's intermediates and the certificates in a PEM text.
    ///
    /// - Parameter pem: One or more certificates as PEM.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or if there is none.
    public init(pem: String) throws(ReceiptError) { try self.init(der: CertificateFile.certificates(inPEM: pem.utf8)) }

    /// Creates a list of Apple's intermediates and these certificates.
    ///
    /// - Parameter intermediates: The certificates.
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded.
    public init(_ intermediates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(der: CertificateFile.encoded(intermediates))
    }

    /// Creates a list of Apple's intermediates and the certificates in files, each DER or PEM.
    package init(files: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        try self.init(der: CertificateFile.certificates(inFiles: files))
    }

    private init(exactly intermediates: [EncodedCertificate]) { self.intermediates = intermediates }

    /// The certificates, each as DER.
    public var certificates: [[UInt8]] { intermediates.map { Array($0.der) } }

    /// Validates the chain of a receipt's signer.
    ///
    /// - Throws: The failure of the chain that passed the most rules.
    func validate(_ receipt: TransactionReceipt, under anchors: TrustAnchors) throws(ReceiptError) -> CertificateChain {
        guard let signer = EncodedCertificate(der: receipt.signature.certificate) else {
            throw ReceiptError(.certificateMalformed, "The certificate in the transaction receipt is malformed.")
        }
        return try ChainBuilder(anchors: anchors, policy: .transactionReceipt(receipt.signature.version))
            .build(from: signer, intermediates: intermediates, at: receipt.purchaseDate).chain
    }
}

extension ChainPolicy {
    /// Returns the policy for transaction receipts, which don't contain the intermediate.
    ///
    /// The marker of the signer depends on the version: otherwise a signer of app receipts could sign version 2, or a
    /// short key version 3.
    static func transactionReceipt(_ version: TransactionReceiptSignature.Version) -> ChainPolicy {
        switch version {
        case .itunesStore: itunesStore
        case .appReceiptSigner: appReceiptSigner
        }
    }

    private static let itunesStore = ChainPolicy(
        intermediateMarker: nil, signerMarker: AppleExtension.transactionSignerMarker,
        signerMarkerMissing: .transactionReceiptMarkerMissing,
        intermediateMissing: ReceiptError(.transactionReceiptIntermediateMissing), infersShortChains: false
    ) { keyInfo throws(ReceiptError) in
        guard let key = CertificateKey(transactionSigner: keyInfo) else {
            throw ReceiptError(.transactionReceiptKeyUnfit)
        }
        return key
    }

    private static let appReceiptSigner = ChainPolicy(
        intermediateMarker: AppleExtension.intermediateMarker, signerMarker: AppleExtension.signerMarker,
        signerMarkerMissing: .transactionReceiptMarkerMissing,
        intermediateMissing: ReceiptError(.transactionReceiptIntermediateMissing), infersShortChains: false
    ) { keyInfo throws(ReceiptError) in
        let key = try CertificateKey(keyInfo, codes: .signer)
        guard case .rsa = key else { throw ReceiptError(.transactionReceiptKeyUnfit) }
        return key
    }
}

extension CertificateKey {
    /// Reads the key of a transaction receipt's signer: RSA of 1,024 bits, which is too short for any other signer.
    ///
    /// - Returns: `nil` unless the key is RSA of 1,024 to 8,192 bits with an exponent of 65,537 or more. The sizes are
    ///   checked before the key is created, because arithmetic with unreasonable sizes is expensive.
    init?(transactionSigner info: ASN1Node) {
        guard let encoded = CertificateKey.rsaKey(in: info), let numbers = RSANumbers(encoded),
            (1024...8192).contains(numbers.modulusBits), numbers.publicExponent >= 65_537,
            let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: encoded)
        else { return nil }
        self = .rsa(key)
    }
}

extension TransactionReceiptTrust: Equatable {
    public static func == (left: TransactionReceiptTrust, right: TransactionReceiptTrust) -> Bool {
        left.intermediates.map(\.der) == right.intermediates.map(\.der)
    }
}
