import AppReceiptParsing
import AppReceiptTesting
import Testing

@Suite("Encoding containers")
struct ReceiptContainerEncodingTests {
    @Test("A container with one certificate, no attributes and no revocation lists is encoded unchanged")
    func unchanged() throws(ReceiptError) {
        let bytes = ContainerParts().bytes
        let container = try ReceiptContainer(parsing: bytes)
        #expect(container.encoded(certificates: container.certificates) == bytes)
    }

    @Test("Revocation lists and unsigned attributes are dropped")
    func ignoredParts() throws(ReceiptError) {
        let signer = SignerParts().with { $0.unsignedAttributes = DERWriter.context(1, DERWriter.null) }
        let parts = ContainerParts().with {
            $0.revocationLists = DERWriter.context(1, DERWriter.null)
            $0.signers = DERWriter.set([signer.element])
        }
        let container = try ReceiptContainer(parsing: parts.bytes)
        #expect(container.encoded(certificates: container.certificates) == ContainerParts().bytes)
    }

    @Test("Only the given certificates are encoded, in the given order")
    func certificates() throws(ReceiptError) {
        let first = DERWriter.sequence([DERWriter.integer(1)])
        let second = DERWriter.sequence([DERWriter.integer(2)])
        let parts = ContainerParts().with {
            $0.certificates = DERWriter.context(0, first + ContainerParts.certificate + second)
        }
        let container = try ReceiptContainer(parsing: parts.bytes)
        let kept = [container.certificates[2], container.certificates[0]]
        let encoded = try ReceiptContainer(parsing: container.encoded(certificates: kept))
        #expect(encoded.certificates.map(Array.init) == [second, first])
    }

    @Test("All other parts are unchanged", arguments: changes)
    func parts(_ change: Change) throws(ReceiptError) {
        let container = try ReceiptContainer(parsing: ContainerParts().with(change.change).bytes)
        let bytes = container.encoded(certificates: container.certificates)
        let again = try ReceiptContainer(parsing: bytes)
        #expect(again.content == container.content)
        #expect(again.contentOffset != nil)
        #expect(again.digestAlgorithms == container.digestAlgorithms)
        #expect(again.certificates == container.certificates)
        #expect(again.signer == container.signer)
        #expect(again.encoded(certificates: again.certificates) == bytes)
    }

    @Test("A digest algorithm that is listed with and without NULL parameters is encoded once")
    func digests() throws(ReceiptError) {
        let withNull = DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.2.1"), DERWriter.null])
        let other = DERWriter.sequence([DERWriter.objectIdentifier("1.3.14.3.2.26")])
        let parts = ContainerParts().with {
            $0.digestAlgorithms = DERWriter.set([withNull, other, ContainerParts.sha256, withNull, other])
        }
        let container = try ReceiptContainer(parsing: parts.bytes)
        let encoded = try ReceiptContainer(parsing: container.encoded(certificates: container.certificates))
        #expect(encoded.digestAlgorithms.map(\.description).sorted() == ["1.3.14.3.2.26", "2.16.840.1.101.3.4.2.1"])
        #expect(encoded.digestAlgorithms.allSatisfy { $0.parameters == .absent })
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let change: @Sendable (inout ContainerParts) -> Void

        var testDescription: String { name }

        static func signer(_ name: String, _ change: @escaping @Sendable (inout SignerParts) -> Void) -> Change {
            Change(name: name) { $0.signers = DERWriter.set([SignerParts().with(change).element]) }
        }
    }

    static let changes: [Change] = [
        Change(name: "empty content") { $0 = ContainerParts(content: DERWriter.octetString([])) },
        Change(name: "content in two pieces") {
            $0 = ContainerParts(
                content: DERWriter.indefinite(0x24, DERWriter.octetString([0x31]) + DERWriter.octetString([0x00])))
        },
        Change(name: "content without pieces") { $0 = ContainerParts(content: DERWriter.element(0x24, [])) },
        Change(name: "64 KB of content") {
            $0 = ContainerParts(content: DERWriter.octetString([UInt8](repeating: 1, count: 65_536)))
        },
        Change(name: "no digests") { $0.digestAlgorithms = DERWriter.set([]) },
        .signer("a digest with other parameters") {
            $0.digestAlgorithm = DERWriter.sequence([DERWriter.objectIdentifier("1.2.3"), DERWriter.integer(7)])
        },
        .signer("a subject key identifier") {
            $0.version = DERWriter.integer(3)
            $0.identifier = DERWriter.element(0x80, [1, 2, 3])
        },
        .signer("signed attributes that aren't DER") {
            $0.signedAttributes = DERWriter.context(0, DERWriter.indefinite(0x30, DERWriter.null))
        },
        .signer("empty signed attributes") { $0.signedAttributes = DERWriter.context(0, []) },
        .signer("a signature in two pieces") {
            $0.signature = DERWriter.element(0x24, DERWriter.octetString([1]) + DERWriter.octetString([2]))
        },
        .signer("a serial number with a sign byte") {
            $0.identifier = DERWriter.sequence([SignerParts.issuer, DERWriter.element(0x02, [0x00, 0xFF])])
        },
    ]
}
