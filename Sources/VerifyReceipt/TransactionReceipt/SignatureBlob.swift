import AppReceiptKit
import AppReceiptSupport

/// The signature of a transaction receipt: a version, 128 bytes of RSA signature, and the signer's certificate, preceded by its length in
/// four bytes. Only version 2 is supported.
///
/// Source: Apple's VerificationController sample of 2012.
struct SignatureBlob {
    static let version: UInt8 = 2

    let signature: ArraySlice<UInt8>
    /// The signer's certificate in DER.
    let certificate: ArraySlice<UInt8>

    private static let signatureStart = 1
    private static let lengthStart = 129
    private static let certificateStart = 133
    /// Genuine certificates are smaller than 1 KB.
    private static let maxCertificateBytes = 4 << 10

    init(_ bytes: ArraySlice<UInt8>) throws(ReceiptError) {
        guard let version = bytes.first else { throw ReceiptError(.transactionReceiptSignatureMalformed) }
        guard version == Self.version else { throw ReceiptError(.transactionReceiptVersionUnsupported) }
        guard bytes.count >= Self.certificateStart else { throw ReceiptError(.transactionReceiptSignatureMalformed) }
        signature = bytes.part(Self.signatureStart..<Self.lengthStart)
        let length = bytes.part(Self.lengthStart..<Self.certificateStart).reduce(0) { $0 << 8 | UInt64($1) }
        certificate = bytes.dropFirst(Self.certificateStart)
        guard length == certificate.count, certificate.count <= Self.maxCertificateBytes else {
            throw ReceiptError(.transactionReceiptSignatureMalformed)
        }
    }
}
