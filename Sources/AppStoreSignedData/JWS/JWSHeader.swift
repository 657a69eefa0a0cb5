import AppReceiptKit
import AppReceiptSupport

/// What a token's header says that counts: the algorithm, which is ES256 or nothing, and certificates.
struct JWSHeader: Sendable {
    /// The certificates that sign and issued the signer's, DER; of three the first two, otherwise the only one.
    let certificates: [[UInt8]]

    /// Reads a header as it is written, in base64.
    ///
    /// Where a key could be found (`kid`, `jku`, `jwk`, `x5u`) is not looked at: trust is configuration.
    init(_ segment: ArraySlice<UInt8>, limits: SignedDataLimits) throws(ReceiptError) {
        let text = try JWS.decoded(segment, 0..<segment.count, "header")
        let members: JSONObject
        do throws(JSONValue.Fault) {
            guard let object = try JSONValue(parsing: text[...], depth: limits.depth).object else {
                throw JSONValue.Fault.malformed(0)
            }
            members = object
        } catch {
            throw ReceiptError(.tokenHeaderMalformed, "The token's header is \(error.inWords).")
        }
        // RFC 7515, 4.1.11: what is critical and not understood makes a token invalid. Nothing is understood.
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

    /// Whether this is the only certificate, as Xcode writes it.
    var isAlone: Bool { certificates.count == 1 }

    /// RFC 7515, 4.1.6: base64 with the usual alphabet and padding, unlike the rest of a token.
    private static func certificate(_ text: String) throws(ReceiptError) -> [UInt8] {
        let octets = ArraySlice(text.utf8)
        guard octets.count <= most / 3 * 4 + 4, !octets.contains(where: Base64.isWhitespace),
            let certificate = try? Base64.decode(octets)
        else { throw ReceiptError(.tokenCertificatesMalformed) }
        return certificate
    }

    /// The bytes of one certificate, as in a receipt.
    private static let most = ReceiptLimits.default.certificateBytes
}

extension JSONValue.Fault {
    /// `not JSON (at byte 7)`
    package var inWords: String {
        switch self {
        case .malformed(let position): "not a JSON object (at byte \(position))"
        case .duplicateMember(let position): "JSON with a member twice (at byte \(position))"
        case .tooDeep(let position): "nested too deep (at byte \(position))"
        }
    }
}
