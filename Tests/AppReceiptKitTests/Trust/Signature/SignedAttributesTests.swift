import AppReceiptKit
import AppReceiptTesting
import Testing

/// Valid signed attributes (rule 7 of THREAT_MODEL.md). No known receipt has any.
@Suite("SignedAttributes")
struct SignedAttributesTests {
    @Test("Signed attributes in DER pass", arguments: twins)
    func goodAttributesPass(_ rule: ReceiptVariant) throws { try rule.check() }

    private typealias Attributes = TestSigner.SignedAttributes
    private static let signingTime = Attributes.attribute(
        "1.2.840.113549.1.9.5", [DERWriter.element(0x17, Array("240702150405Z".utf8))])

    private static func attributes(_ change: (inout Attributes) -> Void) -> Attributes {
        var attributes = Attributes()
        change(&attributes)
        return attributes
    }

    private static func passes(_ name: String, _ change: @escaping @Sendable (inout Attributes) -> Void)
        -> ReceiptVariant
    {
        .passes(name) { $0.container = { $0.signers[0].signedAttributes = attributes(change) } }
    }

    static let twins: [ReceiptVariant] = [
        passes("with content type and message digest alone") { _ in },
        passes("with an attribute of 70 KB, whose length has three bytes") {
            $0.others = [
                Attributes.attribute("1.2.3.4", [DERWriter.octetString([UInt8](repeating: 0, count: 70_000))])
            ]
        },
        passes("with a signing time") { $0.others = [signingTime] },
        passes("with an unknown attribute of two values") {
            $0.others = [Attributes.attribute("1.2.3.4", [DERWriter.null, DERWriter.integer(5)])]
        },
        .passes("in a container with indefinite lengths") {
            $0.container = { container in
                container.encoding = .ber(pieces: 3)
                container.signers[0].signedAttributes = Attributes()
            }
        },
        .passes("with unsigned attributes beside them") {
            $0.container = { container in
                container.signers[0].signedAttributes = Attributes()
                container.signers[0].unsignedAttributes = [signingTime]
            }
        },
    ]
}
