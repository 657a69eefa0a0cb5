public import AppReceiptKit
import AppReceiptSupport

/// The unverified contents of a token.
///
/// Anyone can create a token with any contents. Use them for display and debugging, never to grant access.
public struct UnverifiedSignedData: Sendable, Hashable {
    /// The kind of data; nil if it can't be determined.
    public let kind: SignedDataKind?

    /// The claims.
    public let claims: Claims

    /// The certificates in the token that a verifier would use, the signer's first. They aren't trusted.
    public let certificates: [CertificateSummary]

    /// The tokens in a notification, each unverified.
    public let nested: [UnverifiedSignedData]

    /// Parses a token without verifying it.
    ///
    /// - Parameters:
    ///   - token: A compact JWS.
    ///   - limits: The limits for tokens.
    /// - Throws: A `token-…` error if the token can't be parsed.
    public init(parsing token: String, limits: SignedDataLimits = .default) throws(ReceiptError) {
        try self.init(ArraySlice(token.utf8), limits: limits, mayNest: true)
    }

    private init(_ text: ArraySlice<UInt8>, limits: SignedDataLimits, mayNest: Bool) throws(ReceiptError) {
        let token = try JWS(text, limits: limits)
        let header = try JWSHeader(token.header, limits: limits)
        let members = try token.members(limits: limits)
        let kind = SignedDataKind(of: members)
        self.kind = kind
        claims = try Claims(members, kind: kind)
        certificates = header.summaries()
        guard mayNest, case .notification(let notification) = claims else {
            nested = []
            return
        }
        var tokens: [UnverifiedSignedData] = []
        for (_, token) in notification.nestedTokens {
            tokens.append(try Self(ArraySlice(token.utf8), limits: limits, mayNest: false))
        }
        nested = tokens
    }
}

extension UnverifiedSignedData.Claims {
    /// The claims in a token's payload, even if its header is malformed; nil if they are.
    package init?(ofToken token: String, limits: SignedDataLimits) {
        guard let members = JWS.members(ofToken: token, limits: limits) else { return nil }
        try? self.init(members, kind: SignedDataKind(of: members))
    }
}

extension SignedDataKind {
    /// The kind that the members of a token's payload indicate, even if the token is invalid otherwise.
    package init?(ofToken token: String, limits: SignedDataLimits) {
        guard let members = JWS.members(ofToken: token, limits: limits) else { return nil }
        self.init(of: members)
    }
}

extension JWS {
    /// Returns the members of a token's payload, even if its header is malformed; nil if they can't be read.
    fileprivate static func members(ofToken token: String, limits: SignedDataLimits) -> AppStoreJSON.Object? {
        try? JWS(ArraySlice(token.utf8), limits: limits).members(limits: limits)
    }
}
