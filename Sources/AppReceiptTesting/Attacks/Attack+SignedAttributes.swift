import AppReceiptKit

// Rule 7 of THREAT_MODEL.md: signed attributes. No genuine receipt has had any so far.

extension Attack {
    static let signedAttributes: [Case] = [
        of("no content type", code: .contentTypeAttributeMissing) { $0.contentType = nil },
        of("another content type", code: .contentTypeAttributeWrong) { $0.contentType = "1.2.840.113549.1.7.2" },
        of("no message digest", code: .messageDigestAttributeMissing) { $0.messageDigest = .omitted },
        of("neither content type nor message digest", code: .contentTypeAttributeMissing) {
            $0.contentType = nil
            $0.messageDigest = .omitted
        },
        of("another message digest", code: .messageDigestMismatch) {
            $0.messageDigest = .other([UInt8](repeating: 0, count: 32))
        },
        of("a message digest of another length", code: .messageDigestMismatch) { $0.messageDigest = .other([]) },
        container("the right message digest, truncated", code: .messageDigestMismatch) { container in
            let digest = TestDigest.sha256.digest(of: container.content)
            container.signers[0].signedAttributes = attributes { $0.messageDigest = .other(digest.dropLast()) }
        },
        of("the content type twice", code: .signedAttributeDuplicate) {
            $0.others = [Attributes.attribute(contentType, [data])]
        },
        container("the message digest twice", code: .signedAttributeDuplicate) { container in
            let digest = TestDigest.sha256.digest(of: container.content)
            container.signers[0].signedAttributes = attributes {
                $0.others = [Attributes.attribute(messageDigest, [DERWriter.octetString(digest)])]
            }
        },
        of("another attribute twice", code: .signedAttributeDuplicate) { $0.others = [signingTime, signingTime] },
        of("a content type with two values", code: .signedAttributeMultipleValues) {
            $0.contentType = nil
            $0.others = [Attributes.attribute(contentType, [data, data])]
        },
        container("a message digest with two values", code: .signedAttributeMultipleValues) { container in
            let digest = TestDigest.sha256.digest(of: container.content)
            container.signers[0].signedAttributes = attributes {
                $0.messageDigest = .omitted
                $0.others = [
                    Attributes.attribute(
                        messageDigest,
                        [DERWriter.octetString(digest), DERWriter.octetString([UInt8](repeating: 0, count: 32))])
                ]
            }
        },
        of("a content type without a value", code: .signedAttributesMalformed) {
            $0.contentType = nil
            $0.others = [Attributes.attribute(contentType, [])]
        },
        of("a message digest that isn't an octet string", code: .signedAttributesMalformed) {
            $0.messageDigest = .omitted
            $0.others = [Attributes.attribute(messageDigest, [DERWriter.integer(5)])]
        },
        of("sixty-five attributes", code: .signedAttributesMalformed) {
            $0.others = (0..<63).map { Attributes.attribute("1.2.3.\($0)", [DERWriter.null]) }
        },
        of("an attribute with an empty identifier", code: .signedAttributesMalformed) {
            $0.others = [DERWriter.sequence([DERWriter.element(0x06, []), DERWriter.set([])])]
        },
        of("a second message digest under the identifier in a longer form", code: .signedAttributesMalformed) {
            let identifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x80, 0x09, 0x04]
            $0.others = [
                DERWriter.sequence([
                    DERWriter.element(0x06, identifier), DERWriter.set([DERWriter.octetString([1])]),
                ])
            ]
        },
        of("an attribute that isn't a sequence", code: .signedAttributesMalformed) { $0.others = [DERWriter.null] },
        of("an attribute with an extra member", code: .signedAttributesMalformed) {
            $0.others = [DERWriter.sequence([DERWriter.objectIdentifier("1.2.3"), DERWriter.set([]), DERWriter.null])]
        },
        of("an attribute with 131,072 bytes", code: .signedAttributesMalformed) {
            $0.others = [Attributes.attribute("1.2.3", [DERWriter.octetString([UInt8](repeating: 0, count: 131_072))])]
        },
        of("an attribute with an indefinite length", code: .signedAttributesMalformed) {
            $0.others = [DERWriter.indefinite(0x30, DERWriter.objectIdentifier("1.2.3") + DERWriter.set([]))]
        },
        of("an attribute with a length in a longer form", code: .signedAttributesMalformed) {
            $0.others = [[0x30, 0x81, 0x06] + DERWriter.objectIdentifier("1.2.3") + DERWriter.set([])]
        },
        of("an attribute whose value isn't an element", code: .signedAttributesMalformed) {
            $0.others = [
                DERWriter.sequence([
                    DERWriter.objectIdentifier("1.2.3"), DERWriter.element(0x31, [0x04, 0x7F, 0x00]),
                ])
            ]
        },
        of("an attribute with sixty nested values", code: .signedAttributesMalformed) {
            let value = (0..<60).reduce(DERWriter.null) { inner, _ in DERWriter.sequence([inner]) }
            $0.others = [Attributes.attribute("1.2.3", [value])]
        },
        container("a signature over attributes in another order than DER's", code: .signedAttributesMalformed) {
            container in
            let members = [
                Attributes.attribute(
                    messageDigest, [DERWriter.octetString(TestDigest.sha256.digest(of: container.content))]),
                Attributes.attribute(contentType, [data]),
            ]
            container.signers[0].signedAttributes = attributes { $0.isSorted = false }
            container.signers[0].signature = try TestKey.signer.signature(
                for: DERWriter.set(members, sorted: false), digest: .sha256)
        },
        container("attributes with an altered signature", code: .signatureInvalid) { container in
            container.signers[0].signedAttributes = Attributes()
            container.signers[0].signature = [UInt8](repeating: 1, count: 256)
        },

        container("signed attributes replayed as content", code: .encodingUnexpectedTag, check: .payload) {
            $0.content = replayed(TestDigest.sha256.digest(of: $0.content))
        },
    ]

    /// Returns the bytes that a signature over signed attributes covers.
    private static func replayed(_ digest: [UInt8]) -> [UInt8] {
        DERWriter.set([
            Attributes.attribute(contentType, [data]),
            Attributes.attribute(messageDigest, [DERWriter.octetString(digest)]),
        ])
    }

    private typealias Attributes = TestSigner.SignedAttributes
    private static let contentType = "1.2.840.113549.1.9.3"
    private static let messageDigest = "1.2.840.113549.1.9.4"
    private static let data = DERWriter.objectIdentifier("1.2.840.113549.1.7.1")
    private static let signingTime = Attributes.attribute(
        "1.2.840.113549.1.9.5", [DERWriter.element(0x17, Array("240702150405Z".utf8))])

    private static func attributes(_ change: (inout Attributes) -> Void) -> Attributes {
        var attributes = Attributes()
        change(&attributes)
        return attributes
    }

    /// Creates an attack on signed attributes. The twin has valid signed attributes.
    private static func of(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable (inout Attributes) -> Void
    ) -> Case {
        Case(
            name, code: code,
            twin: { $0.container = { $0.signers[0].signedAttributes = Attributes() } },
            harm: { $0.container = { $0.signers[0].signedAttributes = attributes(change) } })
    }
}
