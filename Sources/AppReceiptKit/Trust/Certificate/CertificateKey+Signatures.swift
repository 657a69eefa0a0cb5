import AppReceiptParsing
import Crypto
import CryptoExtras

extension CertificateKey {
    /// Returns whether a signature over a message was made with this key. ECDSA signatures are in DER.
    package func isValidSignature(
        _ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>, digest: DigestAlgorithm
    ) -> Bool {
        SignatureVerificationObserver.current?.signatureVerified(signature)
        return switch digest {
        case .sha1: isValidSignature(signature, for: Insecure.SHA1.hash(data: message))
        case .sha256: isValidSignature(signature, for: SHA256.hash(data: message))
        case .sha384: isValidSignature(signature, for: SHA384.hash(data: message))
        case .sha512: isValidSignature(signature, for: SHA512.hash(data: message))
        }
    }

    private func isValidSignature(_ signature: ArraySlice<UInt8>, for digest: some Digest) -> Bool {
        switch self {
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }

    /// Returns whether a signature over a message was made with this key and ES256 (RFC 7518, section 3.4): ECDSA on P-256 with SHA-256.
    ///
    /// - Parameter signature: r and s, 32 bytes each.
    /// - Throws: `signature-key-mismatch` if the key isn't on P-256.
    package func isValidES256Signature(
        _ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>
    ) throws(ReceiptError) -> Bool {
        guard case .p256(let key) = self else {
            throw ReceiptError(.signatureKeyMismatch, "The signer's key isn't on P-256, which ES256 requires.")
        }
        SignatureVerificationObserver.current?.signatureVerified(signature)
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: SHA256.hash(data: message))
    }

    /// Returns whether this key signed a certificate with that scheme.
    func isValidSignature(of certificate: EncodedCertificate, scheme: SignatureScheme) -> Bool {
        switch (self, scheme) {
        case (.rsa, .rsa(.some(let digest))), (.p256, .ecdsa(.some(let digest))), (.p384, .ecdsa(.some(let digest))):
            isValidSignature(certificate.signature, over: certificate.toBeSigned, digest: digest)
        default:
            false
        }
    }
}

/// Notifies tests of signature verifications, so that they can assert that no signature is verified twice.
///
/// A class rather than a closure: Swift 6.3 miscompiles a task-local closure in release builds.
package final class SignatureVerificationObserver: Sendable {
    /// The observer of the current task; nil except in tests.
    ///
    /// A task-local value keeps parallel tests apart. It reaches the task executor and the database's queue, which run the same task or one
    /// that it has started. Reading it is negligible beside a verification.
    @TaskLocal package static var current: SignatureVerificationObserver?

    private let handler: @Sendable (ArraySlice<UInt8>) -> Void

    /// - Parameter handler: Called with each signature that is verified.
    package init(_ handler: @escaping @Sendable (ArraySlice<UInt8>) -> Void) { self.handler = handler }

    func signatureVerified(_ signature: ArraySlice<UInt8>) { handler(signature) }
}
