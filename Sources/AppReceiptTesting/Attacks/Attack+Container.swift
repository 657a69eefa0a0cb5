import AppReceiptKit

// Rules 1 and 8 of THREAT_MODEL.md: the PKCS #7 container.

extension Attack {
    static let containers: [Case] = [
        container("no signer", code: .containerWithoutSigner) { $0.signers = [] },
        container("two signers", code: .containerMultipleSigners) { $0.signers.append($0.signers[0]) },
        container("a second signer from a foreign PKI", code: .containerMultipleSigners) {
            $0.signers.append(TestSigner(TestPKI.impostor.signer))
        },
        container("no certificates", code: .containerWithoutCertificates) { $0.certificates = [] },
        container("seven certificates", code: .containerTooManyCertificates) { container in
            container.certificates += [[UInt8]](repeating: try TestPKI.xcode.der(), count: 4)
        },
        container("no content", code: .containerContentMissing) { $0.isDetached = true },
        container("content of another type", code: .containerContentNotData) {
            $0.contentType = "1.2.840.113549.1.7.2"
        },
        container("enveloped data", code: .containerNotSignedData) { $0.containerType = "1.2.840.113549.1.7.3" },
        container("an unknown version", code: .containerVersionUnsupported) { $0.version = 2 },
        container("a signer version that doesn't fit issuer and serial number", code: .containerVersionUnsupported) {
            $0.signers[0].version = 3
        },
        container("a signer version that doesn't fit a key identifier", code: .containerVersionUnsupported) {
            container in
            container.signers[0].usesSubjectKeyIdentifier = true
            container.signers[0].version = 1
        },
        Case("bytes after the container", code: .containerTrailingBytes) { $0.bytes = { $0.append(0) } },
        Case("a second container", code: .containerTrailingBytes) { $0.bytes = { $0 += $0 } },
        Case("bytes after a BER container", code: .containerTrailingBytes) {
            $0.container = { $0.encoding = .ber(pieces: 1) }
            $0.bytes = { $0 += [0, 0] }
        },
        container("bytes after the payload's set", code: .payloadTrailingBytes) { $0.content.append(0) },
        container("a second set after the payload's", code: .payloadTrailingBytes) {
            $0.content += DERWriter.set([])
        },
        Case("bytes after a value", code: .attributeTrailingBytes) {
            $0.receipt.overrides[2] = [DERWriter.utf8String("com.example.app") + [0]]
        },
        container("a foreign signer before the genuine one", code: .containerMultipleSigners) {
            $0.signers.insert(TestSigner(TestPKI.impostor.signer), at: 0)
        },
        container("no certificate for the signer", code: .signerCertificateMissing) {
            $0.certificates.remove(at: 0)
        },
        container("a certificate that exceeds the size limit", code: .containerCertificateTooLarge) { container in
            container.certificates.append(
                DERWriter.sequence([DERWriter.octetString([UInt8](repeating: 0, count: 17_000))]))
        },
        leftover("after the content type and the signed data", at: []),
        leftover("after the signed data in its wrapper", at: [1]),
        leftover("after the signers in the signed data", at: [1, 0]),
        leftover("after the content in the content info", at: [1, 0, 2]),
        leftover("after the octet string with the content", at: [1, 0, 2, 1]),
        leftover("in the announced digest", at: [1, 0, 1, 0]),
        leftover("after the signature in the signer", at: [1, 0, 4, 0]),
        leftover("in the signer's identifier", at: [1, 0, 4, 0, 1]),
        leftover("in the signer's digest", at: [1, 0, 4, 0, 2]),
        leftover("in the signer's signature algorithm", at: [1, 0, 4, 0, 3]),
        leftover("after the parts of a certificate", code: .certificateMalformed, at: [1, 0, 3, 0]),
        leftover("after the extensions of a certificate", code: .certificateMalformed, at: [1, 0, 3, 0, 0]),
        leftover("in the validity of a certificate", code: .certificateMalformed, at: [1, 0, 3, 0, 0, 4]),
        leftover("in an unused certificate", code: .certificateMalformed, at: [1, 0, 3, 2]),
    ]

    /// Creates an attack on the container before it is encoded.
    static func container(
        _ name: String, code: ReceiptError.Code, check: ValidationCheck? = nil,
        harm change: @escaping @Sendable (inout TestContainer) throws -> Void
    ) -> Case {
        Case(name, code: code, check: check) { $0.container = change }
    }

    /// Creates an attack with an extra NULL in the sequence at that path. The twin has a NULL where the standard allows
    /// one: as the value of an unsigned attribute.
    private static func leftover(
        _ name: String, code: ReceiptError.Code = .encodingLeftover, at path: [Int]
    ) -> Case {
        Case(
            "a NULL \(name)", code: code,
            twin: {
                $0.container = {
                    $0.signers[0].unsignedAttributes = [
                        TestSigner.SignedAttributes.attribute("1.2.3.4", [DERWriter.null])
                    ]
                }
            },
            harm: { testCase in
                testCase.bytes = { bytes in
                    guard var tree = DERTree(bytes) else { return }
                    tree.append(.raw(DERWriter.null), at: path[...])
                    bytes = tree.encoded
                }
            })
    }
}
