public import AppReceiptParsing
import AppReceiptSupport
import SwiftASN1
public import X509

/// The root certificates that a verifier trusts.
///
/// Trust is configuration: a certificate in a receipt never becomes an anchor.
public struct TrustAnchors: Sendable {
    package let anchors: [TrustAnchor]

    /// Apple's three published roots, embedded in this library.
    ///
    /// Receipts chain to the first one today. Apple doesn't promise a specific root, so all three are trusted.
    public static let apple: TrustAnchors = {
        let roots = [AppleRootCertificates.appleInc, AppleRootCertificates.g2, AppleRootCertificates.g3]
        let decoded = roots.compactMap { try? Base64.decode(ArraySlice($0.utf8)) }
        guard decoded.count == roots.count, let anchors = try? TrustAnchors(certificates: decoded) else {
            preconditionFailure("An embedded root certificate is malformed.")
        }
        return anchors
    }()

    /// Trusts the given roots and no others.
    ///
    /// A root with a key that isn't accepted is not an error here. It fails every receipt that chains to it with its own code.
    ///
    /// - Parameter certificates: The roots, each as DER or PEM. A PEM text may contain several.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or there are none.
    public init(certificates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var anchors: [TrustAnchor] = []
        for certificate in certificates {
            for der in try CertificateFile.certificates(in: Array(certificate)) {
                anchors.append(try TrustAnchor(der: der))
            }
        }
        guard !anchors.isEmpty else {
            throw ReceiptError(.trustAnchorMalformed, "There is no certificate to be a trust anchor.")
        }
        self.anchors = anchors
    }

    /// Trusts the given roots and no others.
    ///
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded, or there are none.
    public init(certificates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(certificates: CertificateFile.encoded(certificates))
    }

    /// Trusts the roots in a PEM text and no others.
    ///
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or there are none.
    public init(pem: String) throws(ReceiptError) { try self.init(certificates: [Array(pem.utf8)]) }

    /// The certificates, each as DER.
    public var certificates: [[UInt8]] { anchors.map { Array($0.certificate.der) } }
}

/// A trusted root with its public key, or the reason why the key can't be used.
package struct TrustAnchor: Sendable {
    package let certificate: Certificate
    package let key: Result<CertificateKey, CertificateKey.Fault>

    init(der: ArraySlice<UInt8>) throws(ReceiptError) {
        guard let certificate = Certificate(der: der) else { throw ReceiptError(.trustAnchorMalformed) }
        key = Result { () throws(CertificateKey.Fault) in try CertificateKey(certificate.keyInfo) }
        self.certificate = certificate
    }
}

/// Certificates in a file: DER, or PEM with one or more blocks.
package enum CertificateFile {
    /// The certificates as DER.
    package static func encoded(_ certificates: some Sequence<X509.Certificate>) throws(ReceiptError) -> [[UInt8]] {
        var encoded: [[UInt8]] = []
        for certificate in certificates {
            var serializer = DER.Serializer()
            do {
                try serializer.serialize(certificate)
            } catch {
                throw ReceiptError(.trustAnchorMalformed)
            }
            encoded.append(serializer.serializedBytes)
        }
        return encoded
    }

    /// The certificates in a file as DER.
    package static func certificates(in bytes: [UInt8]) throws(ReceiptError) -> [ArraySlice<UInt8>] {
        if bytes.first == BERTag.sequence { return [bytes[...]] }
        var certificates: [ArraySlice<UInt8>] = []
        // Text before a block (openssl's dumps have some) is skipped to the next line that begins one.
        var rest = bytes[...]
        while true {
            while !rest.isEmpty, !PEMBlock.isPlausible(rest) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
            }
            guard !rest.isEmpty else { break }
            do throws(PEMBlock.Fault) {
                let (block, following) = try PEMBlock.read(rest)
                rest = following
                if block.label == "CERTIFICATE" { certificates.append(block.bytes[...]) }
            } catch {
                throw ReceiptError(.trustAnchorMalformed, "The PEM text is incomplete or not base64.")
            }
        }
        guard !certificates.isEmpty else {
            throw ReceiptError(
                .trustAnchorMalformed, "The file is neither a certificate in DER nor PEM with one in it.")
        }
        return certificates
    }
}
