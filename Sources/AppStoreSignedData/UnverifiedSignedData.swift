public import AppReceiptKit
public import AppReceiptSupport

/// What a token says, without any proof: anybody can write one that says anything. For display and debugging, never to
/// grant something.
public struct UnverifiedSignedData: Sendable, Hashable {
    /// What kind of data it is; nil if it cannot be told.
    public let kind: SignedDataKind?

    /// What it says.
    public let claims: UnverifiedClaims

    /// The certificates that the token carries and that count, the signer's first. None of them is trusted by being there.
    public let certificates: [CertificateSummary]

    /// The tokens in a notification, each unverified.
    public let nested: [UnverifiedSignedData]

    /// - Parameters:
    ///   - token: a compact JWS.
    ///   - limits: how much it may ask of its reader.
    /// - Throws: what keeps it from being read: `token-…`.
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

/// What a token says, by kind.
public enum UnverifiedClaims: Sendable, Hashable {
    /// JWSTransaction.
    case transaction(TransactionClaims)
    /// JWSRenewalInfo.
    case renewalInfo(RenewalInfoClaims)
    /// JWSAppTransaction.
    case appTransaction(AppTransactionClaims)
    /// App Store Server Notifications, version 2.
    case notification(NotificationClaims)
    /// Something else.
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

    /// Every member as it was written.
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
    /// The certificates that can be read.
    var summaries: [CertificateSummary] {
        let roles: [CertificateSummary.Role] = isAlone ? [.signer] : [.signer, .intermediate]
        return zip(certificates, roles).compactMap { der, role in
            Certificate(der: der[...]).map { CertificateSummary($0, role: role) }
        }
    }
}

extension SignedDataKind {
    /// The kind that a token's payload is evidence of, whatever else is wrong with it.
    package init?(ofToken token: String, limits: SignedDataLimits) {
        guard let token = try? JWS(ArraySlice(token.utf8), limits: limits),
            let members = try? token.members(limits: limits)
        else { return nil }
        self.init(of: members)
    }
}

extension JWS {
    /// The payload's members.
    func members(limits: SignedDataLimits) throws(ReceiptError) -> JSONObject {
        let value: JSONValue
        do throws(JSONValue.Fault) {
            value = try JSONValue(parsing: payload[...], depth: limits.depth)
        } catch {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload is \(error.inWords).")
        }
        guard let object = value.object else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload is not a JSON object.")
        }
        // Genuine data has a few dozen; each claim is looked up among all of them.
        guard object.members.count <= 1000 else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload has more than 1,000 members.")
        }
        return object
    }
}
