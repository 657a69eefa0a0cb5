import Crypto

/// The digest of a signature.
public enum TestDigest: Sendable, Hashable, CaseIterable {
    /// SHA-1.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512

    /// The object identifier of the digest.
    public var objectIdentifier: String {
        switch self {
        case .sha1: "1.3.14.3.2.26"
        case .sha256: "2.16.840.1.101.3.4.2.1"
        case .sha384: "2.16.840.1.101.3.4.2.2"
        case .sha512: "2.16.840.1.101.3.4.2.3"
        }
    }

    /// Returns the object identifier of a signature with this digest and a key of the given kind.
    ///
    /// - Parameter kind: The kind of key.
    /// - Returns: The object identifier in dotted decimal.
    public func signatureObjectIdentifier(_ kind: TestKey.Kind) -> String {
        switch (kind, self) {
        case (.rsa, .sha1): "1.2.840.113549.1.1.5"
        case (.rsa, .sha256): "1.2.840.113549.1.1.11"
        case (.rsa, .sha384): "1.2.840.113549.1.1.12"
        case (.rsa, .sha512): "1.2.840.113549.1.1.13"
        case (_, .sha1): "1.2.840.10045.4.1"
        case (_, .sha256): "1.2.840.10045.4.3.2"
        case (_, .sha384): "1.2.840.10045.4.3.3"
        case (_, .sha512): "1.2.840.10045.4.3.4"
        }
    }

    /// Returns the digest of `bytes`.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The digest.
    public func digest(of bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }
}
