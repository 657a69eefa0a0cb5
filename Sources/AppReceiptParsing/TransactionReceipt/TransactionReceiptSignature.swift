import AppReceiptSupport

/// The signature of a transaction receipt: a version, the RSA signature, and the signer's certificate, preceded by its
/// length in four bytes.
///
/// Source: Apple's VerificationController sample of 2012 for version 2; a genuine receipt of 2017 for version 3.
package struct TransactionReceiptSignature: Sendable, Hashable {
    /// The version, which determines the signer. A signer of one version isn't accepted for the other.
    package enum Version: UInt8, Sendable {
        /// RSA 1024, until May 2016. The iTunes Store's authority issued the signers.
        case itunesStore = 2
        /// RSA 2048, from May 2016. The signer is one of app receipts.
        case appReceiptSigner = 3

        /// The size of the RSA signature.
        var signatureBytes: Int {
            switch self {
            case .itunesStore: 128
            case .appReceiptSigner: 256
            }
        }
    }

    package let version: Version
    package let signature: ArraySlice<UInt8>
    /// The signer's certificate in DER.
    package let certificate: ArraySlice<UInt8>

    /// Genuine certificates are smaller than 2 KB.
    private static let maxCertificateBytes = 4 << 10

    init(_ bytes: ArraySlice<UInt8>) throws(ReceiptError) {
        guard let number = bytes.first else { throw ReceiptError(.transactionReceiptSignatureMalformed) }
        guard let version = Version(rawValue: number) else {
            throw ReceiptError(.transactionReceiptVersionUnsupported)
        }
        let lengthStart = 1 + version.signatureBytes
        let certificateStart = lengthStart + 4
        guard bytes.count >= certificateStart else { throw ReceiptError(.transactionReceiptSignatureMalformed) }
        self.version = version
        signature = bytes.part(1..<lengthStart)
        let length = bytes.part(lengthStart..<certificateStart).reduce(0) { $0 << 8 | UInt64($1) }
        certificate = bytes.dropFirst(certificateStart)
        guard length == certificate.count, certificate.count <= Self.maxCertificateBytes else {
            throw ReceiptError(.transactionReceiptSignatureMalformed)
        }
    }
}
