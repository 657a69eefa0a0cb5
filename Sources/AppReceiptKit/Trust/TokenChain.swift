package import AppReceiptParsing
import Crypto

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

// The same chain rules for signed data in the form of a token (JWS), whose header carries certificates in their order.

extension ChainRules {
    /// Proves the first certificate of a token, which signs it, from an anchor down. A third certificate is no business
    /// of this: the anchor comes from the configuration.
    ///
    /// - Parameters:
    ///   - signer: the first certificate, DER.
    ///   - intermediate: the second one, which must have issued it.
    ///   - date: when the token was signed.
    package func validate(
        token signer: ArraySlice<UInt8>, issuedBy intermediate: ArraySlice<UInt8>, at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let date = Self.wholeSecond(date)
        if let chain = cache.chain(signer: signer, intermediate: intermediate, at: date) { return chain }
        let signer = try Self.certificate(signer, "first")
        let intermediate = try Self.certificate(intermediate, "second")
        guard !signer.isSelfIssued else { throw ReceiptError(.signerSelfSigned) }
        guard !signer.isAuthority else { throw ReceiptError(.signerIsAuthority) }
        guard intermediate.subject == signer.issuer else {
            throw ReceiptError(.intermediateMissing, "The token's second certificate is not the issuer of its first.")
        }
        guard !intermediate.isSelfIssued else { throw ReceiptError(.chainTooShort) }
        // Of several failures the one that got furthest is the most useful.
        var best = (progress: -1, error: ReceiptError(.rootNotTrusted))
        for anchor in anchors.anchors where anchor.certificate.subject == intermediate.issuer {
            var attempt = ChainAttempt(date: date)
            do throws(ReceiptError) {
                let chain = try attempt.run(signer: signer, intermediate: intermediate, anchor: anchor)
                if best.progress < 0 { cache.keep(chain) }
                return chain
            } catch {
                if attempt.progress > best.progress { best = (attempt.progress, error) }
            }
        }
        throw best.error
    }

    /// Compares the only certificate of a token from Xcode with those that the caller named.
    package func validate(xcodeToken signer: ArraySlice<UInt8>, at date: Date) throws(ReceiptError) -> CertificateChain
    {
        let signer = try Self.certificate(signer, "only")
        guard let chain = try xcode.validate(signer, environment: .xcode, at: Self.wholeSecond(date)) else {
            throw ReceiptError(.intermediateMissing, "The token carries its signer's certificate and not its issuer's.")
        }
        return chain
    }

    private static func certificate(_ der: ArraySlice<UInt8>, _ place: String) throws(ReceiptError) -> Certificate {
        guard let certificate = Certificate(der: der) else {
            throw ReceiptError(.certificateMalformed, "The token's \(place) certificate is malformed.")
        }
        return certificate
    }
}

extension CertificateChain {
    /// Whether the signer signed these octets with ES256 (RFC 7518, section 3.4): ECDSA on P-256 with SHA-256.
    ///
    /// - Parameter signature: r and s, 32 octets each.
    /// - Throws: `signature-key-mismatch` if the signer's key is not on P-256.
    package func isValidES256(
        _ signature: ArraySlice<UInt8>, over octets: ArraySlice<UInt8>
    ) throws(ReceiptError) -> Bool {
        guard case .p256(let key) = signerKey else {
            throw ReceiptError(.signatureKeyMismatch, "The signer's key is not on P-256, which ES256 needs.")
        }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: SHA256.hash(data: octets))
    }
}
