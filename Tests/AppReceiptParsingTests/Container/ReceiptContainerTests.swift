import AppReceiptParsing
import AppReceiptTesting
import Foundation
import Testing

@Suite("Parsing containers")
struct ReceiptContainerTests {
    private func parse(_ bytes: [UInt8], limits: ReceiptLimits = .default) throws(ReceiptError) -> ReceiptContainer {
        try ReceiptContainer(parsing: bytes, limits: limits)
    }

    private func parse(_ parts: ContainerParts) throws(ReceiptError) -> ReceiptContainer { try parse(parts.bytes) }

    /// Parses a container with changed parts.
    private func changed(_ change: (inout ContainerParts) -> Void) throws(ReceiptError) -> ReceiptContainer {
        try parse(ContainerParts().with(change))
    }

    /// Parses a container with a changed signer.
    private func changedSigner(_ change: (inout SignerParts) -> Void) throws(ReceiptError) -> ReceiptContainer {
        try changed { $0.signers = DERWriter.set([SignerParts().with(change).element]) }
    }

    // MARK: Contents

    @Test("A receipt's container has content, certificates, a digest and a signer")
    func parts() throws {
        let receipt = TestReceipt()
        let pki = TestPKI.standard
        let bytes = try receipt.signed(by: pki)
        let container = try parse(bytes)
        #expect(Array(container.bytes) == bytes)
        #expect(Array(container.content) == receipt.payload)
        #expect(container.contentOffset == bytes.position(of: receipt.payload))
        #expect(
            try container.certificates.map(Array.init) == [
                pki.signer.der(), pki.intermediate.der(), pki.root.der(),
            ])
        #expect(container.digestAlgorithms.map(\.description) == ["2.16.840.1.101.3.4.2.1"])
        #expect(container.signer.digestAlgorithm == container.digestAlgorithms.first)
        #expect(container.signer.digestAlgorithm.parameters == .null)
        #expect(container.signer.signatureAlgorithm.description == "1.2.840.113549.1.1.1")
        #expect(container.signer.signature.count == 256)
        #expect(container.signer.signedAttributes == nil)
        guard case .issuerAndSerialNumber(let issuer, let serialNumber) = container.signer.identifier else {
            Issue.record("The signer isn't identified by issuer and serial number.")
            return
        }
        #expect(issuer.first == BERTag.sequence)
        #expect(try pki.signer.der().position(of: Array(issuer)) != nil)
        #expect(Array(serialNumber) == [0x15, 0xE7, 0x9F, 0xCE, 0x52, 0x55, 0x0A, 0x65])
    }

    @Test("A container is read from every form of a receipt, and its description contains no bytes of it")
    func forms() throws {
        let receipt = try TestReceipt().signed()
        let container = try parse(receipt)
        #expect(try ReceiptContainer(parsing: Data(receipt)) == container)
        #expect(try ReceiptContainer(parsing: Data(receipt).base64EncodedData()) == container)
        #expect(try ReceiptContainer(parsing: Array(Data(receipt).base64EncodedString().utf8)) == container)
        #expect(
            container.description
                == "ReceiptContainer(\(receipt.count) bytes: content of \(container.content.count) bytes, 3 certificates)"
        )
        #expect(try ReceiptInput(receipt).description == "ReceiptInput(der, \(receipt.count) bytes)")
    }

    @Test(
        "A container in BER is equivalent to one in DER, with content in one or more pieces",
        arguments: [1, 2, 7, 400])
    func ber(pieces: Int) throws {
        let payload = TestReceipt().payload
        let der = try TestContainer(content: payload, signedBy: .standard)
        let bytes = try der.with { $0.encoding = .ber(pieces: pieces) }.encoded()
        let container = try parse(bytes)
        #expect(Array(container.content) == payload)
        #expect(container.contentOffset == (pieces == 1 ? bytes.position(of: payload) : nil))
        let other = try parse(der.encoded())
        #expect(container.certificates == other.certificates)
        #expect(container.digestAlgorithms == other.digestAlgorithms)
        #expect(container.signer == other.signer)
    }

    @Test("Content in nested pieces is joined")
    func nestedPieces() throws {
        let content: [UInt8] = [
            0x24, 0x80,  // OCTET STRING, constructed, indefinite
            0x04, 0x01, 0x31,  // piece
            0x24, 0x80,  // piece, constructed, indefinite
            0x04, 0x01, 0x00,  // piece of the piece
            0x00, 0x00,  // end of contents
            0x00, 0x00,  // end of contents
        ]
        let container = try parse(ContainerParts(content: content))
        #expect(Array(container.content) == [0x31, 0x00])
        #expect(container.contentOffset == nil)
        #expect(try AppReceipt(container: container).attributes.isEmpty)
    }

    @Test("The equality of containers doesn't depend on the slice's indices")
    func equality() throws {
        let bytes = ContainerParts().bytes
        #expect(try ReceiptContainer(parsing: ([0xFF] + bytes).dropFirst()) == parse(bytes))
        #expect(try parse(bytes) != changed { $0.version = DERWriter.integer(3) })
    }

    @Test("Offsets are relative to the start of the container, whatever the slice's indices are")
    func offsetsInSlices() {
        let bytes = ContainerParts().with { $0.version = DERWriter.integer(2) }.bytes
        let position = bytes.position(of: DERWriter.integer(2))
        expectFailure(.containerVersionUnsupported, at: position) { try parse(bytes) }
        expectFailure(.containerVersionUnsupported, at: position) {
            try ReceiptContainer(parsing: ([0xFF, 0xFF] + bytes).dropFirst(2))
        }
    }

    // MARK: Outer structure

    @Test(
        "Containers of other types are rejected at the position of the type",
        arguments: [
            ([0x30, 0x00], 2), ([0x30, 0x02, 0x05, 0x00], 2),
            (ContainerParts().with { $0.type = ContainerParts.dataType }.bytes, 2),
            // Enveloped data.
            (ContainerParts().with { $0.type = DERWriter.objectIdentifier("1.2.840.113549.1.7.3") }.bytes, 2),
        ] as [([UInt8], Int)])
    func notSignedData(bytes: [UInt8], offset: Int) {
        expectFailure(.containerNotSignedData, check: .container, at: offset) { try parse(bytes) }
    }

    @Test("The test kit's container of another type is rejected with the same code")
    func notSignedDataFromKit() throws {
        let container = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
        #expect(throws: Never.self) { try parse(container.encoded()) }
        let other = try container.with { $0.containerType = "1.2.840.113549.1.7.5" }.encoded()
        expectFailure(.containerNotSignedData) { try parse(other) }
    }

    @Test("Bytes after the container are rejected", arguments: [[0x00], [0x0A], [0x00, 0x00], ContainerParts().bytes])
    func trailingBytes(trailing: [UInt8]) throws {
        let bytes = ContainerParts().bytes
        #expect(Array(try parse(bytes).bytes) == bytes)
        expectFailure(.containerTrailingBytes, check: .container, at: bytes.count) { try parse(bytes + trailing) }
    }

    @Test("Additional members in any sequence of the container are rejected")
    func leftover() throws {
        let extra: [UInt8] = [0x04, 0x01, 0xEE]
        let places: [(inout ContainerParts) -> Void] = [
            { $0.afterWrapper = extra },
            { $0.afterSignedData = extra },
            { $0.afterSigners = extra },
            { $0.contentInfo.append(extra) },
            { $0.contentInfo[1] = DERWriter.context(0, DERWriter.octetString([0x31, 0x00]) + extra) },
            {
                $0.digestAlgorithms = DERWriter.set([
                    DERWriter.sequence([DERWriter.objectIdentifier("1.2"), [5, 0], extra])
                ])
            },
            { $0.signers = DERWriter.set([SignerParts().with { $0.after = extra }.element]) },
            {
                $0.signers = DERWriter.set([
                    SignerParts().with {
                        $0.identifier = DERWriter.sequence([SignerParts.issuer, DERWriter.integer(7), extra])
                    }.element
                ])
            },
        ]
        for place in places {
            let bytes = ContainerParts().with(place).bytes
            expectFailure(.encodingLeftover, check: .container, at: bytes.position(of: extra)) { try parse(bytes) }
        }
        #expect(throws: Never.self) { try parse(ContainerParts()) }
    }

    @Test("A missing member is rejected")
    func missingMembers() {
        func signer(_ change: (inout SignerParts) -> Void) -> [UInt8] {
            DERWriter.set([SignerParts().with(change).element])
        }
        // If a member in the middle is missing, the next one has an unexpected type.
        let places: [(code: ReceiptError.Code, change: (inout ContainerParts) -> Void)] = [
            (.encodingUnexpectedTag, { $0.version = [] }),
            (.encodingUnexpectedTag, { $0.digestAlgorithms = [] }),
            (.encodingElementMissing, { $0.contentInfo = [] }),
            (.encodingElementMissing, { $0.signers = [] }),
            (.encodingElementMissing, { $0.digestAlgorithms = DERWriter.set([DERWriter.sequence([])]) }),
            (.encodingElementMissing, { $0.signers = DERWriter.set([DERWriter.sequence([])]) }),
            (.encodingUnexpectedTag, { $0.signers = signer { $0.version = [] } }),
            (.encodingUnexpectedTag, { $0.signers = signer { $0.identifier = [] } }),
            (.encodingUnexpectedTag, { $0.signers = signer { $0.digestAlgorithm = [] } }),
            (.encodingUnexpectedTag, { $0.signers = signer { $0.signatureAlgorithm = [] } }),
            (.encodingElementMissing, { $0.signers = signer { $0.signature = [] } }),
        ]
        for (code, change) in places {
            let error = expectFailure(code, check: .container) { try changed(change) }
            #expect(error?.offset != nil)
        }
        #expect(throws: Never.self) { try parse(ContainerParts()) }
    }

    @Test("Signed data has version 1, 3, 4 or 5", arguments: 0...6)
    func version(number: UInt64) throws {
        let parts = ContainerParts().with { $0.version = DERWriter.integer(number) }
        if [1, 3, 4, 5].contains(number) {
            #expect(throws: Never.self) { try parse(parts) }
        } else {
            // After the outer headers, 30 L, 06 09 …, A0 L, 30 L, where every length fits one octet.
            expectFailure(.containerVersionUnsupported, check: .container, at: 17) { try parse(parts) }
        }
    }

    @Test(
        "A version that isn't an integer in its shortest form is malformed",
        arguments: [[0x02, 0x00], [0x02, 0x01, 0xFF], [0x02, 0x02, 0x00, 0x01]])
    func malformedVersion(bytes: [UInt8]) {
        expectFailure(.encodingIntegerMalformed, check: .container, at: 17) { try changed { $0.version = bytes } }
        expectFailure(.encodingIntegerMalformed) { try changedSigner { $0.version = bytes } }
    }

    // MARK: Content

    @Test("Content of another type is rejected")
    func contentType() {
        let bytes = ContainerParts().with { $0.contentInfo[0] = ContainerParts.signedDataType }.bytes
        expectFailure(
            .containerContentNotData, check: .container,
            at: bytes.position(
                of: DERWriter.sequence([ContainerParts.signedDataType, [0xA0, 0x04], [4, 2, 0x31, 0]])
            )
            .map { $0 + 2 }
        ) { try parse(bytes) }
        #expect(throws: Never.self) { try parse(ContainerParts()) }
    }

    @Test("A detached signature is rejected")
    func detached() throws {
        expectFailure(.containerContentMissing, check: .container) { try changed { $0.contentInfo.removeLast() } }
        expectFailure(.containerContentMissing, check: .container) {
            try changed { $0.contentInfo[1] = DERWriter.context(0, []) }
        }
        let container = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
        let detached = try container.with { $0.isDetached = true }.encoded()
        expectFailure(.containerContentMissing) { try parse(detached) }
        #expect(Array(try parse(container.encoded()).content) == TestReceipt().payload)
    }

    @Test("Empty content is a container's content but not a payload")
    func emptyContent() throws {
        let container = try parse(ContainerParts(content: DERWriter.octetString([])))
        #expect(container.content.isEmpty)
        expectFailure(.encodingElementMissing, check: .payload) { try AppReceipt(container: container) }
    }

    @Test(
        "Content that isn't an octet string is rejected",
        arguments: [DERWriter.sequence([]), DERWriter.utf8String("a"), DERWriter.null])
    func contentTag(content: [UInt8]) {
        let bytes = ContainerParts(content: content).bytes
        let position = bytes.position(of: DERWriter.context(0, content)).map { $0 + 2 }
        expectFailure(.encodingUnexpectedTag, check: .container, at: position) { try parse(bytes) }
    }

    // MARK: Certificates

    @Test("A container without certificates is rejected", arguments: [[], [0xA0, 0x00], [0xA0, 0x80, 0x00, 0x00]])
    func noCertificates(certificates: [UInt8]) throws {
        expectFailure(.containerWithoutCertificates, check: .container) {
            try changed { $0.certificates = certificates }
        }
        #expect(try parse(ContainerParts()).certificates.count == 1)
    }

    @Test("Up to six certificates are accepted", arguments: [1, 3, 6])
    func certificateCount(count: Int) throws {
        let certificates = [[UInt8]](repeating: ContainerParts.certificate, count: count).flatMap(\.self)
        let container = try changed { $0.certificates = DERWriter.context(0, certificates) }
        #expect(container.certificates.map(Array.init) == Array(repeating: ContainerParts.certificate, count: count))
    }

    @Test("A seventh certificate is rejected at its position")
    func tooManyCertificates() {
        let seven = [[UInt8]](repeating: ContainerParts.certificate, count: 7).flatMap(\.self)
        let bytes = ContainerParts().with { $0.certificates = DERWriter.context(0, seven) }.bytes
        let seventh = bytes.position(of: seven).map { $0 + 6 * ContainerParts.certificate.count }
        expectFailure(.containerTooManyCertificates, check: .container, at: seventh) { try parse(bytes) }
    }

    @Test("A limit above six certificates has no effect")
    func certificateCap() {
        var limits = ReceiptLimits()
        limits.maxCertificates = 100
        let seven = [[UInt8]](repeating: ContainerParts.certificate, count: 7).flatMap(\.self)
        expectFailure(.containerTooManyCertificates) {
            try parse(ContainerParts().with { $0.certificates = DERWriter.context(0, seven) }.bytes, limits: limits)
        }
    }

    @Test("A certificate that isn't a sequence is rejected")
    func certificateTag() {
        expectFailure(.encodingUnexpectedTag, check: .container) {
            try changed {
                $0.certificates = DERWriter.context(0, ContainerParts.certificate + DERWriter.context(1, []))
            }
        }
    }

    @Test("A certificate larger than 4 KiB is rejected")
    func certificateSize() throws {
        // The header takes four bytes.
        let largest = DERWriter.element(0x30, [UInt8](repeating: 0, count: (4 << 10) - 4))
        let container = try changed { $0.certificates = DERWriter.context(0, largest) }
        #expect(container.certificates.map(\.count) == [4 << 10])
        let bytes = ContainerParts().with {
            $0.certificates = DERWriter.context(
                0, DERWriter.element(0x30, [UInt8](repeating: 0, count: (4 << 10) - 3)))
        }.bytes
        expectFailure(
            .containerCertificateTooLarge, check: .container, at: bytes.position(of: [0x30, 0x82, 0x0F, 0xFD])
        ) { try parse(bytes) }
    }

    // MARK: Ignored fields

    @Test("Well-formed revocation lists and unsigned attributes are ignored")
    func skippedFields() throws {
        let lists = try changed { $0.revocationLists = DERWriter.context(1, DERWriter.sequence([DERWriter.null])) }
        #expect(lists.certificates == (try parse(ContainerParts()).certificates))
        let attributes = try changedSigner { $0.unsignedAttributes = DERWriter.context(1, DERWriter.sequence([])) }
        #expect(attributes.signer == (try parse(ContainerParts()).signer))
        let kit = try TestContainer(content: TestReceipt().payload, signedBy: .standard).with {
            $0.revocationLists = [DERWriter.sequence([])]
            $0.signers[0].unsignedAttributes = [DERWriter.sequence([DERWriter.null])]
        }
        #expect(try AppReceipt(parsing: kit.encoded()).bundleIdentifier == "com.example.app")
    }

    @Test(
        "Malformed fields are rejected even if they are otherwise ignored",
        arguments: [[0x04, 0x05, 0xAA], [0x30, 0x02, 0x04, 0x01]])
    func malformedSkippedFields(bytes: [UInt8]) {
        expectFailure(.encodingTruncated, check: .container) {
            try changed { $0.revocationLists = DERWriter.context(1, bytes) }
        }
        expectFailure(.encodingTruncated, check: .container) {
            try changedSigner { $0.unsignedAttributes = DERWriter.context(1, bytes) }
        }
    }

    @Test("20,000 levels in an ignored field are rejected", arguments: [false, true])
    func deepSkippedField(indefinite: Bool) {
        expectFailure(.encodingTooDeep, check: .container) {
            try changed { $0.revocationLists = DERWriter.context(1, nested(20_000, indefinite: indefinite)) }
        }
    }

    // MARK: The signer

    @Test("A container without exactly one signer is rejected")
    func signerCount() throws {
        let signer = SignerParts().element
        expectFailure(.containerWithoutSigner, check: .container) { try changed { $0.signers = DERWriter.set([]) } }
        let bytes = ContainerParts().with { $0.signers = DERWriter.set([signer, signer]) }.bytes
        expectFailure(
            .containerMultipleSigners, check: .container, at: bytes.position(of: signer).map { $0 + signer.count }
        ) { try parse(bytes) }
        let kit = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
        let none = try kit.with { $0.signers = [] }.encoded()
        let two = try kit.with { $0.signers.append($0.signers[0]) }.encoded()
        expectFailure(.containerWithoutSigner) { try parse(none) }
        expectFailure(.containerMultipleSigners) { try parse(two) }
        #expect(throws: Never.self) { try parse(kit.encoded()) }
    }

    @Test("A signer identified by issuer and serial number has version 1")
    func issuerAndSerialNumber() throws {
        let container = try parse(ContainerParts())
        #expect(
            container.signer.identifier
                == .issuerAndSerialNumber(issuer: SignerParts.issuer[...], serialNumber: [0x07]))
        for number: UInt64 in [0, 2, 3, 4] {
            expectFailure(.containerVersionUnsupported, check: .container) {
                try changedSigner { $0.version = DERWriter.integer(number) }
            }
        }
    }

    @Test("A signer identified by its key has version 3")
    func subjectKeyIdentifier() throws {
        let identifier = DERWriter.element(0x80, [0xAB, 0xCD])
        let container = try changedSigner {
            $0.version = DERWriter.integer(3)
            $0.identifier = identifier
        }
        #expect(container.signer.identifier == .subjectKeyIdentifier([0xAB, 0xCD]))
        expectFailure(.containerVersionUnsupported, check: .container) {
            try changedSigner { $0.identifier = identifier }
        }
        let kit = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
        let bytes = try kit.with { $0.signers[0].usesSubjectKeyIdentifier = true }.encoded()
        #expect(
            try parse(bytes).signer.identifier
                == .subjectKeyIdentifier(TestPKI.standard.signer.subjectKeyIdentifier[...]))
    }

    @Test("An empty serial number and a name that isn't a sequence are rejected")
    func malformedIdentifier() {
        expectFailure(.encodingIntegerMalformed, check: .container) {
            try changedSigner { $0.identifier = DERWriter.sequence([SignerParts.issuer, [0x02, 0x00]]) }
        }
        expectFailure(.encodingUnexpectedTag, check: .container) {
            try changedSigner { $0.identifier = DERWriter.sequence([DERWriter.null, DERWriter.integer(7)]) }
        }
    }

    @Test("Serial numbers are unchanged, including long and negative ones")
    func serialNumbers() throws {
        for serialNumber: [UInt8] in [[0xFF], [0x00, 0x80], [UInt8](repeating: 0x11, count: 20)] {
            let container = try changedSigner {
                $0.identifier = DERWriter.sequence([SignerParts.issuer, DERWriter.element(0x02, serialNumber)])
            }
            #expect(
                container.signer.identifier
                    == .issuerAndSerialNumber(issuer: SignerParts.issuer[...], serialNumber: serialNumber[...]))
        }
    }

    @Test("Signed attributes are unchanged, or nil if there are none")
    func signedAttributes() throws {
        #expect(try parse(ContainerParts()).signer.signedAttributes == nil)
        let attributes = DERWriter.sequence([DERWriter.objectIdentifier("1.2.3"), DERWriter.set([])])
        let container = try changedSigner { $0.signedAttributes = DERWriter.context(0, attributes) }
        #expect(container.signer.signedAttributes == attributes[...])
    }

    @Test("The pieces of a constructed signature are joined")
    func signaturePieces() throws {
        let container = try changedSigner { $0.signature = chunked([[0x01, 0x02], [0x03]]) }
        #expect(container.signer.signature == [0x01, 0x02, 0x03])
        #expect(try parse(ContainerParts()).signer.signature == [0xAA, 0xBB])
    }
}
