import AppReceiptTesting

/// A container put together from whole elements, so that a test can put into any place what belongs there in no receipt.
/// Its certificate and signature are of the right type and nothing more, which is all that parsing looks at.
struct ContainerParts {
    static let signedDataType = DERWriter.objectIdentifier("1.2.840.113549.1.7.2")
    static let dataType = DERWriter.objectIdentifier("1.2.840.113549.1.7.1")
    /// SHA-256 without parameters.
    static let sha256 = DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.2.1")])
    /// A certificate as far as the container's reader looks.
    static let certificate = DERWriter.sequence([DERWriter.null])

    var type = signedDataType
    var version = DERWriter.integer(1)
    var digestAlgorithms = DERWriter.set([sha256])
    /// The members of the inner `contentInfo`.
    var contentInfo: [[UInt8]]
    var certificates = DERWriter.context(0, certificate)
    var revocationLists: [UInt8] = []
    var signers = DERWriter.set([SignerParts().element])
    /// What follows the last member of the signed data.
    var afterSigners: [UInt8] = []
    /// What follows the signed data in its wrapper.
    var afterSignedData: [UInt8] = []
    /// What follows the wrapper in the outermost sequence.
    var afterWrapper: [UInt8] = []

    /// - Parameter content: the element that is the content; by default an octet string with an empty payload.
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
    /// An empty name, as issuer.
    static let issuer = DERWriter.sequence([])

    var version = DERWriter.integer(1)
    var identifier = DERWriter.sequence([issuer, DERWriter.integer(7)])
    var digestAlgorithm = ContainerParts.sha256
    var signedAttributes: [UInt8] = []
    var signatureAlgorithm = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.1"), DERWriter.null])
    var signature = DERWriter.octetString([0xAA, 0xBB])
    var unsignedAttributes: [UInt8] = []
    /// What follows the last member.
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
