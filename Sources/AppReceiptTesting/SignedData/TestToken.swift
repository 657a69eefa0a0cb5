import AppReceiptFoundation
public import AppReceiptKit
public import AppReceiptSupport
import Crypto

/// A token (compact JWS) to encode. Every part can be changed, so that a test can break one rule at a time.
///
/// ECDSA signatures are randomized, so two tokens with the same payload have different bytes.
public struct TestToken: Sendable, Hashable {
    /// The header's members, `alg` and `x5c` by default.
    public var header: AppStoreJSON.Object
    /// The payload that is signed.
    public var payload: AppStoreJSON.Object
    /// The key that signs.
    public var key: TestKey
    /// The form of the signature.
    public var signature = Signature.raw
    /// Text that replaces the header's JSON.
    public var headerText: [UInt8]?
    /// Text that replaces the payload's JSON.
    public var payloadText: [UInt8]?

    /// The form of a signature.
    public enum Signature: Sendable, Hashable {
        /// ES256: r and s, 32 bytes each.
        case raw
        /// ECDSA in DER, as in certificates.
        case der
        /// The key's own form over SHA-256, such as RS256 for RSA.
        case native
        /// HS256 with this secret.
        case hmac([UInt8])
        /// These bytes.
        case bytes([UInt8])
    }

    /// Creates a token with the three certificates of a PKI, as the App Store does.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - pki: The root, intermediate and signer.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public init(_ payload: AppStoreJSON.Object, signedBy pki: TestPKI = .signedData) throws(ReceiptError) {
        try self.init(payload, certificates: pki.certificates(), key: pki.signer.key)
    }

    /// Creates a token with one self-signed certificate, as Xcode does.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - certificate: The certificate.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public init(_ payload: AppStoreJSON.Object, signedByXcode certificate: TestCertificate) throws(ReceiptError) {
        try self.init(payload, certificates: [certificate.der()], key: certificate.key)
        header["kid"] = "Apple_Xcode_Key"
        header["typ"] = "JWT"
    }

    /// Creates a token with certificates as DER, starting with the signer's.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - certificates: The certificates.
    ///   - key: The key that signs.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public init(_ payload: AppStoreJSON.Object, certificates: [[UInt8]], key: TestKey) throws(ReceiptError) {
        self.payload = payload
        self.key = key
        header = ["alg": "ES256", "x5c": .array(certificates.map { .string(Self.base64($0)) })]
    }

    /// Signs and encodes the token.
    ///
    /// - Returns: The token.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func encoded() throws(ReceiptError) -> String {
        let header = Base64URL.encode(headerText ?? AppStoreJSON.object(header).text())
        let signed = header + "." + Base64URL.encode(payloadText ?? AppStoreJSON.object(payload).text())
        return signed + "." + Base64URL.encode(try signature(for: Array(signed.utf8)))
    }

    private func signature(for bytes: [UInt8]) throws(ReceiptError) -> [UInt8] {
        switch signature {
        case .raw:
            let der = try key.signature(for: bytes, digest: .sha256)
            guard key.kind == .p256, let signature = try? P256.Signing.ECDSASignature(derRepresentation: der) else {
                return der
            }
            return Array(signature.rawRepresentation)
        case .der, .native:
            return try key.signature(for: bytes, digest: .sha256)
        case .hmac(let secret):
            return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
        case .bytes(let bytes):
            return bytes
        }
    }

    static func base64(_ octets: [UInt8]) -> String { Data(octets).base64EncodedString() }
}
