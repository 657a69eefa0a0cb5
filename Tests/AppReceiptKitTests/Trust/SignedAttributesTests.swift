import AppReceiptKit
import AppReceiptTesting
import Testing

/// Rule of trust 7: signed attributes, which no receipt has had so far.
@Suite("SignedAttributes")
struct SignedAttributesTests {
    @Test("signed attributes in any order pass", arguments: twins)
    func goodAttributesPass(_ rule: Rule) throws { try rule.check() }

    @Test("content type and message digest must be there once and right", arguments: refusals)
    func badAttributesAreRefused(_ rule: Rule) throws { try rule.check() }

    @Test("what was signed as attributes is no payload when they are taken for the content")
    func attributesAreNoContent() throws {
        // The signature over the attributes is also one over content that equals them.
        try Rule.refused("attributes as content", .encodingUnexpectedTag, stage: .payload) {
            $0.container = { container in
                let digest = TestDigest.sha256.digest(of: container.content)
                container.content = DERWriter.set([
                    Attributes.attribute(Self.contentType, [Self.data]),
                    Attributes.attribute(Self.messageDigest, [DERWriter.octetString(digest)]),
                ])
            }
        }.check()
    }

    private typealias Attributes = TestSigner.SignedAttributes
    private static let contentType = "1.2.840.113549.1.9.3"
    private static let messageDigest = "1.2.840.113549.1.9.4"
    private static let signingTime = Attributes.attribute(
        "1.2.840.113549.1.9.5", [DERWriter.element(0x17, Array("240702150405Z".utf8))])
    private static let data = DERWriter.objectIdentifier("1.2.840.113549.1.7.1")

    private static func attributes(_ change: (inout Attributes) -> Void) -> Attributes {
        var attributes = Attributes()
        change(&attributes)
        return attributes
    }

    private static func refused(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (inout Attributes) -> Void
    ) -> Rule {
        .refused(name, code) { $0.container = { $0.signers[0].signedAttributes = attributes(change) } }
    }

    private static func passes(_ name: String, _ change: @escaping @Sendable (inout Attributes) -> Void) -> Rule {
        .passes(name) { $0.container = { $0.signers[0].signedAttributes = attributes(change) } }
    }

    static let twins: [Rule] = [
        passes("in DER order") { _ in },
        passes("in another order") { $0.isSorted = false },
        passes("with an attribute of 15 KiB") {
            $0.others = [
                Attributes.attribute("1.2.3.4", [DERWriter.octetString([UInt8](repeating: 0, count: 15 << 10))])
            ]
        },
        passes("with a signing time") { $0.others = [signingTime] },
        passes("with a signing time, in another order") {
            $0.others = [signingTime]
            $0.isSorted = false
        },
        passes("with an attribute that nobody knows, of two values") {
            $0.others = [Attributes.attribute("1.2.3.4", [DERWriter.null, DERWriter.integer(5)])]
        },
        .passes("in a container with indefinite lengths") {
            $0.container = { container in
                container.encoding = .ber(pieces: 3)
                container.signers[0].signedAttributes = attributes { $0.isSorted = false }
            }
        },
        .passes("with unsigned attributes beside them") {
            $0.container = { container in
                container.signers[0].signedAttributes = Attributes()
                container.signers[0].unsignedAttributes = [signingTime]
            }
        },
    ]

    static let refusals: [Rule] = [
        refused("no content type", .contentTypeAttributeMissing) { $0.contentType = nil },
        refused("more than any signer has", .signedAttributesMalformed) {
            $0.others = [
                Attributes.attribute("1.2.3.4", [DERWriter.octetString([UInt8](repeating: 0, count: 16 << 10))])
            ]
        },
        refused("another content type", .contentTypeAttributeWrong) { $0.contentType = "1.2.840.113549.1.7.2" },
        refused("no message digest", .messageDigestAttributeMissing) { $0.messageDigest = .none },
        refused("neither", .contentTypeAttributeMissing) {
            $0.contentType = nil
            $0.messageDigest = .none
        },
        refused("another message digest", .messageDigestMismatch) {
            $0.messageDigest = .other([UInt8](repeating: 0, count: 32))
        },
        refused("a message digest of another length", .messageDigestMismatch) { $0.messageDigest = .other([]) },
        .refused("the right message digest, cut", .messageDigestMismatch) {
            $0.container = { container in
                let digest = TestDigest.sha256.digest(of: container.content)
                container.signers[0].signedAttributes = attributes { $0.messageDigest = .other(digest.dropLast()) }
            }
        },
        refused("the content type twice", .signedAttributeDuplicate) {
            $0.others = [Attributes.attribute(contentType, [data])]
        },
        .refused("the message digest twice", .signedAttributeDuplicate) {
            $0.container = { container in
                let digest = TestDigest.sha256.digest(of: container.content)
                container.signers[0].signedAttributes = attributes {
                    $0.others = [Attributes.attribute(messageDigest, [DERWriter.octetString(digest)])]
                }
            }
        },
        refused("another attribute twice", .signedAttributeDuplicate) { $0.others = [signingTime, signingTime] },
        refused("a content type of two values", .signedAttributeMultipleValues) {
            $0.contentType = nil
            $0.others = [Attributes.attribute(contentType, [data, data])]
        },
        .refused("a message digest of two values", .signedAttributeMultipleValues) {
            $0.container = { container in
                let digest = TestDigest.sha256.digest(of: container.content)
                container.signers[0].signedAttributes = attributes {
                    $0.messageDigest = .none
                    $0.others = [
                        Attributes.attribute(
                            messageDigest,
                            [DERWriter.octetString(digest), DERWriter.octetString([UInt8](repeating: 0, count: 32))])
                    ]
                }
            }
        },
        refused("a content type without value", .signedAttributesMalformed) {
            $0.contentType = nil
            $0.others = [Attributes.attribute(contentType, [])]
        },
        refused("a message digest that is no octet string", .signedAttributesMalformed) {
            $0.messageDigest = .none
            $0.others = [Attributes.attribute(messageDigest, [DERWriter.integer(5)])]
        },
        refused("an attribute that is no sequence", .signedAttributesMalformed) { $0.others = [DERWriter.null] },
        refused("an attribute with something left over", .signedAttributesMalformed) {
            $0.others = [DERWriter.sequence([DERWriter.objectIdentifier("1.2.3"), DERWriter.set([]), DERWriter.null])]
        },
        .refused("a signature over the content in spite of attributes", .signatureInvalid) {
            $0.container = { container in
                container.signers[0].signedAttributes = Attributes()
                container.signers[0].signature = try TestKey.signer.signature(over: container.content, .sha256)
            }
        },
        .refused("a signature over attributes that are no longer there", .signatureInvalid) {
            $0.container = { container in
                let signed = DERWriter.set([
                    Attributes.attribute(contentType, [data]),
                    Attributes.attribute(
                        messageDigest, [DERWriter.octetString(TestDigest.sha256.digest(of: container.content))]),
                ])
                container.signers[0].signature = try TestKey.signer.signature(over: signed, .sha256)
            }
        },
        .refused("a signature over the attributes as they stand on the wire", .signatureInvalid) {
            $0.container = { container in
                let members = [
                    Attributes.attribute(
                        messageDigest, [DERWriter.octetString(TestDigest.sha256.digest(of: container.content))]),
                    Attributes.attribute(contentType, [data]),
                ]
                container.signers[0].signedAttributes = attributes { $0.isSorted = false }
                container.signers[0].signature = try TestKey.signer.signature(
                    over: DERWriter.set(members, sorted: false), .sha256)
            }
        },
        .refused("attributes under a signature that is altered", .signatureInvalid) {
            $0.container = { container in
                container.signers[0].signedAttributes = Attributes()
                container.signers[0].signature = [UInt8](repeating: 1, count: 256)
            }
        },
    ]
}
