/// A PKCS #7 container to be made. Everything in it can be changed, so that a test can break one rule at a time.
public struct TestContainer: Sendable, Hashable {
    /// What is signed.
    public var content: [UInt8]
    /// The certificates, each as DER, in this order.
    public var certificates: [[UInt8]]
    /// The signers; a receipt has one.
    public var signers: [TestSigner]
    /// The digests that the container announces; nil for those of the signers.
    public var digestAlgorithms: [TestAlgorithm]?
    /// The form of the bytes.
    public var encoding: Encoding = .der
    /// The version of the signed data.
    public var version: UInt64 = 1
    /// The type of the content; `data` by default.
    public var contentType = "1.2.840.113549.1.7.1"
    /// The type of the container; `signedData` by default.
    public var containerType = "1.2.840.113549.1.7.2"
    /// An element that replaces the octet string with the content. The content is signed as before.
    public var contentElement: [UInt8]?
    /// Whether the content is left out, though it is signed.
    public var isDetached = false
    /// Revocation lists (whole elements), which are legal and skipped.
    public var revocationLists: [[UInt8]] = []

    /// The form of a container's bytes.
    public enum Encoding: Sendable, Hashable {
        /// Definite lengths, as the App Store writes receipts.
        case der
        /// Indefinite lengths, and the content as a string of so many pieces, as Xcode writes receipts (with one).
        case ber(pieces: Int)
    }

    /// Signed by a PKI's signer, with its three certificates beside.
    public init(content: [UInt8], signedBy pki: TestPKI) throws {
        self.content = content
        certificates = [try pki.signer.der(), try pki.intermediate.der(), try pki.root.der()]
        signers = [TestSigner(pki.signer)]
    }

    /// Creates a container that is signed as by Xcode, by a single certificate.
    public init(content: [UInt8], signedByXcode certificate: TestCertificate) throws {
        self.content = content
        certificates = [try certificate.der()]
        signers = [TestSigner(certificate)]
        signers[0].signatureAlgorithm = TestAlgorithm(.rsa, certificate.digest)
        encoding = .ber(pieces: 1)
    }

    /// The same with something changed.
    public func with(_ change: (inout TestContainer) -> Void) -> TestContainer {
        var changed = self
        change(&changed)
        return changed
    }

    /// The container's bytes.
    public func encoded() throws -> [UInt8] {
        let digests = digestAlgorithms ?? signers.first.map { [$0.digestAlgorithm] } ?? []
        var members = [
            DERWriter.integer(version),
            DERWriter.set(digests.map(\.der)),
            constructed(0x30, DERWriter.objectIdentifier(contentType) + (isDetached ? [] : explicitContent())),
        ]
        if !certificates.isEmpty { members.append(DERWriter.context(0, certificates.flatMap(\.self))) }
        if !revocationLists.isEmpty { members.append(DERWriter.context(1, revocationLists.flatMap(\.self))) }
        members.append(DERWriter.set(try signers.map { try $0.encoded(over: content) }, sorted: false))
        let signedData = constructed(0x30, members.flatMap(\.self))
        return constructed(0x30, DERWriter.objectIdentifier(containerType) + constructed(0xA0, signedData))
    }

    private func explicitContent() -> [UInt8] {
        if let contentElement { return constructed(0xA0, contentElement) }
        guard case .ber(let pieces) = encoding else {
            return DERWriter.context(0, DERWriter.octetString(content))
        }
        let size = max(1, (content.count + max(1, pieces) - 1) / max(1, pieces))
        let parts = stride(from: 0, to: content.count, by: size).flatMap { start in
            DERWriter.octetString(content[start..<min(start + size, content.count)])
        }
        return constructed(0xA0, DERWriter.indefinite(0x24, parts))
    }

    private func constructed(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        encoding == .der ? DERWriter.element(tag, content) : DERWriter.indefinite(tag, content)
    }
}

/// A signer's part of a container.
public struct TestSigner: Sendable, Hashable {
    /// The certificate that the signer's identifier names.
    public var certificate: TestCertificate
    /// The key that signs; nil for the certificate's.
    public var key: TestKey?
    /// Whether the certificate is named by its subject key identifier instead of issuer and serial number.
    public var usesSubjectKeyIdentifier = false
    /// The content bytes of the serial number in the identifier; nil for the certificate's.
    public var serialNumber: [UInt8]?
    /// The version; nil for the one that fits the identifier.
    public var version: UInt64?
    /// The digest to sign with.
    public var digest: TestDigest
    /// The digest that the signer names.
    public var digestAlgorithm: TestAlgorithm
    /// The signature algorithm that the signer names: `rsaEncryption` unless changed, as in App Store receipts.
    public var signatureAlgorithm: TestAlgorithm
    /// Signed attributes, which no genuine receipt has; nil for none.
    public var signedAttributes: SignedAttributes?
    /// Unsigned attributes (whole elements), which are legal and skipped.
    public var unsignedAttributes: [[UInt8]] = []
    /// A signature in place of the right one.
    public var signature: [UInt8]?

    /// A signer with this certificate and its key and digest.
    public init(_ certificate: TestCertificate) {
        self.certificate = certificate
        digest = certificate.digest
        digestAlgorithm = TestAlgorithm(certificate.digest.objectIdentifier)
        signatureAlgorithm =
            certificate.key.kind == .rsa ? .rsaEncryption : TestAlgorithm(certificate.key.kind, certificate.digest)
    }

    /// Signed attributes to be made.
    public struct SignedAttributes: Sendable, Hashable {
        /// The content type; nil leaves it out.
        public var contentType: String? = "1.2.840.113549.1.7.1"
        /// The message digest: of the content, another, or none.
        public var messageDigest: MessageDigest = .ofContent
        /// Further attributes, as whole elements.
        public var others: [[UInt8]] = []
        /// Whether the container contains them in DER order. The signed bytes are always in DER order.
        public var isSorted = true

        /// The content type and message digest that are right.
        public init() {}

        /// The message digest to put in.
        public enum MessageDigest: Sendable, Hashable {
            case ofContent
            case other([UInt8])
            case none
        }

        /// One attribute: an object identifier and its values.
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
            case .none:
                break
            }
            elements += others
            let sorted = elements.sorted { $0.lexicographicallyPrecedes($1) }
            return isSorted ? sorted : sorted.reversed()
        }
    }

    func encoded(over content: [UInt8]) throws -> [UInt8] {
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
        members.append(
            DERWriter.octetString(try signature ?? (key ?? certificate.key).signature(over: signed, digest)))
        if !unsignedAttributes.isEmpty { members.append(DERWriter.context(1, unsignedAttributes.flatMap(\.self))) }
        return DERWriter.sequence(members)
    }
}
