/// The PKCS #7 container of a receipt, taken apart but not judged: what is signed, by whom as they say, and with
/// which certificates beside it.
///
/// A container that could be read proves nothing. The rules for its shape hold here already: signed data holding
/// plain data, its content inside, exactly one signer, at most six certificates, and nothing after it.
/// Sources: RFC 2315 section 9, RFC 5652 section 5.
public struct ReceiptContainer: Sendable, Hashable {
    /// The whole container.
    public let bytes: ArraySlice<UInt8>

    /// The octets that are signed: the content without its tag and length, its pieces joined.
    public let content: ArraySlice<UInt8>

    /// Where the content starts in ``bytes``, or nil if it came in pieces and was joined.
    public let contentOffset: Int?

    /// The certificates as DER, in the order of the container. None of them is trusted by being here.
    public let certificates: [ArraySlice<UInt8>]

    /// The digests that the container announces.
    public let digestAlgorithms: [AlgorithmIdentifier]

    /// The one signer.
    public let signer: Signer

    /// A signer's part of the container (SignerInfo).
    public struct Signer: Sendable, Hashable {
        /// Which certificate is the signer's.
        public let identifier: Identifier

        /// The digest that the signer used.
        public let digestAlgorithm: AlgorithmIdentifier

        /// The content octets of the signed attributes as they stand in the container; nil if there are none, as in
        /// all receipts seen so far.
        public let signedAttributes: ArraySlice<UInt8>?

        /// The algorithm of the signature.
        public let signatureAlgorithm: AlgorithmIdentifier

        /// The signature's octets.
        public let signature: ArraySlice<UInt8>

        /// How a signer names its certificate.
        public enum Identifier: Sendable, Hashable {
            /// The issuer's name (the whole DER element) and the serial number (its content octets).
            case issuerAndSerialNumber(issuer: ArraySlice<UInt8>, serialNumber: ArraySlice<UInt8>)
            /// The certificate's subject key identifier.
            case subjectKeyIdentifier(ArraySlice<UInt8>)
        }
    }
}

/// The object identifiers of content types (RFC 5652), as content octets.
package enum ContentType {
    /// 1.2.840.113549.1.7.1
    package static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    /// 1.2.840.113549.1.7.2
    package static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
}
