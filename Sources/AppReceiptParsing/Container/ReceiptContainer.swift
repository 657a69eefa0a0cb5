/// The PKCS #7 container of a receipt, parsed but not verified: the signed content, the claimed signer and the certificates.
///
/// A parsed container proves nothing. Parsing checks the structure only: signed data that contains plain data, exactly one signer, one to
/// six certificates, and no bytes after it.
/// Sources: RFC 2315 section 9, RFC 5652 section 5.
public struct ReceiptContainer: Sendable, Hashable {
    /// The bytes of the container.
    public let bytes: ArraySlice<UInt8>

    /// The signed bytes: the content without its tag and length, with the pieces of a constructed string joined.
    public let content: ArraySlice<UInt8>

    /// The position of the content in ``bytes``, or nil if it was joined from several pieces.
    public let contentOffset: Int?

    /// The certificates in DER, in the order of the container. They aren't trusted.
    public let certificates: [ArraySlice<UInt8>]

    /// The digest algorithms that the container lists.
    public let digestAlgorithms: [AlgorithmIdentifier]

    /// The signer.
    public let signer: Signer

    /// The information about a signer (SignerInfo).
    public struct Signer: Sendable, Hashable {
        /// The reference to the signer's certificate.
        public let identifier: Identifier

        /// The digest algorithm of the signature.
        public let digestAlgorithm: AlgorithmIdentifier

        /// The content of the signed attributes, byte for byte, or nil if there are none, as in all known receipts.
        public let signedAttributes: ArraySlice<UInt8>?

        /// The signature algorithm.
        public let signatureAlgorithm: AlgorithmIdentifier

        /// The bytes of the signature.
        public let signature: ArraySlice<UInt8>

        /// The ways to refer to the signer's certificate.
        public enum Identifier: Sendable, Hashable {
            /// The issuer's name (the encoded element) and the serial number (its content octets).
            case issuerAndSerialNumber(issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>)
            /// The certificate's subject key identifier.
            case subjectKeyIdentifier(ArraySlice<UInt8>)
        }
    }
}

extension ReceiptContainer: CustomStringConvertible {
    /// The sizes of the parts, without their bytes.
    public var description: String {
        "ReceiptContainer(\(bytes.count) bytes: content of \(content.count) bytes, \(certificates.count) certificates)"
    }
}

/// The content octets of the object identifiers of content types (RFC 5652).
package enum ContentType {
    /// 1.2.840.113549.1.7.1
    package static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    /// 1.2.840.113549.1.7.2
    package static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
}
