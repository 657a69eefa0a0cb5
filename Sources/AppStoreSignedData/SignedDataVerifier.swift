public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport

/// Verifies that Apple signed a token of StoreKit 2 or of the App Store's server for this app.
///
/// A token (a compact JWS) passes the checks of ``AppReceiptParsing/ValidationCheck/signedDataChecks`` in order: it is
/// parsed, then its payload; the signer's certificate is chained to a pinned root as of the date on which it was
/// signed; the signature is verified; and the claims are compared with the ``SignedDataExpectations``. The tokens in a
/// notification pass the same checks. The `verify` functions stop at the first failure; ``report(_:as:expecting:now:)``
/// runs every check it can and returns the result of each.
///
/// ```swift
/// let verifier = SignedDataVerifier()
/// let expectations = SignedDataExpectations(
///     bundleIdentifier: "com.example.app", environments: [.production, .sandbox], appAppleIdentifier: 1_234_567_890)
/// let transaction = try verifier.verifyTransaction(token, expecting: expectations)
/// ```
///
/// The rules are those of receipts: only ES256, exactly three certificates, of which the third is ignored, and Apple's
/// markers on the first two. Data that Xcode signed is verified with a certificate that the caller names, or rejected.
/// Use ``UnverifiedSignedData`` to read data without verifying it.
///
/// Create one verifier and share it between threads. Verification is synchronous and performs no I/O; `now` is the only
/// source of the current time. Copies of a verifier share a cache of recently validated certificate chains; tokens and
/// results are never cached. Source: Apple, App Store Server API (JWSTransaction and others); RFC 7515; RFC 7518,
/// section 3.4.
public struct SignedDataVerifier: Sendable {
    /// The limits for tokens.
    public let limits: SignedDataLimits

    let chainValidator: ChainValidator

    /// The trusted roots.
    package var anchors: TrustAnchors { chainValidator.anchors }

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - anchors: The roots to trust. Default: Apple's.
    ///   - xcode: Xcode's certificates for local testing to trust, for debug builds and tests. Default: none.
    ///   - limits: The limits for tokens.
    public init(anchors: TrustAnchors = .apple, xcode: XcodeTrust = .disabled, limits: SignedDataLimits = .default) {
        chainValidator = ChainValidator(anchors: anchors, xcode: xcode)
        self.limits = limits
    }

    /// Verifies a transaction.
    ///
    /// - Parameters:
    ///   - token: `signedTransactionInfo` of the server, or `VerificationResult.jwsRepresentation` of a device.
    ///   - expectations: The app, environments and device that the token must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future. Certificates are
    ///     validated at the date the token was signed.
    /// - Returns: The verified transaction.
    /// - Throws: The first failure, with its code and check.
    public func verifyTransaction(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedTransaction {
        try verify(token, as: TransactionClaims.self, expecting: expectations, now: now)
    }

    /// Verifies renewal information.
    ///
    /// Renewal information doesn't name an app. It belongs to yours only if a transaction with the same original
    /// transaction identifier does.
    ///
    /// - Parameters:
    ///   - token: `signedRenewalInfo` of the server, or the token of `Product.SubscriptionInfo.RenewalInfo`.
    ///   - expectations: The app, environments and device that the token must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The verified renewal information.
    /// - Throws: The first failure, with its code and check.
    public func verifyRenewalInfo(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedRenewalInfo {
        try verify(token, as: RenewalInfoClaims.self, expecting: expectations, now: now)
    }

    /// Verifies an app transaction.
    ///
    /// - Parameters:
    ///   - token: The token of `AppTransaction.shared`.
    ///   - expectations: The app, environments and device that the token must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The verified app transaction.
    /// - Throws: The first failure, with its code and check.
    public func verifyAppTransaction(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedAppTransaction {
        try verify(token, as: AppTransactionClaims.self, expecting: expectations, now: now)
    }

    /// Verifies a notification and the data in it.
    ///
    /// - Parameters:
    ///   - token: `signedPayload` of the App Store server's request.
    ///   - expectations: The app and environments that the notification and the data in it must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The verified notification, with the verified data in it.
    /// - Throws: The first failure, with its code and check.
    public func verifyNotification(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedNotification {
        try verify(token, as: NotificationClaims.self, expecting: expectations, now: now)
    }

    /// Verifies the notification in the body of the App Store server's request, `{"signedPayload": "…"}`, and the data
    /// in it.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - expectations: The app and environments that the notification and the data in it must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The verified notification, with the verified data in it.
    /// - Throws: The first failure, with its code and check.
    public func verifyNotification(
        body: some Collection<UInt8>, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedNotification {
        return try verifyNotification(signedPayload(in: body), expecting: expectations, now: now)
    }

    /// Verifies a realtime request of retention messaging in the body of the App Store's request,
    /// `{"signedPayload": "…"}`.
    ///
    /// A realtime request has no bundle identifier, so the expected one isn't compared. Pass the app's App Store
    /// identifier.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - expectations: The app and environments that the request must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The verified realtime request.
    /// - Throws: The first failure, with its code and check.
    public func verifyRealtimeRequest(
        body: some Collection<UInt8>, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedRealtimeRequest {
        try verifyRealtimeRequest(signedPayload(in: body), expecting: expectations, now: now)
    }

    /// Verifies a realtime request of retention messaging.
    ///
    /// A realtime request has no bundle identifier, so the expected one isn't compared. Pass the app's App Store
    /// identifier.
    ///
    /// - Parameters:
    ///   - token: `signedPayload` of the App Store's request.
    ///   - expectations: The app and environments that the request must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The verified realtime request.
    /// - Throws: The first failure, with its code and check.
    public func verifyRealtimeRequest(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedRealtimeRequest {
        try verify(token, as: RealtimeRequestClaims.self, expecting: expectations, now: now)
    }

    /// Runs every check of a token of any kind and reports the result of each.
    ///
    /// The claims are compared with the expectations even if the signature is invalid, so that the report shows all
    /// failures at once.
    ///
    /// - Parameters:
    ///   - token: A compact JWS.
    ///   - kind: The required kind of data; nil for the kind that the members indicate.
    ///   - expectations: The app, environments and device that the token must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The results of all checks, and the verified data or the first failure.
    public func report(
        _ token: String, as kind: SignedDataKind? = nil, expecting expectations: SignedDataExpectations,
        now: Date = Date()
    ) -> SignedDataReport {
        report(
            source: .success(token), as: kind ?? SignedDataKind(ofToken: token, limits: limits),
            expecting: expectations, now: now)
    }

    /// Runs every check of the notification in the body of the App Store server's request and reports the result of
    /// each.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - expectations: The app and environments that the notification and the data in it must be for.
    ///   - now: The current time, used only to determine whether the token comes from the future.
    /// - Returns: The results of all checks, and the verified data or the first failure.
    public func report(
        body: some Collection<UInt8>, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) -> SignedDataReport {
        let source = Result { () throws(ReceiptError) in try signedPayload(in: body) }
        return report(source: source, as: .notification, expecting: expectations, now: now)
    }

    /// Returns the token in the body of the App Store server's request, a notification or a realtime request:
    /// `{"signedPayload": "…"}`.
    package func signedPayload(in body: some Collection<UInt8>) throws(ReceiptError) -> String {
        // Escapes may make the text longer than the token.
        guard body.count <= 2 * limits.maxTokenBytes else { throw ReceiptError(.tokenTooLarge) }
        let value: AppStoreJSON
        do throws(AppStoreJSON.Fault) {
            value = try AppStoreJSON(parsing: Array(body)[...].withoutByteOrderMark, depth: limits.maxDepth)
        } catch {
            throw ReceiptError(.tokenMalformed, "The request's body is \(error.predicate).")
        }
        if let mistake = value.object?.tokenMistake { throw ReceiptError(mistake) }
        guard let token = value.object?["signedPayload"]?.string else {
            throw ReceiptError(.tokenMalformed, "The request's body doesn't have a string member 'signedPayload'.")
        }
        return token
    }

    /// Runs every check of a token, or reports why there is none.
    package func report(
        source: Result<String, ReceiptError>, as kind: SignedDataKind?, expecting expectations: SignedDataExpectations,
        now: Date = Date()
    ) -> SignedDataReport {
        let checks = CheckRecorder(
            ValidationCheck.signedDataChecks, of: .signedData, recording: .everyResult, now: now)
        func report<Claims: ReadableClaims>(
            as kind: Claims.Type
        ) -> ValidationReport<Claims.Verified, SignedDataContents> {
            validate(source, as: kind, expecting: expectations, checks: checks)
        }
        return switch kind {
        case .transaction: report(as: TransactionClaims.self).map { .transaction($0) }
        case .renewalInfo: report(as: RenewalInfoClaims.self).map { .renewalInfo($0) }
        case .appTransaction: report(as: AppTransactionClaims.self).map { .appTransaction($0) }
        case .notification: report(as: NotificationClaims.self).map { .notification($0) }
        case .realtimeRequest: report(as: RealtimeRequestClaims.self).map { .realtimeRequest($0) }
        case nil: rejectUnknownKind(source, checks: checks)
        }
    }

    private func verify<Claims: ReadableClaims>(
        _ token: String, as kind: Claims.Type, expecting expectations: SignedDataExpectations, now: Date
    ) throws(ReceiptError) -> Claims.Verified {
        let checks = CheckRecorder(
            ValidationCheck.signedDataChecks, of: .signedData, recording: .firstFailure, now: now)
        return try validate(.success(token), as: kind, expecting: expectations, checks: checks).result.get()
    }
}
