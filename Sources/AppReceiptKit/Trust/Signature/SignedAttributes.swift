import AppReceiptParsing
import AppReceiptSupport
import SwiftASN1

/// The signed attributes of a signer (RFC 5652, sections 5.3, 5.4 and 11). No known receipt has any.
struct SignedAttributes {
    /// The signed bytes: the attributes as a SET OF (RFC 5652, section 5.4). In the container they have another tag.
    let toBeSigned: [UInt8]
    /// The value of the content type attribute.
    private let contentType: ArraySlice<UInt8>?
    /// The value of the message digest attribute.
    private let messageDigest: ArraySlice<UInt8>?

    // 1.2.840.113549.1.9.3 and .4
    private static let contentTypeIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
    private static let messageDigestIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04]

    private static let ownCodes: [ReceiptError.Code] = [
        .signedAttributesMalformed, .signedAttributeDuplicate, .signedAttributeMultipleValues,
    ]

    /// - Parameters:
    ///   - octets: The content of the attributes as encoded in the container.
    ///   - origin: Their offset in the container.
    init(_ octets: ArraySlice<UInt8>, origin: Int, limits: ReceiptLimits) throws(ReceiptError) {
        // Before the signature is verified, anybody can make them large. Real signers' have less than 1 KB.
        guard octets.count <= 131_072 else {
            throw ReceiptError(
                .signedAttributesMalformed, offset: origin, "The signed attributes have more than 131,072 bytes.")
        }
        toBeSigned = DERElement.encode(BERTag.set, containing: octets)
        // RFC 5652, 5.3: the attributes are DER, even in a container that isn't. Otherwise another parser could read
        // other attributes under the same signature.
        guard let set = try? DER.parse(toBeSigned),
            (try? DER.lazySet(of: ASN1Any.self, identifier: .set, rootNode: set)) != nil
        else { throw ReceiptError(.signedAttributesMalformed, offset: origin, "The signed attributes aren't DER.") }
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
    /// Returns the only value in a set of values.
    fileprivate func only(_ tag: UInt8, in span: Span<UInt8>) throws(ReceiptError) -> BERElement {
        var values = self
        let value = try values.next(tag, in: span)
        try values.finish(.signedAttributeMultipleValues)
        return value
    }
}
