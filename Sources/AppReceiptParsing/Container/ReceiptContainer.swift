package import AppReceiptSupport

/// The PKCS #7 container of a receipt, parsed but not verified: the signed content, the claimed signer and the certificates.
///
/// A parsed container proves nothing. Parsing checks the structure only: signed data that contains plain data, exactly one signer, one to
/// six certificates, and no bytes after it.
/// Sources: RFC 2315 section 9, RFC 5652 section 5.
public struct ReceiptContainer: Sendable, Hashable {
    /// The bytes of the container.
    public var bytes: ArraySlice<UInt8> { values.value.bytes }

    /// The signed bytes: the content without its tag and length, with the pieces of a constructed string joined.
    public var content: ArraySlice<UInt8> { values.value.content }

    /// The position of the content in ``bytes``, or nil if it was joined from several pieces.
    public var contentOffset: Int? { values.value.contentOffset }

    /// The certificates in DER, in the order of the container. They aren't trusted.
    public var certificates: [ArraySlice<UInt8>] { values.value.certificates }

    /// The digest algorithms that the container lists.
    public var digestAlgorithms: [AlgorithmIdentifier] { values.value.digestAlgorithms }

    /// The signer.
    public var signer: Signer { values.value.signer }

    /// The values, shared by copies of a container. Reading a value through ``signer`` copies a dozen references.
    package let values: SharedValue<Values>

    /// The values of a container. The properties of ``ReceiptContainer`` document them.
    package struct Values: Sendable, Hashable {
        package let bytes: ArraySlice<UInt8>
        package let content: ArraySlice<UInt8>
        package let contentOffset: Int?
        package let certificates: [ArraySlice<UInt8>]
        package let digestAlgorithms: [AlgorithmIdentifier]
        package let signer: Signer
    }

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
