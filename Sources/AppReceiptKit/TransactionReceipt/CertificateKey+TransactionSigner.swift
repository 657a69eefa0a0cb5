import CryptoExtras
import SwiftASN1

extension CertificateKey {
    /// Reads the key of a transaction receipt's signer: RSA of 1,024 bits, which is too short for any other signer.
    ///
    /// - Returns: `nil` unless the key is RSA of 1,024 to 8,192 bits with an exponent of 65,537 or more. The sizes are checked before the key is
    ///   created, because arithmetic with unreasonable sizes is expensive.
    init?(transactionSigner info: ASN1Node) {
        guard let encoded = CertificateKey.rsaKey(in: info), let numbers = RSANumbers(encoded),
            (1024...8192).contains(numbers.modulusBits), numbers.publicExponent >= 65_537,
            let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: encoded)
        else { return nil }
        self = .rsa(key)
    }
}
