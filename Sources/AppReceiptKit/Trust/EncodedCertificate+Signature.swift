import SwiftASN1

extension EncodedCertificate {
    /// Whether the two fields that name the signature's algorithm agree (RFC 5280, 4.1.1.2).
    package var algorithmFieldsAgree: Bool { innerAlgorithm.encodedBytes == outerAlgorithm.encodedBytes }

    /// The scheme and digest of the certificate's own signature, nil if they aren't accepted.
    package var signatureScheme: SignatureScheme? {
        let parts = try? DER.sequence(outerAlgorithm, identifier: .sequence) { fields in
            guard let identifier = fields.next(), case .primitive(let bytes) = identifier.content,
                identifier.identifier == .objectIdentifier
            else { throw Malformed() }
            let parameters = fields.next()
            if let parameters { _ = try ASN1Null(derEncoded: parameters) }
            return (bytes, parameters != nil)
        }
        guard let (identifier, hasNull) = parts else { return nil }
        switch SignatureScheme(objectIdentifier: identifier) {
        case .rsa(.some(let digest)): return .rsa(digest)
        // RFC 5758, 3.2: ECDSA has no parameters, not even NULL.
        case .ecdsa(.some(let digest)) where !hasNull: return .ecdsa(digest)
        default: return nil
        }
    }
}
