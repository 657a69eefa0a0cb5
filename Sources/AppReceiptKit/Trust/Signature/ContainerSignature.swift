import AppReceiptParsing
import AppReceiptSupport

/// The signature over the container's content.
enum ContainerSignature {
    /// Verifies the signature with the key of a validated certificate.
    static func check(
        _ container: ReceiptContainer, with key: CertificateKey, limits: ReceiptLimits
    ) throws(ReceiptError) {
        let signer = container.signer
        let digest = try digest(signer.digestAlgorithm, listed: container.digestAlgorithms)
        try checkScheme(signer.signatureAlgorithm, digest: digest)
        guard case .rsa = key else { throw ReceiptError(.signatureKeyMismatch) }
        var signed = container.content
        if let encoded = signer.signedAttributes {
            let attributes = try SignedAttributes(
                encoded, origin: encoded.startIndex - container.bytes.startIndex, limits: limits)
            try attributes.check(content: container.content, digest: digest)
            signed = attributes.toBeSigned[...]
        }
        guard key.isValidSignature(signer.signature, over: signed, digest: digest) else {
            throw ReceiptError(.signatureInvalid)
        }
    }

    /// Returns the signer's digest algorithm, which must be the only one that the container lists.
    private static func digest(
        _ algorithm: AlgorithmIdentifier, listed: [AlgorithmIdentifier]
    ) throws(ReceiptError) -> DigestAlgorithm {
        guard let digest = DigestAlgorithm(objectIdentifier: algorithm.objectIdentifier) else {
            throw ReceiptError(.digestAlgorithmUnsupported)
        }
        guard !listed.isEmpty, listed.allSatisfy({ $0.objectIdentifier == algorithm.objectIdentifier }) else {
            throw ReceiptError(.digestAlgorithmsDisagree)
        }
        guard algorithm.hasNoParameters, listed.allSatisfy(\.hasNoParameters) else {
            throw ReceiptError(.algorithmParametersMalformed)
        }
        return digest
    }

    private static func checkScheme(
        _ algorithm: AlgorithmIdentifier, digest: DigestAlgorithm
    ) throws(ReceiptError) {
        switch SignatureScheme(objectIdentifier: algorithm.objectIdentifier) {
        case .rsa(let named):
            guard named == nil || named == digest else { throw ReceiptError(.signatureAlgorithmDisagrees) }
        case .ecdsa:
            throw ReceiptError(.signatureAlgorithmECDSA)
        case nil:
            throw ReceiptError(.signatureAlgorithmUnsupported)
        }
        guard algorithm.hasNoParameters else { throw ReceiptError(.algorithmParametersMalformed) }
    }
}
