import AppReceiptKit
import AppReceiptTesting
import Testing

@Suite("TestContainer")
struct TestContainerTests {
    private static func made(_ change: (inout TestContainer) throws -> Void = { _ in }) throws -> TestContainer {
        var container = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
        try change(&container)
        return container
    }

    private static func parsed(
        _ change: (inout TestContainer) throws -> Void = { _ in }
    ) throws -> ReceiptContainer {
        try ReceiptContainer(parsing: made(change).encoded())
    }

    @Test("The default has the form of App Store receipts")
    func defaults() throws {
        let container = try Self.parsed()
        #expect(Array(container.content) == TestReceipt().payload)
        #expect(container.contentOffset != nil)
        #expect(
            try container.certificates.map(Array.init) == [
                TestPKI.standard.signer.der(), TestPKI.standard.intermediate.der(), TestPKI.standard.root.der(),
            ])
        #expect(container.digestAlgorithms.map(\.description) == [TestDigest.sha256.objectIdentifier])
        #expect(container.signer.digestAlgorithm.description == TestDigest.sha256.objectIdentifier)
        #expect(container.signer.digestAlgorithm.parameters == .null)
        #expect(container.signer.signatureAlgorithm.description == "1.2.840.113549.1.1.1")
        #expect(container.signer.signedAttributes == nil)
        #expect(try TestReceipt().signed() == Self.made().encoded())
    }

    @Test("BER contains the same content in the given number of pieces", arguments: [1, 2, 5, 100])
    func ber(_ pieces: Int) throws {
        let bytes = try Self.made { $0.encoding = .ber(pieces: pieces) }.encoded()
        #expect(bytes.starts(with: [0x30, 0x80]))
        let container = try ReceiptContainer(parsing: bytes)
        #expect(Array(container.content) == TestReceipt().payload)
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        #expect(verifier.fault(in: bytes) == nil)
    }

    @Test("Every option of the signer is in the container")
    func signerOptions() throws {
        let container = try Self.parsed { container in
            container.digestAlgorithms = [TestAlgorithm("1.2.3", parameters: .absent), TestAlgorithm("1.2.4")]
            container.signers[0].usesSubjectKeyIdentifier = true
            container.signers[0].digestAlgorithm = TestAlgorithm("1.2.5", parameters: .other([0x02, 0x01, 0x07]))
            container.signers[0].signatureAlgorithm = TestAlgorithm("1.2.6", parameters: .absent)
            container.signers[0].signedAttributes = TestSigner.SignedAttributes()
            container.signers[0].signature = [1, 2, 3]
        }
        #expect(container.digestAlgorithms.map(\.description) == ["1.2.3", "1.2.4"])
        #expect(container.digestAlgorithms.map(\.parameters) == [.absent, .null])
        #expect(
            try container.signer.identifier
                == .subjectKeyIdentifier(TestPKI.standard.signer.subjectKeyIdentifier[...]))
        #expect(container.signer.digestAlgorithm.description == "1.2.5")
        #expect(container.signer.digestAlgorithm.parameters == .other([0x02, 0x01, 0x07]))
        #expect(container.signer.signatureAlgorithm.description == "1.2.6")
        #expect(container.signer.signedAttributes?.isEmpty == false)
        #expect(Array(container.signer.signature) == [1, 2, 3])
    }

    @Test("Signed attributes can have any order in the container, and only those in DER order are valid")
    func signedAttributes() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        var encodings: Set<[UInt8]> = []
        for isSorted in [true, false] {
            let made = try Self.made { container in
                container.signers[0].signedAttributes = TestSigner.SignedAttributes()
                container.signers[0].signedAttributes?.isSorted = isSorted
            }
            #expect(verifier.fault(in: try made.encoded()) == (isSorted ? nil : .signedAttributesMalformed))
            let parsed = try ReceiptContainer(parsing: made.encoded())
            encodings.insert(Array(parsed.signer.signedAttributes ?? []))
        }
        #expect(encodings.count == 2)
    }

    @Test("Every change to the structure produces its error")
    func brokenShapes() throws {
        func fault(_ change: (inout TestContainer) throws -> Void) throws -> ReceiptError.Code? {
            let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
            return verifier.fault(in: try Self.made(change).encoded())
        }
        #expect(try fault { _ in } == nil)
        #expect(try fault { $0.signers = [] } == .containerWithoutSigner)
        #expect(try fault { $0.certificates = [] } == .containerWithoutCertificates)
        #expect(try fault { $0.isDetached = true } == .containerContentMissing)
        #expect(try fault { $0.version = 9 } == .containerVersionUnsupported)
        #expect(try fault { $0.contentType = "1.2.3" } == .containerContentNotData)
        #expect(try fault { $0.containerType = "1.2.3" } == .containerNotSignedData)
        #expect(try fault { $0.revocationLists = [DERWriter.sequence([])] } == nil)
        #expect(try fault { $0.signers[0].unsignedAttributes = [DERWriter.sequence([])] } == nil)
        #expect(try fault { $0.signers[0].key = .untrusted } == .signatureInvalid)
        #expect(try fault { $0.signers[0].digest = .sha1 } == .signatureInvalid)
        #expect(try fault { $0.signers[0].version = 3 } == .containerVersionUnsupported)
    }
}
