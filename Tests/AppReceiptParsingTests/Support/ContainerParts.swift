import AppReceiptTesting

/// The encoded elements of a container, so that a test can replace any of them.
///
/// The certificate and signature have the right type only, because parsing doesn't check more.
struct ContainerParts {
    static let signedDataType = DERWriter.objectIdentifier("1.2.840.113549.1.7.2")
    static let dataType = DERWriter.objectIdentifier("1.2.840.113549.1.7.1")
    /// SHA-256 without parameters.
    static let sha256 = DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.2.1")])
    /// A sequence, which is all that parsing requires of a certificate.
    static let certificate = DERWriter.sequence([DERWriter.null])

    var type = signedDataType
    var version = DERWriter.integer(1)
    var digestAlgorithms = DERWriter.set([sha256])
    /// The members of the inner `contentInfo`.
    var contentInfo: [[UInt8]]
    var certificates = DERWriter.context(0, certificate)
    var revocationLists: [UInt8] = []
    var signers = DERWriter.set([SignerParts().element])
    /// The bytes after the last member of the signed data.
    var afterSigners: [UInt8] = []
    /// The bytes after the signed data in its wrapper.
    var afterSignedData: [UInt8] = []
    /// The bytes after the wrapper in the outermost sequence.
    var afterWrapper: [UInt8] = []

    /// Creates a container.
    ///
    /// - Parameter content: The element of the content. Default: an octet string with an empty payload.
    init(content: [UInt8] = DERWriter.octetString(DERWriter.set([]))) {
        contentInfo = [Self.dataType, DERWriter.context(0, content)]
    }

    var signedData: [UInt8] {
        DERWriter.sequence([
            version, digestAlgorithms, DERWriter.sequence(contentInfo), certificates, revocationLists, signers,
            afterSigners,
        ])
    }

    var bytes: [UInt8] {
        DERWriter.sequence([type, DERWriter.context(0, signedData + afterSignedData), afterWrapper])
    }

    func with(_ change: (inout ContainerParts) -> Void) -> ContainerParts {
        var changed = self
        change(&changed)
        return changed
    }
}

/// The parts of a SignerInfo.
struct SignerParts {
    /// An empty name.
    static let issuer = DERWriter.sequence([])

    var version = DERWriter.integer(1)
    var identifier = DERWriter.sequence([issuer, DERWriter.integer(7)])
    var digestAlgorithm = ContainerParts.sha256
    var signedAttributes: [UInt8] = []
    var signatureAlgorithm = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.1"), DERWriter.null])
    var signature = DERWriter.octetString([0xAA, 0xBB])
    var unsignedAttributes: [UInt8] = []
    /// The bytes after the last member.
    var after: [UInt8] = []

    var element: [UInt8] {
        DERWriter.sequence([
            version, identifier, digestAlgorithm, signedAttributes, signatureAlgorithm, signature, unsignedAttributes,
            after,
        ])
    }

    func with(_ change: (inout SignerParts) -> Void) -> SignerParts {
        var changed = self
        change(&changed)
        return changed
    }
}
