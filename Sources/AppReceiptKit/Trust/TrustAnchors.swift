public import AppReceiptParsing
import AppReceiptSupport

/// The root certificates that a verifier trusts. Trust is configuration: no certificate becomes an anchor by standing
/// in a receipt.
public struct TrustAnchors: Sendable {
    package let anchors: [TrustAnchor]

    /// Apple's three published roots, embedded in this library. Receipts chain to the first today; Apple promises
    /// neither root, so all three are trusted.
    public static let apple: TrustAnchors = {
        let roots = [AppleRootCertificates.appleInc, AppleRootCertificates.g2, AppleRootCertificates.g3]
        return TrustAnchors(
            anchors: roots.compactMap { text in
                (try? Base64.decode(ArraySlice(text.utf8))).flatMap { try? TrustAnchor(der: $0[...]) }
            })
    }()

    /// The given roots and no others.
    ///
    /// - Parameter certificates: each as DER or PEM; a PEM text may hold several.
    /// - Throws: `trust-anchor-malformed` if one of them is no certificate, or there is none. One with a key that is not
    ///   accepted is taken, and fails every receipt that chains to it with a code of its own.
    public init(certificates: [[UInt8]]) throws(ReceiptError) {
        var anchors: [TrustAnchor] = []
        for certificate in certificates {
            for der in try CertificateFile.certificates(in: certificate) {
                anchors.append(try TrustAnchor(der: der))
            }
        }
        guard !anchors.isEmpty else {
            throw ReceiptError(.trustAnchorMalformed, "There is no certificate to be a trust anchor.")
        }
        self.anchors = anchors
    }

    /// The roots in a PEM text and no others.
    ///
    /// - Throws: `trust-anchor-malformed` if one of them is no certificate, or there is none. One with a key that is not
    ///   accepted is taken, and fails every receipt that chains to it with a code of its own.
    public init(pem: String) throws(ReceiptError) { try self.init(certificates: [Array(pem.utf8)]) }

    private init(anchors: [TrustAnchor]) { self.anchors = anchors }

    /// The certificates, each as DER.
    public var certificates: [[UInt8]] { anchors.map { Array($0.certificate.der) } }
}

/// A trusted root with its key ready for use, or why it cannot be used.
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
