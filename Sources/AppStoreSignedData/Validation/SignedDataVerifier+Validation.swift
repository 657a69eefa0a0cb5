import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

extension SignedDataVerifier {
    /// Runs the checks of a token in the order in which the data flows.
    ///
    /// - Parameters:
    ///   - source: The token, or the error of reading it.
    ///   - kind: The required claims.
    ///   - expectations: The app, environments and device that the token must be for.
    ///   - checks: Runs the checks.
    func validate<Claims: ReadableClaims>(
        _ source: Result<String, ReceiptError>, as kind: Claims.Type, expecting expectations: SignedDataExpectations,
        checks: consuming CheckRecorder
    ) -> ValidationReport<Claims.Verified, SignedDataContents> {
        let (token, header) = readToken(source, checks: &checks)
        guard let token else { return ValidationReport(checks) }
        let (members, claims) = readPayload(of: token, as: kind, checks: &checks)
        let chain: CertificateChain? =
            if let header, let claims { validateChain(of: header, with: claims, checks: &checks) } else { nil }
        let isSigned = chain.map { verifySignature(of: token, with: $0, checks: &checks) } ?? false
        let nested = claims.flatMap { compare($0, with: expectations, checks: &checks) } ?? NestedData()
        var verified: Claims.Verified?
        var environment: AppStoreEnvironment?
        // Only checks that passed set these values, so data can't become verified without them.
        if let claims, let chain, isSigned, let signedDate = claims.signedDate, let text = try? source.get() {
            let data = VerifiedData(claims, token: text, signedDate: signedDate, chain: chain, now: checks.now)
            verified = Claims.verified(data, with: nested)
            environment = data.environment
        }
        return ValidationReport(
            checks, signed: verified, environment: environment,
            contents: checks.isReport ? members.map { SignedDataContents($0, in: claims) } : nil,
            validationDate: claims?.signedDate
        ) { header?.summaries(chain: chain) ?? [] }
    }

    /// Reports on a token of an unknown kind, which is never valid.
    func rejectUnknownKind(_ source: Result<String, ReceiptError>, checks: consuming CheckRecorder) -> SignedDataReport
    {
        let (token, header) = readToken(source, checks: &checks)
        guard let token else { return SignedDataReport(checks) }
        let members = Result { () throws(ReceiptError) in try token.members(limits: limits) }
        switch members {
        case .success: checks.fail(.payload, with: ReceiptError(.tokenKindUnknown))
        case .failure(let error): checks.fail(.payload, with: error)
        }
        return SignedDataReport(checks, contents: (try? members.get()).map { SignedDataContents($0) }) {
            header?.summaries() ?? []
        }
    }

    /// - Returns: The token, also if its header is malformed, so that its payload can be reported; and the header.
    private func readToken(
        _ source: Result<String, ReceiptError>, checks: inout CheckRecorder
    ) -> (token: JWS?, header: JWSHeader?) {
        var token: JWS?
        let header = checks.run(.token) { () throws(ReceiptError) in
            let parsed = try JWS(ArraySlice(source.get().utf8), limits: limits)
            token = parsed
            return try JWSHeader(parsed.header, limits: limits)
        } passed: { header in
            "The token is a JWS with ES256 and \(header.hasSingleCertificate ? "one certificate" : "three certificates")."
        }
        return (token, header)
    }

    /// - Returns: The members, also if they aren't claims of this kind; and the claims.
    private func readPayload<Claims: ReadableClaims>(
        of token: JWS, as kind: Claims.Type, checks: inout CheckRecorder
    ) -> (members: AppStoreJSON.Object?, claims: Claims?) {
        var members: AppStoreJSON.Object?
        let claims = checks.run(.payload) { () throws(ReceiptError) in
            let parsed = try token.members(limits: limits)
            members = parsed
            let evident = SignedDataKind.kinds(matching: parsed)
            // Data of another kind may have all compared members, with another meaning.
            guard evident.isEmpty || evident.contains(Claims.kind) else {
                let names = evident.map(\.nameWithArticle).joined(separator: " or ")
                throw ReceiptError(.tokenKindMismatch, "The token is \(names), not \(Claims.kind.nameWithArticle).")
            }
            return try Claims(parsed)
        } passed: { claims in
            "The payload is \(Claims.kind.nameWithArticle) with \(claims.members.members.count) members."
        }
        return (members, claims)
    }

    private func validateChain(
        of header: JWSHeader, with claims: some ReadableClaims, checks: inout CheckRecorder
    ) -> CertificateChain? {
        checks.runCertificateChain(at: claims.signedDate) { () throws(ReceiptError) in
            // The current time is never a substitute: certificates are validated at the signed date only.
            guard let signedDate = claims.signedDate else { throw ReceiptError(.signedDateMissing) }
            guard header.hasSingleCertificate else {
                return try chainValidator.validate(
                    token: header.certificates[0][...], issuedBy: header.certificates[1][...], at: signedDate)
            }
            guard claims.environment?.base == .xcode else {
                throw ReceiptError(.tokenCertificateCount, check: .certificateChain)
            }
            return try chainValidator.validate(xcodeToken: header.certificates[0][...], at: signedDate)
        }
    }

    private func verifySignature(
        of token: JWS, with chain: CertificateChain, checks: inout CheckRecorder
    ) -> Bool {
        checks.run(.signature) { () throws(ReceiptError) in
            guard try chain.signerKey.isValidES256Signature(token.signature, over: token.signed) else {
                throw ReceiptError(.signatureInvalid)
            }
        } passed: {
            "The signer signed exactly this token."
        } != nil
    }

    /// Compares claims with the expectations.
    ///
    /// - Returns: The verified data in a notification.
    private func compare(
        _ claims: some ReadableClaims, with expectations: SignedDataExpectations, checks: inout CheckRecorder
    ) -> NestedData? {
        checks.compareApp(of: claims, with: expectations.bundleIdentifier)
        checks.compareEnvironment(of: claims, with: expectations.environments)
        checks.compareAppAppleIdentifier(of: claims, with: expectations.appAppleIdentifier)
        checks.compareDevice(of: claims, with: expectations.device)
        guard let notification = claims as? NotificationClaims, !notification.nestedTokens.isEmpty else {
            checks.skip(.nestedData, because: .notApplicable, message: "The data doesn't contain other signed data.")
            return nil
        }
        let now = checks.now
        return checks.run(.nestedData) { () throws(ReceiptError) in
            try NestedData(of: notification, verifiedBy: self, expecting: expectations, now: now)
        } passed: { nested in
            let names = [
                nested.transaction.map { _ in "the transaction" },
                nested.renewalInfo.map { _ in "the renewal information" },
                nested.appTransaction.map { _ in "the app transaction" },
            ].compactMap { $0 }
            let subject = names.joined(separator: " and ")
            return "\(subject.prefix(1).uppercased())\(subject.dropFirst()) "
                + "\(names.count == 1 ? "is" : "are") valid and for the same app."
        } failed: { error in
            // The error already describes the nested data.
            error.message
        }
    }
}

extension ReadableClaims {
    /// Whether the data is a notification about something without a known subject. What it lacks can't be compared, and
    /// nothing in it is used.
    fileprivate var hasOtherSubject: Bool { (self as? NotificationClaims)?.hasOtherSubject ?? false }
}

extension CheckRecorder {
    fileprivate mutating func compareApp(
        of claims: some ReadableClaims, with expected: AcceptedValues<String>
    ) {
        switch type(of: claims).kind {
        case .renewalInfo:
            skip(
                .bundleIdentifier, because: .notApplicable,
                message: "Renewal information doesn't name an app. A transaction of the same subscription does.")
        case .realtimeRequest:
            skip(
                .bundleIdentifier, because: .notApplicable,
                message:
                    "Realtime requests have no bundle identifier. Those from production contain the App Store identifier."
            )
        case _ where claims.bundleIdentifier == nil && claims.hasOtherSubject:
            skip(
                .bundleIdentifier, because: .notApplicable,
                message: "The notification is about something that isn't known yet, and doesn't name an app.")
        default:
            compareBundleIdentifier(claims.bundleIdentifier, with: expected)
        }
    }

    fileprivate mutating func compareEnvironment(
        of claims: some ReadableClaims, with expected: AcceptedValues<AppStoreEnvironment>
    ) {
        guard claims.environment != nil || !claims.hasOtherSubject else {
            return skip(
                .environment, because: .notApplicable,
                message: "The notification is about something that isn't known yet, and doesn't name an environment.")
        }
        compareEnvironment(claims.environment?.base, named: claims.environment?.rawValue, with: expected)
    }

    fileprivate mutating func compareAppAppleIdentifier(
        of claims: some ReadableClaims, with expected: AcceptedValues<UInt64>?
    ) {
        let actual = claims.appAppleIdentifier
        let kind = type(of: claims).kind
        guard kind != .transaction, kind != .renewalInfo, claims.environment == .production,
            actual != nil || !claims.hasOtherSubject
        else {
            return skip(
                .appAppleIdentifier, because: .notApplicable,
                message:
                    "Only notifications, app transactions and realtime requests from production contain the App Store identifier."
            )
        }
        if expected == .anyApp {
            return skip(
                .appAppleIdentifier, because: .notRequested,
                message: "No App Store identifier is expected, so data for any app passes.")
        }
        let accepted = expected?.values
        _ = run(.appAppleIdentifier) { () throws(ReceiptError) in
            guard let accepted else { throw ReceiptError(.appAppleIdentifierUnspecified) }
            guard let actual else { throw ReceiptError(.appAppleIdentifierMissing) }
            guard accepted.contains(actual) else { throw ReceiptError(.appAppleIdentifierMismatch) }
        } passed: {
            "The data is for the app with the App Store identifier \(actual ?? 0)."
        } failed: { error in
            guard error.code == .appAppleIdentifierMismatch, let accepted, !accepted.isEmpty else { return nil }
            let names = accepted.map { "\($0)" }.joined(separator: " or ")
            return "The data is for the app with the App Store identifier \(actual ?? 0), not \(names)."
        }
    }

    fileprivate mutating func compareDevice(
        of claims: some ReadableClaims, with expected: AcceptedValues<UUID>
    ) {
        let kind = type(of: claims).kind
        guard kind != .notification, kind != .realtimeRequest else {
            return skip(
                .deviceVerification, because: .notApplicable,
                message: "Notifications and realtime requests aren't signed for a device.")
        }
        guard let devices = expected.values else {
            return skip(
                .deviceVerification, because: .notRequested,
                message: "No device is expected, so data copied from another device passes.")
        }
        _ = run(.deviceVerification) { () throws(ReceiptError) in
            guard let verification = claims.deviceVerification else {
                guard DeviceVerification.isPresent(in: ClaimReader(members: claims.members)) else {
                    throw ReceiptError(.deviceVerificationMissing)
                }
                throw ReceiptError(
                    .tokenClaimMalformed, check: .deviceVerification,
                    "The device verification is incomplete or malformed.")
            }
            guard devices.contains(where: verification.isFor) else { throw ReceiptError(.deviceVerificationMismatch) }
        } passed: {
            "The data was signed for this device."
        }
    }
}
