import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import Crypto

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// The reason for which a request was answered with 401. Apple doesn't send it.
    public enum AuthorizationFailure: String, Error, Sendable, Hashable, CaseIterable {
        /// There is no header `Authorization` with a bearer token.
        case missing
        /// The token isn't a compact JWS with JSON objects, or its base64url isn't valid.
        case malformed
        /// `alg` isn't ES256.
        case algorithm
        /// `typ` isn't JWT.
        case type
        /// `kid` isn't the identifier of the key.
        case keyIdentifier
        /// The key didn't sign the token, or the signature isn't r and s with 32 bytes each.
        case signature
        /// `iss` isn't the issuer of the key.
        case issuer
        /// `aud` isn't `appstoreconnect-v1`.
        case audience
        /// `iat` is in the future.
        case issuedInFuture
        /// `exp` is over.
        case expired
        /// `exp` is more than 60 minutes after `iat`, or after now if there is no `iat`.
        case lifetime
        /// `exp` or `bid` is missing, or a member has another type.
        case members
        /// The App Store never approved the app, so production accepts none of its tokens.
        case appNotApproved
    }
}

/// Checks the tokens of requests as strictly as Apple does.
@available(AppStoreServerAPI 1.0, *)
struct Authorization: Sendable {
    typealias Failure = FakeAppStoreServer.AuthorizationFailure

    /// The key that signs valid tokens.
    let key: TestAppStoreServerKey

    /// The time by which the client's clock may be ahead, in seconds.
    static let maxSkew: Int64 = 60
    /// The longest time from `iat` to `exp`, in seconds.
    static let maxLifetime: Int64 = 3600

    /// Returns the bundle identifier of a valid token.
    ///
    /// `iat` isn't required: Apple's Python library doesn't send it.
    func bundleIdentifier(in header: String?, at now: Date) throws(Failure) -> String {
        guard let header, header.hasPrefix("Bearer ") else { throw .missing }
        let segments = header.dropFirst("Bearer ".count).split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3, let head = object(segments[0]), let claims = object(segments[1]),
            let signature = try? Base64URL.decode(ArraySlice(segments[2].utf8))
        else { throw .malformed }
        guard head.string("alg") == "ES256" else { throw .algorithm }
        guard head.string("typ") == "JWT" else { throw .type }
        guard head.string("kid") == key.keyIdentifier else { throw .keyIdentifier }
        guard isValid(signature, for: Array("\(segments[0]).\(segments[1])".utf8)) else { throw .signature }
        guard claims.string("iss") == key.issuerIdentifier else { throw .issuer }
        guard claims.string("aud") == "appstoreconnect-v1" else { throw .audience }
        let seconds = Int64(now.timeIntervalSince1970)
        guard let expiration = claims["exp"]?.number?.int64, let bundle = claims.string("bid") else { throw .members }
        var issued = seconds
        if let claim = claims["iat"] {
            guard let date = claim.number?.int64 else { throw .members }
            issued = date
        }
        guard issued <= seconds + Self.maxSkew else { throw .issuedInFuture }
        guard expiration > seconds else { throw .expired }
        guard expiration <= issued.addingReportingOverflow(Self.maxLifetime).partialValue else { throw .lifetime }
        return bundle
    }

    private func object(_ segment: Substring) -> AppStoreJSON.Object? {
        guard let text = try? Base64URL.decode(ArraySlice(segment.utf8)) else { return nil }
        return try? AppStoreJSON(parsing: text[...]).object
    }

    private func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard signature.count == 64, let publicKeyInfo = try? key.key.publicKeyInfo,
            let publicKey = try? P256.Signing.PublicKey(derRepresentation: publicKeyInfo),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return publicKey.isValidSignature(signature, for: bytes)
    }
}
