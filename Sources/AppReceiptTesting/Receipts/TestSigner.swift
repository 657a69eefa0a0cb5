import AppReceiptKit

/// A signer of a container.
public struct TestSigner: Sendable, Hashable {
    /// The certificate to which the signer's identifier refers.
    public var certificate: TestCertificate
    /// The key that signs. Nil for the certificate's.
    public var key: TestKey?
    /// Whether the identifier is the subject key identifier instead of issuer and serial number.
    public var usesSubjectKeyIdentifier = false
    /// The content bytes of the serial number in the identifier. Nil for the certificate's.
    public var serialNumber: [UInt8]?
    /// The version. Nil for the one that fits the identifier.
    public var version: UInt64?
    /// The digest of the signature.
    public var digest: TestDigest
    /// The digest algorithm that the signer specifies.
    public var digestAlgorithm: TestAlgorithm
    /// The signature algorithm that the signer specifies. For RSA keys, this is `rsaEncryption` by default, as in App
    /// Store receipts.
    public var signatureAlgorithm: TestAlgorithm
    /// The signed attributes, if any. Genuine receipts have none.
    public var signedAttributes: SignedAttributes?
    /// Unsigned attributes, as whole elements. Parsers skip them.
    public var unsignedAttributes: [[UInt8]] = []
    /// A signature that replaces the right one.
    public var signature: [UInt8]?

    /// Creates a signer with a certificate and its key and digest.
    public init(_ certificate: TestCertificate) {
        self.certificate = certificate
        digest = certificate.digest
        digestAlgorithm = TestAlgorithm(certificate.digest.objectIdentifier)
        signatureAlgorithm =
            certificate.key.kind == .rsa
            ? .rsaEncryption : TestAlgorithm(key: certificate.key.kind, digest: certificate.digest)
    }

    /// Signed attributes to encode.
    public struct SignedAttributes: Sendable, Hashable {
        /// The content type. Nil omits the attribute.
        public var contentType: String? = "1.2.840.113549.1.7.1"
        /// The message digest.
        public var messageDigest: MessageDigest = .ofContent
        /// Further attributes, as whole elements.
        public var others: [[UInt8]] = []
        /// Whether the container contains them in DER order. The signed bytes are always in DER order.
        public var isSorted = true

        /// Creates attributes with the right content type and message digest.
        public init() {}

        /// The value of the message digest attribute.
        public enum MessageDigest: Sendable, Hashable {
            /// The digest of the content.
            case ofContent
            /// These bytes.
            case other([UInt8])
            /// No attribute.
            case omitted
        }

        /// Encodes an attribute.
        ///
        /// - Parameters:
        ///   - objectIdentifier: The type of the attribute, in dotted decimal.
        ///   - values: The values, each a whole element.
        /// - Returns: The attribute as DER.
        public static func attribute(_ objectIdentifier: String, _ values: [[UInt8]]) -> [UInt8] {
            DERWriter.sequence([DERWriter.objectIdentifier(objectIdentifier), DERWriter.set(values)])
        }

        func elements(over content: [UInt8], _ digest: TestDigest) -> [[UInt8]] {
            var elements: [[UInt8]] = []
            if let contentType {
                elements.append(
                    Self.attribute("1.2.840.113549.1.9.3", [DERWriter.objectIdentifier(contentType)]))
            }
            switch messageDigest {
            case .ofContent:
                elements.append(
                    Self.attribute("1.2.840.113549.1.9.4", [DERWriter.octetString(digest.digest(of: content))]))
            case .other(let octets):
                elements.append(Self.attribute("1.2.840.113549.1.9.4", [DERWriter.octetString(octets)]))
            case .omitted:
                break
            }
            elements += others
            let sorted = elements.sorted { $0.lexicographicallyPrecedes($1) }
            return isSorted ? sorted : sorted.reversed()
        }
    }

    func encoded(over content: [UInt8]) throws(ReceiptError) -> [UInt8] {
        let identifier =
            usesSubjectKeyIdentifier
            ? DERWriter.element(0x80, try certificate.subjectKeyIdentifier)
            : DERWriter.sequence([
                certificate.issuer.der,
                serialNumber.map { DERWriter.element(0x02, $0) } ?? DERWriter.integer(certificate.serialNumber),
            ])
        let attributes = signedAttributes?.elements(over: content, digest)
        let signed = attributes.map { DERWriter.set($0) } ?? content
        var members = [
            DERWriter.integer(version ?? (usesSubjectKeyIdentifier ? 3 : 1)),
            identifier,
            digestAlgorithm.der,
        ]
        if let attributes { members.append(DERWriter.context(0, attributes.flatMap(\.self))) }
        members.append(signatureAlgorithm.der)
        let signature =
            if let signature { signature } else {
                try (key ?? certificate.key).signature(for: signed, digest: digest)
            }
        members.append(DERWriter.octetString(signature))
        if !unsignedAttributes.isEmpty { members.append(DERWriter.context(1, unsignedAttributes.flatMap(\.self))) }
        return DERWriter.sequence(members)
    }
}
