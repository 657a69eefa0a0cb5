import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("VerifiedReceipt: stripped containers")
struct StrippedContainerTests {
    @Test("A verified receipt contains its original container in binary form")
    func container() throws {
        let testCase = ReceiptTestCase.with { testCase in testCase.container = { $0.encoding = .ber(pieces: 3) } }
        let bytes = try testCase.encoded()
        #expect(Array(try testCase.verified().container) == bytes)
        let verifier = try testCase.verifier()
        let texts = [
            Data(bytes).base64EncodedString(),
            "  \(Data(bytes).base64EncodedString(options: .lineLength64Characters))\n",
        ]
        for text in texts {
            let verified = try verifier.verify(Array(text.utf8), expecting: testCase.expectations, now: testCase.now)
            #expect(Array(verified.container) == bytes)
        }
    }

    @Test("Stripping a container in Apple's form removes only its root certificate")
    func appleForm() throws {
        let stripped = try ReceiptTestCase().verified().strippedContainer()
        let expected = ReceiptTestCase.with { testCase in testCase.container = { $0.certificates.removeLast() } }
        #expect(try stripped == expected.encoded())
    }

    @Test("A stripped container verifies to an equal receipt, and stripping it again changes nothing", arguments: forms)
    func verifiesToEqualReceipt(_ form: ReceiptVariant) throws {
        let testCase = try ReceiptTestCase.with(form.change)
        let verified = try testCase.verified()
        let stripped = verified.strippedContainer()
        let again = try testCase.verifier().verify(stripped, expecting: testCase.expectations, now: testCase.now)
        #expect(again == verified)
        #expect(again.hashValue == verified.hashValue)
        #expect(again.receipt.attributes == verified.receipt.attributes)
        #expect(again.creationDate == verified.creationDate)
        #expect(again.environment == verified.environment)
        #expect(again.signerCertificate == verified.signerCertificate)
        #expect(again.strippedContainer() == stripped)
        #expect(try stripped.count <= testCase.encoded().count)
        try Self.checkMinimal(stripped, certificates: testCase.isSignedByXcode ? 1 : 2)
    }

    @Test("A padded container strips to the same bytes as the container without padding", arguments: forms)
    func paddingIsDropped(_ form: ReceiptVariant) throws {
        let plain = try ReceiptTestCase.with(form.change)
        let verified = try plain.verified()
        let stripped = verified.strippedContainer()
        for padding in Self.paddings {
            let padded = try ReceiptTestCase.with { testCase in
                try form.change(&testCase)
                let change = testCase.container
                testCase.container = { container in
                    try change(&container)
                    try padding.change(&container, 4_000)
                }
            }
            let bytes = try padded.encoded()
            let result = try padded.verified()
            #expect(bytes.count > stripped.count, "\(padding.name)")
            #expect(result.strippedContainer() == stripped, "\(padding.name)")
            #expect(result == verified, "\(padding.name)")
            #expect(Array(result.container) == bytes, "\(padding.name)")
        }
    }

    @Test("A receipt of 5 KB that was padded to 950 KB is stored with 5 KB")
    func sizes() throws {
        for padding in Self.paddings.prefix(3) {
            let padded = ReceiptTestCase.with { testCase in
                testCase.container = { try padding.change(&$0, 950_000) }
            }
            #expect(try padded.encoded().count > 900_000, "\(padding.name)")
            #expect(try padded.verified().strippedContainer().count < 5_000, "\(padding.name)")
        }
    }

    @Test("Signed attributes are kept byte for byte")
    func signedAttributes() throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.container = { $0.signers[0].signedAttributes = TestSigner.SignedAttributes() }
        }
        let original = try ReceiptContainer(parsing: testCase.encoded()).signer
        let stripped = try ReceiptContainer(parsing: testCase.verified().strippedContainer()).signer
        #expect(original.signedAttributes != nil)
        #expect(stripped == original)
    }

    @Test("Encoding a forged container again with all of its certificates doesn't repair it", arguments: attacks)
    func encodingRepairsNothing(_ attack: Attack) throws {
        let testCase = try attack.testCase()
        guard let container = try? ReceiptContainer(parsing: testCase.encoded()) else { return }
        let bytes = container.encoded(certificates: container.certificates)
        let verifier = try testCase.verifier()
        let error = captured { () throws(ReceiptError) in
            try verifier.verify(bytes, expecting: testCase.expectations, now: testCase.now)
        }
        #expect(error?.code == attack.code)
    }

    /// The attacks on parts that are encoded again.
    private static let attacks = Attack.all.filter {
        [.container, .chain, .signature, .signedAttributes, .environment].contains($0.target)
    }

    /// Checks that the container consists of a version, one digest, the content, the certificates and one signer.
    static func checkMinimal(
        _ bytes: [UInt8], certificates: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let tree = try #require(DERTree(bytes), sourceLocation: sourceLocation)
        #expect(tree.encoded == bytes, sourceLocation: sourceLocation)
        let signedData = tree.children[1].children[0]
        #expect(signedData.children.map(\.tag) == [0x02, 0x31, 0x30, 0xA0, 0x31], sourceLocation: sourceLocation)
        #expect(signedData.children[1].children.count == 1, sourceLocation: sourceLocation)
        let content = signedData.children[2].children[1].children
        #expect(content.map(\.tag) == [0x04], sourceLocation: sourceLocation)
        #expect(signedData.children[3].children.count == certificates, sourceLocation: sourceLocation)
        #expect(signedData.children[4].children.count == 1, sourceLocation: sourceLocation)
        #expect(
            !signedData.children[4].children[0].children.contains { $0.tag == 0xA1 }, sourceLocation: sourceLocation)
    }

    // MARK: Containers

    private static func signed(by pki: TestPKI, at date: String) -> @Sendable (inout ReceiptTestCase) throws -> Void {
        { testCase in
            testCase.pki = pki
            testCase.receipt.creationDate = instant(date)
        }
    }

    static let forms: [ReceiptVariant] = [
        .passes("DER") { _ in },
        .passes("SHA-1", signed(by: .sha1, at: "2017-01-01T00:00:00Z")),
        .passes(
            "SHA-384",
            signed(by: .standard.with { $0.signer.digest = .sha384 }, at: "2024-01-01T00:00:00Z")),
        .passes("SHA-512", signed(by: .large, at: "2024-01-01T00:00:00Z")),
        .passes("an elliptic chain", signed(by: .elliptic, at: "2024-01-01T00:00:00Z")),
        .passes("a signature algorithm with a digest") {
            $0.container = { $0.signers[0].signatureAlgorithm = TestAlgorithm(key: .rsa, digest: .sha256) }
        },
        .passes("indefinite lengths") { $0.container = { $0.encoding = .ber(pieces: 1) } },
        .passes("content in seven pieces") { $0.container = { $0.encoding = .ber(pieces: 7) } },
        .passes("no root certificate") { $0.container = { $0.certificates.removeLast() } },
        .passes("certificates in another order") { $0.container = { $0.certificates.reverse() } },
        .passes("a subject key identifier") { $0.container = { $0.signers[0].usesSubjectKeyIdentifier = true } },
        .passes("signed attributes") {
            $0.container = { $0.signers[0].signedAttributes = TestSigner.SignedAttributes() }
        },
        .passes("algorithms without parameters") {
            $0.container = { container in
                container.signers[0].digestAlgorithm.parameters = .absent
                container.signers[0].signatureAlgorithm.parameters = .absent
            }
        },
        .passes("a hundred purchases") { testCase in
            testCase.receipt.purchases = (1...100).map {
                TestPurchase("com.example.pro", transaction: "\($0)", at: testCase.receipt.creationDate)
            }
        },
        .passes("Xcode's form") { $0 = try $0.likeXcode() },
    ]

    /// An addition to a container that doesn't invalidate its signature.
    struct Padding: Sendable {
        let name: String
        /// Adds about this many bytes, as far as the container leaves room for them.
        let change: @Sendable (inout TestContainer, _ size: Int) throws -> Void
    }

    private static func noise(_ size: Int) -> [UInt8] { DERWriter.octetString([UInt8](repeating: 0x5A, count: size)) }

    static let paddings: [Padding] = [
        Padding(name: "an unsigned attribute") { container, size in
            container.signers[0].unsignedAttributes = [
                TestSigner.SignedAttributes.attribute("1.2.3.4", [noise(size)])
            ]
        },
        Padding(name: "a revocation list") { container, size in
            container.revocationLists = [DERWriter.sequence([noise(size)])]
        },
        Padding(name: "empty pieces of content") { container, size in
            let empty = [[UInt8]](repeating: DERWriter.octetString([]), count: size / 2)
            container.contentElement = DERWriter.element(
                0x24, Array(empty.joined()) + DERWriter.octetString(container.content))
        },
        Padding(name: "content in pieces of one byte") { container, _ in
            container.contentElement = DERWriter.indefinite(
                0x24, Array(container.content.map { DERWriter.octetString([$0]) }.joined()))
        },
        Padding(name: "a length with leading zeros") { container, _ in
            let count = container.content.count
            let length = (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
            container.contentElement = [0x04, 0x88] + length + container.content
        },
        Padding(name: "foreign certificates") { container, _ in
            container.certificates.insert(try TestPKI.impostor.root.der(), at: 0)
            container.certificates.append(try TestPKI.impostor.intermediate.der())
        },
        Padding(name: "duplicate certificates") { container, _ in container.certificates += container.certificates },
        Padding(name: "sixteen copies of the digest, and another version") { container, _ in
            let algorithm = container.signers[0].digestAlgorithm
            container.digestAlgorithms = (0..<16).map { number in
                TestAlgorithm(algorithm.objectIdentifier, parameters: number % 2 == 0 ? .null : .absent)
            }
            container.version = 5
        },
    ]
}
