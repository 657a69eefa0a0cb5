import AppReceiptKit
import AppReceiptSupport

/// The members of a token's header that are used: the algorithm, which must be ES256, and the certificates.
struct JWSHeader: Sendable {
    /// The certificates of the signer and its issuer in DER: the first two of three, or the only one.
    let certificates: [[UInt8]]

    /// Reads an encoded header.
    ///
    /// Members that name a key (`kid`, `jku`, `jwk`, `x5u`) are ignored: only configuration determines trust.
    init(_ segment: ArraySlice<UInt8>, limits: SignedDataLimits) throws(ReceiptError) {
        let text = try JWS.decoded(segment, in: 0..<segment.count, as: "header")
        let members: AppStoreJSON.Object
        do throws(AppStoreJSON.Fault) {
            guard let object = try AppStoreJSON(parsing: text[...], depth: limits.maxDepth).object else {
                throw AppStoreJSON.Fault.malformed(0)
            }
            members = object
        } catch {
            throw ReceiptError(.tokenHeaderMalformed, "The token's header is \(error.predicate).")
        }
        // RFC 7515, 4.1.11: an unsupported critical extension makes a token invalid. No extension is supported.
        guard members["crit"] == nil else { throw ReceiptError(.tokenHeaderCritical) }
        guard members["alg"] == .string("ES256") else { throw ReceiptError(.tokenAlgorithmUnsupported) }
        guard let list = members["x5c"]?.array else { throw ReceiptError(.tokenCertificatesMissing) }
        let texts = list.compactMap(\.string)
        guard texts.count == list.count else { throw ReceiptError(.tokenCertificatesMalformed) }
        guard texts.count == 3 || texts.count == 1 else { throw ReceiptError(.tokenCertificateCount) }
        var certificates: [[UInt8]] = []
        for text in texts.prefix(2) {
            certificates.append(try Self.certificate(text))
        }
        self.certificates = certificates
    }

    /// Whether the token has only one certificate, as tokens from Xcode do.
    var hasSingleCertificate: Bool { certificates.count == 1 }

    /// Returns the certificates of the token that can be parsed, and the anchor of a validated chain.
    func summaries(chain: CertificateChain? = nil) -> [CertificateSummary] {
        if let chain, chain.isXcode { return [CertificateSummary(chain.signer, role: .xcode)] }
        let roles: [CertificateSummary.Role] = hasSingleCertificate ? [.signer] : [.signer, .intermediate]
        let own = zip(certificates, roles).compactMap { der, role in
            EncodedCertificate(der: der[...]).map { CertificateSummary($0, role: role) }
        }
        return own + (chain?.anchor.map { [CertificateSummary($0, role: .anchor)] } ?? [])
    }

    /// Decodes a certificate: standard base64 with padding, unlike the rest of a token (RFC 7515, 4.1.6).
    private static func certificate(_ text: String) throws(ReceiptError) -> [UInt8] {
        let encoded = ArraySlice(text.utf8)
        guard encoded.count <= maxBytes / 3 * 4 + 4, !encoded.contains(where: Base64.isWhitespace),
            let certificate = try? Base64.decode(encoded)
        else { throw ReceiptError(.tokenCertificatesMalformed) }
        return certificate
    }

    /// The limit for one certificate, as in a receipt.
    private static let maxBytes = ReceiptLimits.default.maxCertificateBytes
}
