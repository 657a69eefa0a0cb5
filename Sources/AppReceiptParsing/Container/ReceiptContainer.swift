import AppReceiptSupport

/// The PKCS #7 container of a receipt, parsed but not verified: the signed content, the claimed signer and the
/// certificates.
///
/// A parsed container proves nothing. Parsing checks the structure only: signed data that contains plain data, exactly
/// one signer, one to six certificates, and no bytes after it. Sources: RFC 2315 section 9, RFC 5652 section 5.
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

extension ReceiptContainer {
    /// Parses the container of a receipt.
    ///
    /// - Parameters:
    ///   - bytes: The receipt as DER, BER, base64 text or PEM.
    ///   - limits: The limits for parsing.
    /// - Throws: An error of the check `input` or `container`, with the offset of the malformed bytes.
    public init(parsing bytes: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        try self.init(ReceiptInput(bytes, limits: limits), limits: limits)
    }

    /// Parses the container in recognized input.
    package init(_ input: ReceiptInput, limits: ReceiptLimits) throws(ReceiptError) {
        let bytes = input.containerBytes
        let data = try SignedDataElements(bytes, limits: limits)
        self.bytes = bytes
        digestAlgorithms = try Self.digestAlgorithms(in: data.members(of: data.digests), of: bytes)
        (content, contentOffset) = try Self.content(of: data.members(of: data.contentInfo), in: bytes)
        guard let set = data.certificates, !set.content.isEmpty else {
            throw ReceiptError(.containerWithoutCertificates, offset: data.element.start)
        }
        certificates = try Self.certificates(in: data.members(of: set), of: bytes)
        signer = try Self.onlySigner(in: data.members(of: data.signers), of: bytes)
    }

    /// Returns the content of a container that may lack certificates or a signer.
    ///
    /// - Returns: The content, its position in `bytes` unless it was joined from pieces, and whether there is a signer.
    /// - Throws: An error of the check `container`.
    package static func content(
        of bytes: ArraySlice<UInt8>, limits: ReceiptLimits = .default
    ) throws(ReceiptError) -> (octets: ArraySlice<UInt8>, offset: Int?, isSigned: Bool) {
        let data = try SignedDataElements(bytes, limits: limits)
        let (octets, offset) = try content(of: data.members(of: data.contentInfo), in: bytes)
        return (octets, offset, !data.signers.content.isEmpty)
    }

    private static func digestAlgorithms(
        in set: BERReader, of bytes: ArraySlice<UInt8>
    ) throws(ReceiptError) -> [AlgorithmIdentifier] {
        var set = set
        var algorithms: [AlgorithmIdentifier] = []
        while !set.isAtEnd {
            // Verification only accepts lists that match the signer, which has one digest algorithm.
            guard algorithms.count < 16 else {
                throw set.failure(.encodingTooManyNodes, at: set.position)
            }
            algorithms.append(try AlgorithmIdentifier(reading: &set, of: bytes))
        }
        return algorithms
    }

    /// `SEQUENCE { contentType, [0] EXPLICIT OCTET STRING }`
    private static func content(
        of info: BERReader, in bytes: ArraySlice<UInt8>
    ) throws(ReceiptError) -> (ArraySlice<UInt8>, Int?) {
        let span = bytes.span
        var info = info
        let type = try info.next(BERTag.objectIdentifier, in: span)
        guard bytes.part(type.content).elementsEqual(ContentType.data) else {
            throw ReceiptError(.containerContentNotData, offset: type.start)
        }
        guard !info.isAtEnd else { throw ReceiptError(.containerContentMissing, offset: info.position) }
        let wrapper = try info.next(BERTag.context(0), in: span)
        try info.finish()
        var inner = info.inside(wrapper)
        guard !inner.isAtEnd else { throw ReceiptError(.containerContentMissing, offset: inner.position) }
        let string = try inner.next(in: span)
        try inner.finish()
        return try inner.octets(of: string, in: bytes)
    }

    private static func certificates(
        in set: BERReader, of bytes: ArraySlice<UInt8>
    ) throws(ReceiptError) -> [ArraySlice<UInt8>] {
        var set = set
        let limit = min(set.limits.maxCertificates, ReceiptLimits.certificateCapacity)
        var certificates: [ArraySlice<UInt8>] = []
        while !set.isAtEnd {
            let certificate = try set.next(BERTag.sequence, in: bytes.span)
            guard certificates.count < limit else {
                throw set.failure(
                    .containerTooManyCertificates, at: certificate.start,
                    message: "The container has more than \(limit) certificates.")
            }
            guard certificate.range.count <= set.limits.maxCertificateBytes else {
                throw ReceiptError(.containerCertificateTooLarge, offset: certificate.start)
            }
            certificates.append(bytes.part(certificate.range))
        }
        return certificates
    }

    private static func onlySigner(in set: BERReader, of bytes: ArraySlice<UInt8>) throws(ReceiptError) -> Signer {
        var set = set
        guard !set.isAtEnd else { throw ReceiptError(.containerWithoutSigner, offset: set.position) }
        let info = try set.next(BERTag.sequence, in: bytes.span)
        try set.finish(.containerMultipleSigners)
        return try Signer(reading: set.inside(info), of: bytes)
    }
}

/// `SignedData ::= SEQUENCE { version, digestAlgorithms, contentInfo, [0] certificates, [1] crls, signerInfos }`
private struct SignedDataElements {
    let element: BERElement
    let digests: BERElement
    let contentInfo: BERElement
    let certificates: BERElement?
    let signers: BERElement
    private let reader: BERReader

    /// Returns a reader of the members of one of the elements.
    func members(of element: BERElement) -> BERReader { reader.inside(element) }

    /// Finds the members of a container.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the container, without other bytes.
    ///   - limits: The limits for parsing.
    /// - Throws: An error of the check `container`.
    init(_ bytes: ArraySlice<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        let span = bytes.span
        guard span.count <= limits.maxReceiptBytes else {
            throw ReceiptError(
                .inputTooLarge, check: .container,
                "The receipt is larger than the limit of \(limits.maxReceiptBytes) bytes.")
        }
        var outer = BERReader(0..<span.count, check: .container, limits: limits)
        guard outer.peekTag(in: span) == BERTag.sequence else { throw ReceiptError(.containerNotSignedData, offset: 0) }
        let contentInfo: BERElement
        do throws(ReceiptError) {
            contentInfo = try outer.next(in: span)
        } catch {
            guard error.code == .encodingTruncated, error.offset == 0 else { throw error }
            throw outer.failure(
                .encodingTruncated, at: 0, message: "The receipt was truncated: it is shorter than its encoded length.")
        }
        try outer.finish(.containerTrailingBytes)

        var reader = outer.inside(contentInfo)
        guard reader.peekTag(in: span) == BERTag.objectIdentifier else {
            // A certificate is a sequence that begins with a sequence.
            throw reader.failure(
                .containerNotSignedData, at: reader.position,
                message: reader.peekTag(in: span) == BERTag.sequence
                    ? "The input looks like a certificate, not PKCS #7 signed data." : nil)
        }
        let type = try reader.next(in: span)
        guard bytes.part(type.content).elementsEqual(ContentType.signedData) else {
            throw ReceiptError(.containerNotSignedData, offset: type.start)
        }
        let wrapper = try reader.next(BERTag.context(0), in: span)
        try reader.finish()
        reader = reader.inside(wrapper)
        element = try reader.next(BERTag.sequence, in: span)
        try reader.finish()

        var members = reader.inside(element)
        // PKCS #7 uses version 1. CMS uses 3, 4 and 5 for other signer identifiers and certificate types (RFC 5652,
        // 5.1).
        _ = try members.version(in: span, allowed: [1, 3, 4, 5])
        digests = try members.next(BERTag.set, in: span)
        self.contentInfo = try members.next(BERTag.sequence, in: span)
        certificates = try members.nextIf(BERTag.context(0), in: span)
        if let revocations = try members.nextIf(BERTag.context(1), in: span) {
            try members.checkWellFormed(revocations, in: span)
        }
        signers = try members.next(BERTag.set, in: span)
        try members.finish()
        self.reader = members
    }
}

extension ReceiptContainer.Signer {
    /// `SignerInfo ::= SEQUENCE { version, identifier, digestAlgorithm, [0] signedAttributes, signatureAlgorithm,
    /// signature, [1] unsignedAttributes }`
    fileprivate init(
        reading members: BERReader, of bytes: ArraySlice<UInt8>
    ) throws(ReceiptError) {
        let span = bytes.span
        var reader = members
        let versionPosition = reader.position
        let version = try reader.version(in: span, allowed: [1, 3])
        if let key = try reader.nextIf(BERTag.contextPrimitive(0), in: span) {
            guard version == 3 else { throw ReceiptError(.containerVersionUnsupported, offset: versionPosition) }
            identifier = .subjectKeyIdentifier(bytes.part(key.content))
        } else {
            guard version == 1 else { throw ReceiptError(.containerVersionUnsupported, offset: versionPosition) }
            var name = reader.inside(try reader.next(BERTag.sequence, in: span))
            let issuer = try name.next(BERTag.sequence, in: span)
            let serialNumber = try name.next(BERTag.integer, in: span)
            try name.finish()
            guard !serialNumber.content.isEmpty else {
                throw reader.failure(.encodingIntegerMalformed, at: serialNumber.start)
            }
            identifier = .issuerAndSerialNumber(
                issuer: bytes.part(issuer.range), serialNumber: bytes.part(serialNumber.content))
        }
        digestAlgorithm = try AlgorithmIdentifier(reading: &reader, of: bytes)
        let attributes = try reader.nextIf(BERTag.context(0), in: span)
        signedAttributes = attributes.map { bytes.part($0.content) }
        signatureAlgorithm = try AlgorithmIdentifier(reading: &reader, of: bytes)
        let string = try reader.next(in: span)
        (signature, _) = try reader.octets(of: string, in: bytes)
        if let unsigned = try reader.nextIf(BERTag.context(1), in: span) {
            try reader.checkWellFormed(unsigned, in: span)
        }
        try reader.finish()
    }
}

extension BERReader {
    /// Reads a version number, which must be one of `allowed`.
    fileprivate mutating func version(in span: Span<UInt8>, allowed: [UInt64]) throws(ReceiptError) -> UInt64 {
        let element = try next(BERTag.integer, in: span)
        guard let version = BERValue.unsigned(in: span, at: element.content) else {
            throw failure(.encodingIntegerMalformed, at: element.start)
        }
        guard allowed.contains(version) else {
            throw failure(.containerVersionUnsupported, at: element.start)
        }
        return version
    }
}
