import AppReceiptParsing

extension EncodedCertificate {
    /// Whether the two fields that name the signature's algorithm agree (RFC 5280, 4.1.1.2).
    package var algorithmFieldsAgree: Bool { innerAlgorithm.encodedBytes == outerAlgorithm.encodedBytes }

    /// The scheme and digest of the certificate's own signature, nil if they aren't accepted.
    package var signatureScheme: SignatureScheme? {
        let encoded: ArraySlice<UInt8> = outerAlgorithm.encodedBytes
        let bytes = encoded.span
        var reader = BERReader(0..<bytes.count, check: .signature, limits: .default)
        guard let algorithm = try? AlgorithmIdentifier(reading: &reader, bytes, of: encoded),
            algorithm.hasNoParameters
        else { return nil }
        switch SignatureScheme(objectIdentifier: algorithm.objectIdentifier) {
        case .rsa(.some(let digest)): return .rsa(digest)
        // RFC 5758, 3.2: ECDSA has no parameters, not even NULL.
        case .ecdsa(.some(let digest)) where algorithm.parameters == .absent: return .ecdsa(digest)
        default: return nil
        }
    }
}
