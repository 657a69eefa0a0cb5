import AppReceiptKit
import AppReceiptSupport
import Crypto

/// The secret that a request must hold as its `password`.
///
/// It is kept as a digest and compared in constant time, so that neither the time of an answer nor a dump of memory tells
/// it. Shared secrets of the App Store are 32 random hexadecimal digits; one that people made up could be guessed from
/// its digest.
public struct SharedSecret: Sendable {
    private let digest: SHA256.Digest
    private let isEmpty: Bool

    /// - Parameter text: the secret. An empty one fits no request: a setting that was left empty must not open the door.
    public init(_ text: String) {
        digest = SHA256.hash(data: Array(text.utf8))
        isEmpty = text.isEmpty
    }

    /// Whether it is this password. The comparison takes the same time wherever they differ.
    public func matches(_ password: String) -> Bool {
        // Equality of digests is in constant time (swift-crypto).
        SHA256.hash(data: Array(password.utf8)) == digest && !isEmpty
    }

    func check(_ password: String?) throws(ReceiptError) {
        guard let password else { throw ReceiptError(.sharedSecretMissing) }
        guard matches(password) else { throw ReceiptError(.sharedSecretMismatch) }
    }
}

extension SharedSecret: CustomStringConvertible, CustomReflectable {
    /// Nothing of the secret.
    public var description: String { "SharedSecret" }
    /// Nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
