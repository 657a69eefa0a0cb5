/// The algorithm that a container or certificate specifies, which need not be the one that was used.
public struct TestAlgorithm: Sendable, Hashable {
    /// The object identifier in dotted decimal.
    public var objectIdentifier: String
    /// The parameters.
    public var parameters: Parameters

    /// The parameters of an algorithm.
    public enum Parameters: Sendable, Hashable {
        /// The element NULL.
        case null
        /// No element.
        case absent
        /// The bytes of a whole element.
        case other([UInt8])
    }

    /// Creates an algorithm.
    ///
    /// - Parameters:
    ///   - objectIdentifier: The object identifier in dotted decimal.
    ///   - parameters: The parameters.
    public init(_ objectIdentifier: String, parameters: Parameters = .null) {
        self.objectIdentifier = objectIdentifier
        self.parameters = parameters
    }

    /// Creates the signature algorithm for a kind of key and a digest. The parameters are NULL for RSA and absent for
    /// elliptic curves.
    public init(key kind: TestKey.Kind, digest: TestDigest) {
        self.init(digest.signatureObjectIdentifier(kind), parameters: kind == .rsa ? .null : .absent)
    }

    /// `rsaEncryption`, the signature algorithm in App Store receipts.
    public static let rsaEncryption = TestAlgorithm("1.2.840.113549.1.1.1")

    var der: [UInt8] {
        switch parameters {
        case .null: DERWriter.sequence([DERWriter.objectIdentifier(objectIdentifier), DERWriter.null])
        case .absent: DERWriter.sequence([DERWriter.objectIdentifier(objectIdentifier)])
        case .other(let element): DERWriter.sequence([DERWriter.objectIdentifier(objectIdentifier), element])
        }
    }
}
