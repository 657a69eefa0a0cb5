import AppReceiptKit

// Trust rules 1 and 8: the PKCS #7 container.

extension Attack {
    static let containers: [Attack] = [
        Attack("no signer", code: .containerWithoutSigner, on: .container) { $0.container = { $0.signers = [] } },
        Attack("two signers", code: .containerMultipleSigners, on: .container) {
            $0.container = { $0.signers.append($0.signers[0]) }
        },
        Attack("a second signer from a foreign PKI", code: .containerMultipleSigners, on: .container) {
            $0.container = { $0.signers.append(TestSigner(TestPKI.impostor.signer)) }
        },
        Attack("no certificates", code: .containerWithoutCertificates, on: .container) {
            $0.container = { $0.certificates = [] }
        },
        Attack("seven certificates", code: .containerTooManyCertificates, on: .container) {
            $0.container = { container in
                container.certificates += [[UInt8]](repeating: try TestPKI.xcode.der(), count: 4)
            }
        },
        Attack("no content", code: .containerContentMissing, on: .container) {
            $0.container = { $0.isDetached = true }
        },
        Attack("content of another type", code: .containerContentNotData, on: .container) {
            $0.container = { $0.contentType = "1.2.840.113549.1.7.2" }
        },
        Attack("enveloped data", code: .containerNotSignedData, on: .container) {
            $0.container = { $0.containerType = "1.2.840.113549.1.7.3" }
        },
        Attack("an unknown version", code: .containerVersionUnsupported, on: .container) {
            $0.container = { $0.version = 2 }
        },
        Attack(
            "a signer version that doesn't fit issuer and serial number", code: .containerVersionUnsupported,
            on: .container
        ) {
            $0.container = { $0.signers[0].version = 3 }
        },
        Attack("a signer version that doesn't fit a key identifier", code: .containerVersionUnsupported, on: .container)
        {
            $0.container = { container in
                container.signers[0].usesSubjectKeyIdentifier = true
                container.signers[0].version = 1
            }
        },
        Attack("bytes after the container", code: .containerTrailingBytes, on: .container) {
            $0.bytes = { $0.append(0) }
        },
        Attack("a second container", code: .containerTrailingBytes, on: .container) { $0.bytes = { $0 += $0 } },
        Attack("bytes after a BER container", code: .containerTrailingBytes, on: .container) {
            $0.container = { $0.encoding = .ber(pieces: 1) }
            $0.bytes = { $0 += [0, 0] }
        },
        Attack("bytes after the payload's set", code: .payloadTrailingBytes, on: .container) {
            $0.container = { $0.content.append(0) }
        },
        Attack("a second set after the payload's", code: .payloadTrailingBytes, on: .container) {
            $0.container = { $0.content += DERWriter.set([]) }
        },
        Attack("bytes after a value", code: .attributeTrailingBytes, on: .container) {
            $0.receipt.overrides[2] = [DERWriter.utf8String("com.example.app") + [0]]
        },
        Attack("a foreign signer before the genuine one", code: .containerMultipleSigners, on: .container) {
            $0.container = { $0.signers.insert(TestSigner(TestPKI.impostor.signer), at: 0) }
        },
        Attack("no certificate for the signer", code: .signerCertificateMissing, on: .container) {
            $0.container = { $0.certificates.remove(at: 0) }
        },
        Attack("a certificate that exceeds the size limit", code: .containerCertificateTooLarge, on: .container) {
            $0.container = { container in
                container.certificates.append(
                    DERWriter.sequence([DERWriter.octetString([UInt8](repeating: 0, count: 17_000))]))
            }
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

    /// Creates an attack with an extra NULL in the sequence at that path. The twin has a NULL where the standard allows one: as
    /// the value of an unsigned attribute.
    private static func leftover(
        _ name: String, code: ReceiptError.Code = .encodingLeftover, at path: [Int]
    ) -> Attack {
        Attack(
            "a NULL \(name)", code: code, on: .container,
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
