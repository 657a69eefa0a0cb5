import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One token on its way through the checks. Verdict and report both walk here.
struct SignedDataValidation<Claims: ReadableClaims> {
    private let source: String
    private let text: ArraySlice<UInt8>
    private let verifier: SignedDataVerifier
    let expectations: SignedDataExpectations
    let now: Date

    // What the checks so far have found.
    private(set) var token: JWS?
    private(set) var header: JWSHeader?
    private(set) var members: JSONObject?
    private(set) var claims: Claims?
    private(set) var chain: CertificateChain?
    private(set) var isSignatureValid = false
    private(set) var nested = NestedData()

    init(_ token: String, verifier: SignedDataVerifier, _ expectations: SignedDataExpectations, now: Date) {
        source = token
        text = ArraySlice(token.utf8)
        self.verifier = verifier
        self.expectations = expectations
        self.now = now
    }

    enum Outcome {
        case passed
        /// The caller expects nothing that this check could compare.
        case notRequested
        /// This kind of data has nothing that could be compared.
        case notApplicable
        /// An earlier check failed, without which this one is not possible.
        case notReached
    }

    /// Makes one check. The checks are made in order, each once.
    mutating func run(_ check: SignedDataCheck) throws(ReceiptError) -> Outcome {
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

    private mutating func readToken() throws(ReceiptError) -> Outcome {
        let token = try JWS(text, limits: verifier.limits)
        self.token = token
        if let known = verifier.headers.header(token.header) {
            header = known
        } else {
            header = try JWSHeader(token.header, limits: verifier.limits)
        }
        return .passed
    }

    private mutating func readPayload() throws(ReceiptError) -> Outcome {
        guard let token else { return .notReached }
        let members = try token.members(limits: verifier.limits)
        self.members = members
        guard !SignedDataKind.isForeign(members) else { throw ReceiptError(.tokenKindUnknown) }
        let evident = SignedDataKind.evident(in: members)
        // Data of another kind may have all the members that are compared, and mean something else.
        guard evident.isEmpty || evident.contains(Claims.kind) else {
            throw ReceiptError(
                .tokenKindMismatch,
                "The token is \(evident.map(\.inWords).joined(separator: " or ")), not \(Claims.kind.inWords).")
        }
        claims = try Claims(members)
        return .passed
    }

    private mutating func validateChain() throws(ReceiptError) -> Outcome {
        guard let header, let claims else { return .notReached }
        // Never today: not signed at any time, no trust.
        guard let signedDate = claims.signedDate else { throw ReceiptError(.signedDateMissing) }
        if header.isAlone {
            guard claims.environment?.base == .xcode else {
                throw ReceiptError(.tokenCertificateCount, stage: .certificateChain)
            }
            chain = try verifier.rules.validate(xcodeToken: header.certificates[0][...], at: signedDate)
        } else {
            chain = try verifier.rules.validate(
                token: header.certificates[0][...], issuedBy: header.certificates[1][...], at: signedDate)
        }
        return .passed
    }

    private mutating func checkSignature() throws(ReceiptError) -> Outcome {
        guard let token, let header, let chain else { return .notReached }
        guard try chain.isValidES256(token.signature, over: token.signed) else { throw ReceiptError(.signatureInvalid) }
        verifier.headers.keep(header, token.header)
        isSignatureValid = true
        return .passed
    }

    private mutating func compare(_ check: SignedDataCheck, _ claims: Claims) throws(ReceiptError) -> Outcome {
        switch check {
        case .bundleIdentifier:
            guard Claims.kind != .renewalInfo else { return .notApplicable }
            guard case .identifier(let expected) = expectations.bundleIdentifier else { return .notRequested }
            guard let actual = claims.bundleIdentifier else {
                throw ReceiptError(.bundleIdentifierMissing, "The data has no bundle identifier to compare.")
            }
            guard actual.utf8.elementsEqual(expected.utf8) else {
                throw ReceiptError(.bundleIdentifierMismatch, "The data is for another app than expected.")
            }
        case .environment:
            guard case .only(let accepted) = expectations.environments else { return .notRequested }
            guard let environment = claims.environment else {
                throw ReceiptError(.environmentMissing, "The data does not say which environment it comes from.")
            }
            guard let base = environment.base else {
                throw ReceiptError(.environmentUnknown, "The data comes from an environment that is not known.")
            }
            guard accepted.contains(base) else {
                throw ReceiptError(
                    .environmentMismatch, "The data comes from an environment that is not accepted here.")
            }
        case .appAppleIdentifier:
            guard Claims.kind == .notification || Claims.kind == .appTransaction,
                claims.environment == .production
            else { return .notApplicable }
            if expectations.appAppleIdentifier == .unspecified { throw ReceiptError(.appAppleIdentifierUnspecified) }
            guard case .identifier(let expected) = expectations.appAppleIdentifier else { return .notRequested }
            guard let actual = claims.appAppleIdentifier else { throw ReceiptError(.appAppleIdentifierMissing) }
            guard actual == expected else { throw ReceiptError(.appAppleIdentifierMismatch) }
        case .deviceVerification:
            guard Claims.kind != .notification else { return .notApplicable }
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
        case .token, .payload, .certificateChain, .signature:
            return .notReached
        }
        return .passed
    }

    /// The verified data, once every check was made and none failed.
    func verified() throws(ReceiptError) -> VerifiedData<Claims> {
        // Each of these is set by a check that passed; nothing becomes verified if one was not made.
        guard let claims, let chain, isSignatureValid, let signedDate = claims.signedDate else {
            throw ReceiptError(.signatureInvalid, "The data was not verified.")
        }
        return VerifiedData(claims, token: source, signedDate: signedDate, chain: chain, now: now)
    }
}

extension SignedDataValidation<NotificationClaims> {
    /// The verified notification, once every check was made and none failed.
    func verifiedNotification() throws(ReceiptError) -> VerifiedNotification {
        VerifiedNotification(
            notification: try verified(), transaction: nested.transaction, renewalInfo: nested.renewalInfo,
            appTransaction: nested.appTransaction)
    }
}
