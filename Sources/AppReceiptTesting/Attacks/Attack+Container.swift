import AppReceiptKit

// Rules of trust 1 and 8: the PKCS #7 container.

extension Attack {
    static let containers: [Attack] = [
        Attack("no signer", .containerWithoutSigner, on: .container) { $0.container = { $0.signers = [] } },
        Attack("two signers", .containerMultipleSigners, on: .container) {
            $0.container = { $0.signers.append($0.signers[0]) }
        },
        Attack("a second signer who is a stranger", .containerMultipleSigners, on: .container) {
            $0.container = { $0.signers.append(TestSigner(TestPKI.impostor.signer)) }
        },
        Attack("no certificates", .containerWithoutCertificates, on: .container) {
            $0.container = { $0.certificates = [] }
        },
        Attack("seven certificates", .containerTooManyCertificates, on: .container) {
            $0.container = { container in
                container.certificates += [[UInt8]](repeating: try TestPKI.xcode.der(), count: 4)
            }
        },
        Attack("content that is left out", .containerContentMissing, on: .container) {
            $0.container = { $0.isDetached = true }
        },
        Attack("content of another type", .containerContentNotData, on: .container) {
            $0.container = { $0.contentType = "1.2.840.113549.1.7.2" }
        },
        Attack("enveloped data", .containerNotSignedData, on: .container) {
            $0.container = { $0.containerType = "1.2.840.113549.1.7.3" }
        },
        Attack("a version that nobody knows", .containerVersionUnsupported, on: .container) {
            $0.container = { $0.version = 2 }
        },
        Attack("a signer's version that does not fit", .containerVersionUnsupported, on: .container) {
            $0.container = { $0.signers[0].version = 3 }
        },
        Attack("a signer's version that does not fit a key identifier", .containerVersionUnsupported, on: .container) {
            $0.container = { container in
                container.signers[0].usesSubjectKeyIdentifier = true
                container.signers[0].version = 1
            }
        },
        Attack("bytes after the container", .containerTrailingBytes, on: .container) { $0.bytes = { $0.append(0) } },
        Attack("a second container", .containerTrailingBytes, on: .container) { $0.bytes = { $0 += $0 } },
        Attack("bytes after a container in BER", .containerTrailingBytes, on: .container) {
            $0.container = { $0.encoding = .ber(pieces: 1) }
            $0.bytes = { $0 += [0, 0] }
        },
        Attack("bytes after the payload's set", .payloadTrailingBytes, on: .container) {
            $0.container = { $0.content.append(0) }
        },
        Attack("a second set after the payload's", .payloadTrailingBytes, on: .container) {
            $0.container = { $0.content += DERWriter.set([]) }
        },
        Attack("bytes after a value", .attributeTrailingBytes, on: .container) {
            $0.receipt.overrides[2] = [DERWriter.utf8String("com.example.app") + [0]]
        },
        Attack("bytes after the creation date", .attributeTrailingBytes, on: .container) {
            $0.receipt.overrides[12] = [DERWriter.ia5String("2024-07-02T15:04:05Z") + [0]]
        },
        Attack("a fourth member in an attribute", .encodingLeftover, stage: .payload, on: .container) {
            $0.container = { container in
                container.content = DERWriter.set([
                    DERWriter.sequence([
                        DERWriter.integer(2), DERWriter.integer(1), DERWriter.octetString([]), DERWriter.null,
                    ])
                ])
            }
        },
        Attack("a member after the signed data", .encodingLeftover, on: .container) {
            // Behind the content type and [0] with the signed data, inside of the outer sequence.
            $0.bytes = { $0 = DERWriter.element(0x30, Array($0.dropFirst(4)) + DERWriter.null) }
        },
        Attack("an attribute twice", .attributeDuplicate, on: .container) {
            let value = DERWriter.utf8String("com.example.app")
            $0.receipt.overrides[2] = [value, value]
        },
    ]
}
