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
            // From its numbers: given DER, swift-crypto first tries to read a SubjectPublicKeyInfo, and creates an error.
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

    /// The kind and size of a key for display, for example `RSA 2048`. Doesn't create a key, because the certificate may not be validated.
    static func summary(of info: ASN1Node) -> String {
        switch parts(of: info) {
        case (.rsa, let key)?: RSANumbers(key).map { "RSA \($0.modulusBits)" } ?? "RSA, unreadable"
        case (.p256, _)?: "P-256"
        case (.p384, _)?: "P-384"
        case nil: "not accepted"
        }
    }

    /// The RSAPublicKey in a SubjectPublicKeyInfo, nil if it contains another kind of key.
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
