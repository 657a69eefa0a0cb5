import AppStoreServerAPI

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
