extension ReceiptContainer {
    /// Encodes the container in DER, without anything that verification ignores.
    ///
    /// Keeps the digest algorithms, the content as one octet string, the given certificates in the given order, and the
    /// signer's identifier, algorithms, signed attributes and signature. Drops other certificates, revocation lists,
    /// unsigned attributes and padding. Signed attributes are kept byte for byte. The versions are those that RFC 5652
    /// prescribes for the signer's identifier (sections 5.1 and 5.3).
    ///
    /// - Parameter certificates: The certificates to keep, each in DER.
    package func encoded(certificates: [ArraySlice<UInt8>]) -> [UInt8] {
        let signedData = DERElement.sequence([
            DERElement.encode(BERTag.integer, containing: [signer.identifier.version]),
            DERElement.encode(BERTag.set, containing: distinctDigestAlgorithms.flatMap(\.encoded)),
            DERElement.sequence([
                DERElement.encode(BERTag.objectIdentifier, containing: ContentType.data),
                DERElement.encode(
                    BERTag.context(0), containing: DERElement.encode(BERTag.octetString, containing: content)),
            ]),
            DERElement.encode(BERTag.context(0), containing: certificates.flatMap(\.self)),
            DERElement.encode(BERTag.set, containing: signer.encoded),
        ])
        return DERElement.sequence([
            DERElement.encode(BERTag.objectIdentifier, containing: ContentType.signedData),
            DERElement.encode(BERTag.context(0), containing: signedData),
        ])
    }

    /// The digest algorithms without duplicates. NULL and absent parameters are equivalent.
    private var distinctDigestAlgorithms: [AlgorithmIdentifier] {
        var distinct: [AlgorithmIdentifier] = []
        for candidate in digestAlgorithms {
            let algorithm = candidate.isEquivalent(to: signer.digestAlgorithm) ? signer.digestAlgorithm : candidate
            if !distinct.contains(algorithm) { distinct.append(algorithm) }
        }
        return distinct
    }
}

extension ReceiptContainer.Signer {
    /// The signer in DER, without unsigned attributes.
    fileprivate var encoded: [UInt8] {
        DERElement.sequence([
            DERElement.encode(BERTag.integer, containing: [identifier.version]), identifier.encoded,
            digestAlgorithm.encoded,
            signedAttributes.map { DERElement.encode(BERTag.context(0), containing: $0) } ?? [],
            signatureAlgorithm.encoded, DERElement.encode(BERTag.octetString, containing: signature),
        ])
    }
}

extension ReceiptContainer.Signer.Identifier {
    /// The version that signed data and signer have with this identifier.
    fileprivate var version: UInt8 {
        switch self {
        case .issuerAndSerialNumber: 1
        case .subjectKeyIdentifier: 3
        }
    }

    fileprivate var encoded: [UInt8] {
        switch self {
        case .issuerAndSerialNumber(let issuer, let serialNumber):
            DERElement.sequence([Array(issuer), DERElement.encode(BERTag.integer, containing: serialNumber)])
        case .subjectKeyIdentifier(let key):
            DERElement.encode(BERTag.contextPrimitive(0), containing: key)
        }
    }
}

extension AlgorithmIdentifier {
    /// Whether both are the same algorithm. NULL and absent parameters are equivalent.
    fileprivate func isEquivalent(to other: AlgorithmIdentifier) -> Bool {
        self == other
            || objectIdentifier == other.objectIdentifier && hasNoParameters && other.hasNoParameters
    }

    fileprivate var encoded: [UInt8] {
        let identifier = DERElement.encode(BERTag.objectIdentifier, containing: objectIdentifier)
        return switch parameters {
        case .absent: DERElement.sequence([identifier])
        case .null: DERElement.sequence([identifier, DERElement.encode(BERTag.null, containing: [])])
        case .other(let element): DERElement.sequence([identifier, Array(element)])
        }
    }
}

/// Encodes elements in DER (X.690, section 10).
package enum DERElement {
    /// Encodes an element: its identifier octet, shortest definite length and content.
    package static func encode(_ tag: UInt8, containing content: some Collection<UInt8>) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    /// Encodes a SEQUENCE of these elements.
    package static func sequence(_ members: [[UInt8]]) -> [UInt8] {
        encode(BERTag.sequence, containing: members.flatMap(\.self))
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        var octets: [UInt8] = []
        var rest = count
        while rest > 0 {
            octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(octets.count)] + octets
    }
}
