import AppReceiptKit
import CryptoExtras
import SwiftASN1

/// The key of a transaction receipt's signer: RSA of 1,024 bits, which is accepted nowhere else.
enum TransactionSignerKey {
    /// Reads a SubjectPublicKeyInfo.
    ///
    /// - Returns: The key; nil for keys other than RSA of 1,024 to 8,192 bits with an exponent of 65,537 or more. The sizes are
    ///   checked before any arithmetic.
    static func read(_ info: ASN1Node) -> CertificateKey? {
        guard let octets = CertificateKey.rsaKey(in: info), let (bits, exponent) = CertificateKey.sizes(octets),
            (1024...8192).contains(bits), exponent >= 65_537,
            let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: octets)
        else { return nil }
        return .rsa(key)
    }
}
