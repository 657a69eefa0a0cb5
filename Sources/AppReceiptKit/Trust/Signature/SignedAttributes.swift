import AppReceiptParsing
import AppReceiptSupport

/// The signed attributes of a signer (RFC 5652, sections 5.3, 5.4 and 11). No known receipt has any.
struct SignedAttributes {
    /// The signed bytes: the attributes as a DER SET OF, regardless of their encoding in the container.
    let toBeSigned: [UInt8]
    /// The value of the content type attribute.
    private let contentType: ArraySlice<UInt8>?
    /// The value of the message digest attribute.
    private let messageDigest: ArraySlice<UInt8>?

    // 1.2.840.113549.1.9.3 and .4
    private static let contentTypeIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
    private static let messageDigestIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04]

    private static let ownCodes: [ReceiptError.Code] = [.signedAttributeDuplicate, .signedAttributeMultipleValues]

    /// The maximum size, because the attributes are re-encoded before the signature is verified. Real signers need much
    /// less.
    private static let maxBytes = 16 << 10

    /// - Parameters:
    ///   - octets: The content of the attributes as encoded in the container.
    ///   - origin: Their offset in the container.
    init(_ octets: ArraySlice<UInt8>, origin: Int, limits: ReceiptLimits) throws(ReceiptError) {
        guard octets.count <= Self.maxBytes else {
            throw ReceiptError(
                .signedAttributesMalformed, offset: origin,
                "The signed attributes are larger than \(Self.maxBytes) bytes.")
        }
        let span = octets.span
        var reader = BERReader(0..<span.count, check: .signature, limits: limits, origin: origin)
        var contentType: ArraySlice<UInt8>?
        var messageDigest: ArraySlice<UInt8>?
        var seen: [ArraySlice<UInt8>] = []
        do throws(ReceiptError) {
            while !reader.isAtEnd {
                let attribute = try reader.next(BERTag.sequence, in: span)
                var members = reader.inside(attribute)
                let identifier = try members.next(BERTag.objectIdentifier, in: span)
                guard BERValue.isObjectIdentifier(in: span, at: identifier.content) else {
                    throw members.failure(.encodingObjectIdentifierMalformed, at: identifier.start)
                }
                let type = octets.part(identifier.content)
                let values = try members.next(BERTag.set, in: span)
                try members.finish()
                guard !seen.contains(type) else { throw ReceiptError(.signedAttributeDuplicate) }
                // Each attribute is compared with every other. Real signers have far fewer.
                guard seen.count < 64 else { throw reader.failure(.encodingTooManyNodes, at: attribute.start) }
                seen.append(type)
                if type.elementsEqual(Self.contentTypeIdentifier) {
                    let value = try members.inside(values).only(BERTag.objectIdentifier, in: span)
                    contentType = octets.part(value.content)
                } else if type.elementsEqual(Self.messageDigestIdentifier) {
                    let value = try members.inside(values).only(BERTag.octetString, in: span)
                    messageDigest = octets.part(value.content)
                }
            }
            toBeSigned = try DistinguishedEncoding.set(of: octets, origin: origin, limits: limits)
        } catch {
            guard error.check != .signature || !Self.ownCodes.contains(error.code) else { throw error }
            throw ReceiptError(
                .signedAttributesMalformed, offset: error.offset,
                "The signed attributes are malformed: \(error.message)")
        }
        self.contentType = contentType
        self.messageDigest = messageDigest
    }

    /// Checks that both attributes are present and correct.
    func check(content: ArraySlice<UInt8>, digest: DigestAlgorithm) throws(ReceiptError) {
        guard let contentType else { throw ReceiptError(.contentTypeAttributeMissing) }
        guard contentType.elementsEqual(ContentType.data) else { throw ReceiptError(.contentTypeAttributeWrong) }
        guard let messageDigest else { throw ReceiptError(.messageDigestAttributeMissing) }
        guard messageDigest.elementsEqual(digest.digest(of: content)) else {
            throw ReceiptError(.messageDigestMismatch)
        }
    }
}

extension BERReader {
    /// The only value in a set of values.
    fileprivate func only(_ tag: UInt8, in span: Span<UInt8>) throws(ReceiptError) -> BERElement {
        var values = self
        let value = try values.next(tag, in: span)
        try values.finish(.signedAttributeMultipleValues)
        return value
    }
}

/// Converts BER to DER (X.690, section 10): shortest definite lengths, primitive octet strings, sorted sets.
enum DistinguishedEncoding {
    /// Returns the SET OF the elements in `octets`, as DER.
    static func set(
        of octets: ArraySlice<UInt8>, origin: Int = 0, limits: ReceiptLimits
    ) throws(ReceiptError) -> [UInt8] {
        let reader = BERReader(0..<octets.count, check: .signature, limits: limits, origin: origin)
        var encoder = Encoder(octets: octets, limits: limits)
        return try encoder.constructed(BERTag.set, members: reader, depth: 0)
    }

    /// Re-encodes elements recursively, up to `ReceiptLimits.maxDepth` and never more than 64 levels.
    private struct Encoder {
        let octets: ArraySlice<UInt8>
        let limits: ReceiptLimits
        var nodes = 0

        mutating func constructed(
            _ tag: UInt8, members: BERReader, depth: Int
        ) throws(ReceiptError) -> [UInt8] {
            guard depth < min(limits.maxDepth, 64) else {
                throw members.failure(.encodingTooDeep, at: members.position)
            }
            var members = members
            var parts: [[UInt8]] = []
            while !members.isAtEnd {
                let element = try members.next(in: octets.span)
                nodes += 1
                guard nodes <= limits.maxNodes else {
                    throw members.failure(.encodingTooManyNodes, at: element.start)
                }
                if element.tag == BERTag.constructedOctetString {
                    let joined = try members.octets(of: element, in: octets).octets
                    parts.append(DERElement.encode(BERTag.octetString, containing: joined))
                } else if element.isConstructed {
                    let inner = members.inside(element)
                    parts.append(try constructed(element.tag, members: inner, depth: depth + 1))
                } else {
                    parts.append(DERElement.encode(element.tag, containing: octets.part(element.content)))
                }
            }
            // X.690, 11.6: members of a SET OF are sorted as octet strings. No encoding is a prefix of another.
            if tag == BERTag.set { parts.sort { $0.lexicographicallyPrecedes($1) } }
            return DERElement.encode(tag, containing: parts.flatMap(\.self))
        }
    }
}
