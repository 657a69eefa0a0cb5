import AppReceiptParsing
package import Crypto
package import CryptoExtras
package import SwiftASN1

/// A public key that is accepted for verifying signatures.
///
/// Accepted keys are RSA keys of 2,048 to 8,192 bits with an exponent of 65,537 or more, and keys on P-256 and P-384.
package enum CertificateKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)

    /// The reason why a key isn't accepted.
    package enum Fault: Error {
        case unsupported, tooWeak, tooLarge
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7), which must be well-formed DER.
    package init(_ info: ASN1Node) throws(Fault) {
        guard let (algorithm, key) = Self.parts(of: info) else { throw .unsupported }
        switch algorithm {
        case .rsa:
            guard let numbers = RSANumbers(key) else { throw .unsupported }
            guard numbers.modulusBits >= 2048, numbers.publicExponent >= 65_537 else { throw .tooWeak }
            guard numbers.modulusBits <= 8192 else { throw .tooLarge }
            // From its numbers: given DER, swift-crypto first tries to read a SubjectPublicKeyInfo, and creates an
            // error.
            guard let rsa = try? _RSA.Signing.PublicKey(n: numbers.modulus, e: numbers.exponent) else {
                throw .unsupported
            }
            self = .rsa(rsa)
        case .p256:
            guard let p256 = try? P256.Signing.PublicKey(x963Representation: key) else { throw .unsupported }
            self = .p256(p256)
        case .p384:
            guard let p384 = try? P384.Signing.PublicKey(x963Representation: key) else { throw .unsupported }
            self = .p384(p384)
        }
    }

    /// Returns the kind and size of a key for display, for example `RSA 2048`. Doesn't create a key, because the
    /// certificate may not be validated.
    static func summary(of info: ASN1Node) -> String {
        switch parts(of: info) {
        case (.rsa, let key)?: RSANumbers(key).map { "RSA \($0.modulusBits)" } ?? "RSA, unreadable"
        case (.p256, _)?: "P-256"
        case (.p384, _)?: "P-384"
        case nil: "not accepted"
        }
    }

    /// Returns the RSAPublicKey in a SubjectPublicKeyInfo, nil if it contains another kind of key.
    package static func rsaKey(in info: ASN1Node) -> ArraySlice<UInt8>? {
        guard case (.rsa, let key)? = parts(of: info) else { return nil }
        return key
    }

    private enum Algorithm { case rsa, p256, p384 }

    private struct Malformed: Error {}

    private static func required(_ members: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = members.next() else { throw Malformed() }
        return node
    }

    /// `SubjectPublicKeyInfo ::= SEQUENCE { algorithm, subjectPublicKey BIT STRING }`
    private static func parts(of info: ASN1Node) -> (Algorithm, ArraySlice<UInt8>)? {
        try? DER.sequence(info, identifier: .sequence) { members in
            let algorithm = try DER.sequence(required(&members), identifier: .sequence) { fields -> Algorithm? in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &fields)
                switch identifier {
                case .AlgorithmIdentifier.rsaEncryption:
                    // RFC 3279, 2.3.1: the parameters are NULL. Some certificates lack them, which is equivalent.
                    if let parameters = fields.next() { _ = try ASN1Null(derEncoded: parameters) }
                    return .rsa
                case .AlgorithmIdentifier.idEcPublicKey:
                    switch try ASN1ObjectIdentifier(derEncoded: &fields) {
                    case .NamedCurves.secp256r1: return .p256
                    case .NamedCurves.secp384r1: return .p384
                    default: return nil
                    }
                default:
                    while fields.next() != nil {}
                    return nil
                }
            }
            let key = try ASN1BitString(derEncoded: &members)
            guard let algorithm, key.paddingBits == 0 else { return nil }
            return (algorithm, key.bytes)
        }
    }

    /// `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }`
    ///
    /// The sizes are checked before the key is created, because arithmetic with an extreme key is expensive.
    package struct RSANumbers {
        /// The modulus, without leading zeros.
        let modulus: ArraySlice<UInt8>
        /// The public exponent, without leading zeros.
        let exponent: ArraySlice<UInt8>

        /// - Returns: `nil` if the key isn't encoded in DER, or a number is negative.
        package init?(_ key: ArraySlice<UInt8>) {
            let numbers = try? DER.sequence(DER.parse(key), identifier: .sequence) { members in
                (try ArraySlice<UInt8>(derEncoded: &members), try ArraySlice<UInt8>(derEncoded: &members))
            }
            guard let numbers else { return nil }
            modulus = numbers.0.drop { $0 == 0 }
            exponent = numbers.1.drop { $0 == 0 }
            guard !modulus.isEmpty else { return nil }
        }

        package var modulusBits: Int { modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0) }

        /// The public exponent; the maximum if it has more than 32 bits.
        package var publicExponent: UInt32 {
            exponent.count > 4 ? .max : exponent.reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

extension CertificateKey {
    /// Reads the key of a certificate.
    ///
    /// - Throws: The code for the reason why the key isn't accepted.
    init(_ keyInfo: ASN1Node, codes: KeyErrorCodes) throws(ReceiptError) {
        do throws(Fault) {
            try self.init(keyInfo)
        } catch {
            throw ReceiptError(codes.code(for: error))
        }
    }
}

/// The error codes for keys that aren't accepted.
struct KeyErrorCodes {
    let unsupported, tooWeak, tooLarge: ReceiptError.Code

    static let anchor = KeyErrorCodes(
        unsupported: .anchorKeyUnsupported, tooWeak: .anchorKeyTooWeak, tooLarge: .anchorKeyTooLarge)
    static let intermediate = KeyErrorCodes(
        unsupported: .intermediateKeyUnsupported, tooWeak: .intermediateKeyTooWeak, tooLarge: .intermediateKeyTooLarge)
    static let signer = KeyErrorCodes(
        unsupported: .signerKeyUnsupported, tooWeak: .signerKeyTooWeak, tooLarge: .signerKeyTooLarge)

    func code(for fault: CertificateKey.Fault) -> ReceiptError.Code {
        switch fault {
        case .unsupported: unsupported
        case .tooWeak: tooWeak
        case .tooLarge: tooLarge
        }
    }
}

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

    /// Returns whether a signature over a message was made with this key and ES256 (RFC 7518, section 3.4): ECDSA on
    /// P-256 with SHA-256.
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
    /// A task-local value keeps parallel tests apart. It reaches the task executor and the database's queue, which run
    /// the same task or one that it has started. Reading it is negligible beside a verification.
    @TaskLocal package static var current: SignatureVerificationObserver?

    private let handler: @Sendable (ArraySlice<UInt8>) -> Void

    /// - Parameter handler: Called with each signature that is verified.
    package init(_ handler: @escaping @Sendable (ArraySlice<UInt8>) -> Void) { self.handler = handler }

    func signatureVerified(_ signature: ArraySlice<UInt8>) { handler(signature) }
}
