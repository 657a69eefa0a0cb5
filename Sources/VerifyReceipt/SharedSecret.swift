import AppReceiptKit
import AppReceiptSupport
import Crypto

/// The shared secret that the `password` of a request must match.
///
/// The secret is stored as a digest and compared in constant time, so that neither the response time nor a memory dump
/// reveals it. The App Store's shared secrets are 32 random hexadecimal digits. A weaker secret could be guessed from
/// its digest.
public struct SharedSecret: Sendable {
    private let digest: SHA256.Digest
    private let isEmpty: Bool
    /// Whether the secret is so short that it may be guessed: it has fewer than 20 bytes.
    package let isShort: Bool

    /// Creates a secret.
    ///
    /// - Parameter text: The secret. An empty one matches no password, so that an empty setting doesn't disable the
    ///   check.
    public init(_ text: String) {
        digest = SHA256.hash(data: Array(text.utf8))
        isEmpty = text.isEmpty
        isShort = text.utf8.count < 20
    }

    /// Returns whether the password matches. The comparison takes constant time.
    ///
    /// - Parameter password: The password of a request.
    /// - Returns: Whether it is the secret. False for an empty secret.
    public func matches(_ password: String) -> Bool {
        // swift-crypto compares digests in constant time.
        SHA256.hash(data: Array(password.utf8)) == digest && !isEmpty
    }
}

extension SharedSecret: CustomStringConvertible, CustomReflectable {
    /// A description without the secret.
    public var description: String { "SharedSecret" }
    /// A description without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
