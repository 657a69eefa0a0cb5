import AppReceiptSupport

extension ReceiptContainer {
    /// Parses the container of a receipt.
    ///
    /// - Parameters:
    ///   - bytes: The receipt as DER, BER, base64 text or PEM.
    ///   - limits: The limits for parsing.
    /// - Throws: An error of the check `input` or `container`, with the offset of the malformed bytes.
    public init(parsing bytes: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        let bytes = try ReceiptInput(bytes, limits: limits).containerBytes
        let span = bytes.span
        let data = try SignedDataElements(span, limits: limits)
        let reader = data.reader
        let digestAlgorithms = try Self.digestAlgorithms(reader.inside(data.digests), span, bytes, limits: limits)
        let (content, offset) = try Self.content(reader.inside(data.contentInfo), span, bytes, limits: limits)
        let certificates = try Self.certificates(
            data.certificates.map(reader.inside), span, bytes, position: data.element.start, limits: limits)
        let signer = try Self.onlySigner(reader.inside(data.signers), span, bytes, limits: limits)
        values = SharedValue(
            Values(
                bytes: bytes, content: content, contentOffset: offset, certificates: certificates,
                digestAlgorithms: digestAlgorithms, signer: signer))
    }

    /// The content of a container that may lack certificates or a signer.
    ///
    /// - Returns: The content, its position in `bytes` unless it was joined from pieces, and whether there is a signer.
    /// - Throws: An error of the check `container`.
    package static func content(
        of bytes: ArraySlice<UInt8>, limits: ReceiptLimits = .default
    ) throws(ReceiptError) -> (octets: ArraySlice<UInt8>, offset: Int?, isSigned: Bool) {
        let span = bytes.span
        let data = try SignedDataElements(span, limits: limits)
        let (octets, offset) = try content(data.reader.inside(data.contentInfo), span, bytes, limits: limits)
        return (octets, offset, !data.reader.inside(data.signers).isAtEnd)
    }

    private static func digestAlgorithms(
        _ set: BERReader, _ span: Span<UInt8>, _ bytes: ArraySlice<UInt8>, limits: ReceiptLimits
    ) throws(ReceiptError) -> [AlgorithmIdentifier] {
        var set = set
        var algorithms: [AlgorithmIdentifier] = []
        while !set.isAtEnd {
            // Verification only accepts lists that match the signer, which has one digest algorithm.
            guard algorithms.count < 16 else {
                throw set.failure(.encodingTooManyNodes, at: set.position)
            }
            algorithms.append(try AlgorithmIdentifier(reading: &set, span, of: bytes))
        }
        return algorithms
    }

    /// `SEQUENCE { contentType, [0] EXPLICIT OCTET STRING }`
    private static func content(
        _ info: BERReader, _ span: Span<UInt8>, _ bytes: ArraySlice<UInt8>, limits: ReceiptLimits
    ) throws(ReceiptError) -> (ArraySlice<UInt8>, Int?) {
        var info = info
        let type = try info.next(span, BERTag.objectIdentifier)
        guard bytes.part(type.content).elementsEqual(ContentType.data) else {
            throw ReceiptError(.containerContentNotData, offset: type.start)
        }
        guard !info.isAtEnd else { throw ReceiptError(.containerContentMissing, offset: info.position) }
        let wrapper = try info.next(span, BERTag.context(0))
        try info.finish()
        var inner = info.inside(wrapper)
        guard !inner.isAtEnd else { throw ReceiptError(.containerContentMissing, offset: inner.position) }
        let string = try inner.next(span)
        try inner.finish()
        return try inner.octets(span, of: string, in: bytes)
    }

    private static func certificates(
        _ set: BERReader?, _ span: Span<UInt8>, _ bytes: ArraySlice<UInt8>, position: Int, limits: ReceiptLimits
    ) throws(ReceiptError) -> [ArraySlice<UInt8>] {
        guard var set, !set.isAtEnd else { throw ReceiptError(.containerWithoutCertificates, offset: position) }
        var certificates: [ArraySlice<UInt8>] = []
        certificates.reserveCapacity(3)
        while !set.isAtEnd {
            let certificate = try set.next(span, BERTag.sequence)
            guard certificates.count < min(limits.maxCertificates, ReceiptLimits.certificateCapacity) else {
                throw set.failure(
                    .containerTooManyCertificates, at: certificate.start,
                    "The container has more than \(min(limits.maxCertificates, ReceiptLimits.certificateCapacity)) certificates."
                )
            }
            guard certificate.range.count <= limits.maxCertificateBytes else {
                throw ReceiptError(.containerCertificateTooLarge, offset: certificate.start)
            }
            certificates.append(bytes.part(certificate.range))
        }
        return certificates
    }

    private static func onlySigner(
        _ set: BERReader, _ span: Span<UInt8>, _ bytes: ArraySlice<UInt8>, limits: ReceiptLimits
    ) throws(ReceiptError) -> Signer {
        var set = set
        guard !set.isAtEnd else { throw ReceiptError(.containerWithoutSigner, offset: set.position) }
        let info = try set.next(span, BERTag.sequence)
        try set.finish(.containerMultipleSigners)
        return try Signer(set.inside(info), span, bytes, limits: limits)
    }
}

/// `SignedData ::= SEQUENCE { version, digestAlgorithms, contentInfo, [0] certificates, [1] crls, signerInfos }`
private struct SignedDataElements {
    let element: BERElement
    let digests: BERElement
    let contentInfo: BERElement
    let certificates: BERElement?
    let signers: BERElement
    /// The reader of the sequence, at its end. Creates the readers of the members.
    let reader: BERReader

    /// Finds the members of a container.
    ///
    /// - Parameters:
    ///   - span: The bytes of the container, without other bytes.
    ///   - limits: The limits for parsing.
    /// - Throws: An error of the check `container`.
    init(_ span: Span<UInt8>, limits: ReceiptLimits) throws(ReceiptError) {
        guard span.count <= limits.maxReceiptBytes else {
            throw ReceiptError(
                .inputTooLarge, check: .container,
                "The receipt is larger than the limit of \(limits.maxReceiptBytes) bytes.")
        }
        var outer = BERReader(0..<span.count, check: .container, limits: limits)
        guard outer.peekTag(span) == BERTag.sequence else { throw ReceiptError(.containerNotSignedData, offset: 0) }
        let contentInfo: BERElement
        do throws(ReceiptError) {
            contentInfo = try outer.next(span)
        } catch {
            guard error.code == .encodingTruncated, error.offset == 0 else { throw error }
            throw outer.failure(
                .encodingTruncated, at: 0, "The receipt was truncated: it is shorter than its encoded length.")
        }
        try outer.finish(.containerTrailingBytes)

        var reader = outer.inside(contentInfo)
        guard reader.peekTag(span) == BERTag.objectIdentifier else {
            // A certificate is a sequence that begins with a sequence.
            throw reader.failure(
                .containerNotSignedData, at: reader.position,
                reader.peekTag(span) == BERTag.sequence
                    ? "The input looks like a certificate, not PKCS #7 signed data." : nil)
        }
        let type = try reader.next(span)
        guard span.isEqual(to: ContentType.signedData, at: type.content) else {
            throw ReceiptError(.containerNotSignedData, offset: type.start)
        }
        let wrapper = try reader.next(span, BERTag.context(0))
        try reader.finish()
        reader = reader.inside(wrapper)
        element = try reader.next(span, BERTag.sequence)
        try reader.finish()

        var members = reader.inside(element)
        // PKCS #7 uses version 1. CMS uses 3, 4 and 5 for other signer identifiers and certificate types (RFC 5652, 5.1).
        _ = try members.version(span, allowed: [1, 3, 4, 5])
        digests = try members.next(span, BERTag.set)
        self.contentInfo = try members.next(span, BERTag.sequence)
        certificates = try members.nextIf(span, BERTag.context(0))
        if let revocations = try members.nextIf(span, BERTag.context(1)) {
            try members.checkWellFormed(span, revocations)
        }
        signers = try members.next(span, BERTag.set)
        try members.finish()
        self.reader = members
    }
}

extension Span<UInt8> {
    /// Whether the bytes at `range` are equal to `bytes`.
    fileprivate func isEqual(to bytes: [UInt8], at range: Range<Int>) -> Bool {
        range.count == bytes.count && zip(range, bytes).allSatisfy { self[$0] == $1 }
    }
}

extension ReceiptContainer.Signer {
    /// `SignerInfo ::= SEQUENCE { version, identifier, digestAlgorithm, [0] signedAttributes, signatureAlgorithm,
    /// signature, [1] unsignedAttributes }`
    fileprivate init(
        _ members: BERReader, _ span: Span<UInt8>, _ bytes: ArraySlice<UInt8>, limits: ReceiptLimits
    ) throws(ReceiptError) {
        var reader = members
        let versionPosition = reader.position
        let version = try reader.version(span, allowed: [1, 3])
        if let key = try reader.nextIf(span, BERTag.contextPrimitive(0)) {
            guard version == 3 else { throw ReceiptError(.containerVersionUnsupported, offset: versionPosition) }
            identifier = .subjectKeyIdentifier(bytes.part(key.content))
        } else {
            guard version == 1 else { throw ReceiptError(.containerVersionUnsupported, offset: versionPosition) }
            var name = reader.inside(try reader.next(span, BERTag.sequence))
            let issuer = try name.next(span, BERTag.sequence)
            let serialNumber = try name.next(span, BERTag.integer)
            try name.finish()
            guard !serialNumber.content.isEmpty else {
                throw reader.failure(.encodingIntegerMalformed, at: serialNumber.start)
            }
            identifier = .issuerAndSerialNumber(
                issuer: bytes.part(issuer.range), serialNumber: bytes.part(serialNumber.content))
        }
        digestAlgorithm = try AlgorithmIdentifier(reading: &reader, span, of: bytes)
        let attributes = try reader.nextIf(span, BERTag.context(0))
        signedAttributes = attributes.map { bytes.part($0.content) }
        signatureAlgorithm = try AlgorithmIdentifier(reading: &reader, span, of: bytes)
        let string = try reader.next(span)
        (signature, _) = try reader.octets(span, of: string, in: bytes)
        if let unsigned = try reader.nextIf(span, BERTag.context(1)) {
            try reader.checkWellFormed(span, unsigned)
        }
        try reader.finish()
    }
}

extension BERReader {
    /// Reads a version number, which must be one of `allowed`.
    fileprivate mutating func version(_ span: Span<UInt8>, allowed: [UInt64]) throws(ReceiptError) -> UInt64 {
        let element = try next(span, BERTag.integer)
        guard let version = BERValue.unsigned(span, element.content) else {
            throw failure(.encodingIntegerMalformed, at: element.start)
        }
        guard allowed.contains(version) else {
            throw failure(.containerVersionUnsupported, at: element.start)
        }
        return version
    }
}
