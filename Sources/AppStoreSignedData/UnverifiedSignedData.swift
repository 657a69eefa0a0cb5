public import AppReceiptKit
public import AppReceiptSupport

/// The unverified contents of a token.
///
/// Anyone can create a token with any contents. Use them for display and debugging, never to grant access.
public struct UnverifiedSignedData: Sendable, Hashable {
    /// The kind of data; nil if it can't be determined.
    public let kind: SignedDataKind?

    /// The claims.
    public let claims: UnverifiedClaims

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
        claims = try UnverifiedClaims(members, kind)
        certificates = header.summaries
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

/// The claims of a token, by kind.
public enum UnverifiedClaims: Sendable, Hashable {
    /// JWSTransaction.
    case transaction(TransactionClaims)
    /// JWSRenewalInfo.
    case renewalInfo(RenewalInfoClaims)
    /// JWSAppTransaction.
    case appTransaction(AppTransactionClaims)
    /// App Store Server Notifications, version 2.
    case notification(NotificationClaims)
    /// The members of data of an unknown kind.
    case unrecognized(JSONObject)

    init(_ members: JSONObject, _ kind: SignedDataKind?) throws(ReceiptError) {
        self =
            switch kind {
            case .transaction: .transaction(try TransactionClaims(members))
            case .renewalInfo: .renewalInfo(try RenewalInfoClaims(members))
            case .appTransaction: .appTransaction(try AppTransactionClaims(members))
            case .notification: .notification(try NotificationClaims(members))
            case nil: .unrecognized(members)
            }
    }

    /// All members as written, known and unknown.
    public var members: JSONObject {
        switch self {
        case .transaction(let claims): claims.members
        case .renewalInfo(let claims): claims.members
        case .appTransaction(let claims): claims.members
        case .notification(let claims): claims.members
        case .unrecognized(let members): members
        }
    }
}

extension NotificationClaims {
    /// The tokens in the notification, with the names of their members.
    var nestedTokens: [(name: String, token: String)] {
        let tokens: [(name: String, token: String?)] =
            switch subject {
            case .data(let data):
                [("signedTransactionInfo", data.transaction), ("signedRenewalInfo", data.renewalInfo)]
            case .appData(let data): [("signedAppTransactionInfo", data.appTransaction)]
            default: []
            }
        return tokens.compactMap { name, token in token.map { (name, $0) } }
    }
}

extension JWSHeader {
    /// The certificates that can be parsed.
    var summaries: [CertificateSummary] {
        let roles: [CertificateSummary.Role] = hasSingleCertificate ? [.signer] : [.signer, .intermediate]
        return zip(certificates, roles).compactMap { der, role in
            Certificate(der: der[...]).map { CertificateSummary($0, role: role) }
        }
    }
}

extension SignedDataKind {
    /// The kind that the members of a token's payload indicate, even if the token is invalid otherwise.
    package init?(ofToken token: String, limits: SignedDataLimits) {
        guard let token = try? JWS(ArraySlice(token.utf8), limits: limits),
            let members = try? token.members(limits: limits)
        else { return nil }
        self.init(of: members)
    }
}

extension JWS {
    /// Returns the members of the payload.
    func members(limits: SignedDataLimits) throws(ReceiptError) -> JSONObject {
        let value: JSONValue
        do throws(JSONValue.Fault) {
            value = try JSONValue(parsing: payload[...], depth: limits.depth)
        } catch {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload is \(error.predicate).")
        }
        guard let object = value.object else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload isn't a JSON object.")
        }
        // Genuine data has a few dozen members, and each lookup of a claim searches all of them.
        guard object.members.count <= 1000 else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload has more than 1,000 members.")
        }
        return object
    }
}
