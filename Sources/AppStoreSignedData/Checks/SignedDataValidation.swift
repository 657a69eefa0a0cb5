import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The validation of one token: the checks that ran so far and their results.
struct SignedDataValidation<Claims: ReadableClaims>: DataValidation {
    static var wording: CheckWording { .signedData }
    static var checks: [ValidationCheck] { ValidationCheck.signedDataChecks }

    private let source: Result<String, ReceiptError>
    private let verifier: SignedDataVerifier
    let expectations: SignedDataExpectations
    let now: Date

    // The results of the checks that ran so far.
    private(set) var token: JWS?
    private(set) var header: JWSHeader?
    private(set) var members: JSONObject?
    private(set) var claims: Claims?
    private(set) var chain: CertificateChain?
    private(set) var isSignatureValid = false
    private(set) var nested = NestedData()

    /// - Parameter source: The token, or the error of reading it.
    init(
        _ source: Result<String, ReceiptError>, verifier: SignedDataVerifier, _ expectations: SignedDataExpectations,
        now: Date
    ) {
        self.source = source
        self.verifier = verifier
        self.expectations = expectations
        self.now = now
    }

    mutating func run(_ check: ValidationCheck) throws(ReceiptError) -> CheckStatus {
        switch check {
        case .token: return try readToken()
        case .payload: return try readPayload()
        case .certificateChain: return try validateChain()
        case .signature: return try checkSignature()
        default:
            guard let claims else { return .notReached }
            return try compare(check, claims)
        }
    }

    private mutating func readToken() throws(ReceiptError) -> CheckStatus {
        let token = try JWS(ArraySlice(source.get().utf8), limits: verifier.limits)
        self.token = token
        if let known = verifier.headers.header(token.header) {
            header = known
        } else {
            header = try JWSHeader(token.header, limits: verifier.limits)
        }
        return .passed
    }

    private mutating func readPayload() throws(ReceiptError) -> CheckStatus {
        guard let token else { return .notReached }
        let members = try token.members(limits: verifier.limits)
        self.members = members
        let evident = SignedDataKind.kinds(matching: members)
        // Data of another kind may have all compared members, with another meaning.
        guard evident.isEmpty || evident.contains(Claims.kind) else {
            throw ReceiptError(
                .tokenKindMismatch,
                "The token is \(evident.map(\.nameWithArticle).joined(separator: " or ")), not \(Claims.kind.nameWithArticle)."
            )
        }
        claims = try Claims(members)
        return .passed
    }

    private mutating func validateChain() throws(ReceiptError) -> CheckStatus {
        guard let header, let claims else { return .notReached }
        // The current time is never a substitute: certificates are validated at the signed date only.
        guard let signedDate = claims.signedDate else { throw ReceiptError(.signedDateMissing) }
        if header.hasSingleCertificate {
            guard claims.environment?.base == .xcode else {
                throw ReceiptError(.tokenCertificateCount, stage: .certificateChain)
            }
            chain = try verifier.chainValidator.validate(xcodeToken: header.certificates[0][...], at: signedDate)
        } else {
            chain = try verifier.chainValidator.validate(
                token: header.certificates[0][...], issuedBy: header.certificates[1][...], at: signedDate)
        }
        return .passed
    }

    private mutating func checkSignature() throws(ReceiptError) -> CheckStatus {
        guard let token, let header, let chain else { return .notReached }
        guard try chain.signerKey.isValidES256Signature(token.signature, over: token.signed) else {
            throw ReceiptError(.signatureInvalid)
        }
        verifier.headers.insert(header, token.header)
        isSignatureValid = true
        return .passed
    }

    private mutating func compare(_ check: ValidationCheck, _ claims: Claims) throws(ReceiptError) -> CheckStatus {
        switch check {
        case .bundleIdentifier:
            guard Claims.kind != .renewalInfo, Claims.kind != .realtimeRequest,
                claims.bundleIdentifier != nil || !hasUnknownSubject
            else { return .notApplicable }
            return try compareBundleIdentifier()
        case .environment:
            guard claims.environment != nil || !hasUnknownSubject else { return .notApplicable }
            return try compareEnvironment()
        case .appAppleIdentifier:
            guard Claims.kind != .transaction, Claims.kind != .renewalInfo, claims.environment == .production,
                claims.appAppleIdentifier != nil || !hasUnknownSubject
            else { return .notApplicable }
            if expectations.appAppleIdentifier == .unspecified { throw ReceiptError(.appAppleIdentifierUnspecified) }
            guard case .identifier(let expected) = expectations.appAppleIdentifier else { return .notRequested }
            guard let actual = claims.appAppleIdentifier else { throw ReceiptError(.appAppleIdentifierMissing) }
            guard actual == expected else { throw ReceiptError(.appAppleIdentifierMismatch) }
        case .deviceVerification:
            guard Claims.kind != .notification, Claims.kind != .realtimeRequest else { return .notApplicable }
            guard case .identifier(let device) = expectations.device else { return .notRequested }
            guard let verification = claims.deviceVerification else {
                guard DeviceVerification.isPresent(in: ClaimReader(members: claims.members)) else {
                    throw ReceiptError(.deviceVerificationMissing)
                }
                throw ReceiptError(
                    .tokenClaimMalformed, stage: .deviceVerification,
                    "The device verification is incomplete or malformed.")
            }
            guard verification.isFor(device) else { throw ReceiptError(.deviceVerificationMismatch) }
        case .nestedData:
            guard let notification = claims as? NotificationClaims else { return .notApplicable }
            guard !notification.nestedTokens.isEmpty else { return .notApplicable }
            nested = try NestedData(notification, verifier, expectations, now: now)
        default:
            return .notApplicable
        }
        return .passed
    }

    /// Whether the data is a notification about something that isn't known yet. What it lacks can't be compared, and nothing in it is used.
    private var hasUnknownSubject: Bool { (claims as? NotificationClaims)?.hasUnknownSubject ?? false }

    /// Returns the data if its chain and signature are valid.
    func authenticated() throws(ReceiptError) -> Claims.Verified {
        // Only checks that pass set these values, so data can't become verified without them.
        guard let claims, let chain, isSignatureValid, let signedDate = claims.signedDate else {
            throw ReceiptError(.signatureInvalid, "The data wasn't verified.")
        }
        let data = VerifiedData(claims, token: try source.get(), signedDate: signedDate, chain: chain, now: now)
        return try Claims.verified(data, nested)
    }
}

extension SignedDataValidation {
    var claimedBundleIdentifier: String? { claims?.bundleIdentifier }
    var expectedBundleIdentifier: Expectations.BundleIdentifier { expectations.bundleIdentifier }
    var claimedEnvironmentName: String? { claims?.environment?.rawValue }
    var expectedEnvironments: Expectations.Environments { expectations.environments }
    var claimedEnvironment: ReceiptEnvironment.Base? { claims?.environment?.base }
    var validationDate: Date? { claims?.signedDate }

    var sharedContents: SharedValue<SignedDataContents>? {
        members.map {
            SharedValue(SignedDataContents(kind: SignedDataKind(of: $0), payload: $0, nested: nestedPayloads))
        }
    }

    /// The payloads of the tokens in a notification, verified or not.
    private var nestedPayloads: [String: JSONObject] {
        guard let notification = claims as? NotificationClaims else { return [:] }
        var payloads: [String: JSONObject] = [:]
        for (name, token) in notification.nestedTokens {
            payloads[name] = (try? UnverifiedSignedData(parsing: token))?.claims.members
        }
        return payloads
    }

    /// Returns the certificates of the token that the validation uses, and the anchor.
    var certificateSummaries: @Sendable () -> [CertificateSummary] {
        { [header, chain] in
            let summaries = header?.summaries ?? []
            guard let chain else { return summaries }
            guard let anchor = chain.anchor else { return [CertificateSummary(chain.signer, role: .xcode)] }
            return summaries + [CertificateSummary(anchor, role: .anchor)]
        }
    }
}
