@_exported public import AppReceiptKit
@_exported public import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Says whether Apple signed a token of StoreKit 2 or of the App Store's server, for this app, and why not.
///
/// A token (a compact JWS) goes through the checks of ``SignedDataCheck`` in order: it is taken apart, what it says read, the
/// signer's certificate chained to a pinned root as of the date at which it was signed, the signature checked, and what
/// it says compared with what is expected; a notification's own tokens are verified in the same way. The `verify` functions stop at
/// the first failure; ``report(_:as:expecting:now:)`` walks the same way and says of every check what came of it.
///
/// ```swift
/// let verifier = SignedDataVerifier()
/// let expectations = SignedDataExpectations(
///     bundleIdentifier: "com.example.app", environments: [.production, .sandbox], appAppleIdentifier: 1_234_567_890)
/// let transaction = try verifier.verifyTransaction(token, expecting: expectations)
/// ```
///
/// The rules are those of receipts: only ES256, exactly three certificates, of which the third counts for nothing, and
/// Apple's markers on the first two. What Xcode signs is verified with a certificate that the caller names, or
/// refused: nothing makes this verifier take unsigned data for verified. To look at data without verifying it there is
/// ``UnverifiedSignedData``.
///
/// A verifier is a value: make one, share it between threads. It does no input or output and never asks for the time but
/// through `now`. It and its copies remember the last few headers and chains that its anchors vouched for, never tokens or
/// verdicts. Source: Apple, App Store Server API (JWSTransaction and others); RFC 7515; RFC 7518, section 3.4.
public struct SignedDataVerifier: Sendable {
    /// How much a token may ask of the verifier.
    public let limits: SignedDataLimits

    let rules: ChainRules
    let headers = JWSHeaderCache()

    /// - Parameters:
    ///   - anchors: the roots to trust. Default: Apple's.
    ///   - xcode: certificates of Xcode's local testing to trust, for debug builds and tests. Default: none.
    ///   - limits: how much a token may ask of the verifier.
    public init(anchors: TrustAnchors = .apple, xcode: XcodeTrust = .disabled, limits: SignedDataLimits = .default) {
        rules = ChainRules(anchors: anchors, xcode: xcode)
        self.limits = limits
    }

    /// The verified transaction, or the first thing that is wrong with it.
    ///
    /// - Parameters:
    ///   - token: `signedTransactionInfo` of the server, or `VerificationResult.jwsRepresentation` of a device.
    ///   - expectations: what it must say.
    ///   - now: only to say whether the token comes from the future. Certificates are judged when it was signed.
    /// - Throws: the first failure, with its code and stage.
    public func verifyTransaction(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedTransaction {
        try verify(token, TransactionClaims.self, expectations, now)
    }

    /// The verified renewal information, or the first thing that is wrong with it.
    ///
    /// It names no app: that it belongs to yours only a transaction with the same original transaction identifier says.
    ///
    /// - Parameters: as for ``verifyTransaction(_:expecting:now:)``; the token is `signedRenewalInfo` or that of
    ///   `Product.SubscriptionInfo.RenewalInfo`.
    public func verifyRenewalInfo(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedRenewalInfo {
        try verify(token, RenewalInfoClaims.self, expectations, now)
    }

    /// The verified app transaction, or the first thing that is wrong with it.
    ///
    /// - Parameters: as for ``verifyTransaction(_:expecting:now:)``; the token is that of `AppTransaction.shared`.
    public func verifyAppTransaction(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedAppTransaction {
        try verify(token, AppTransactionClaims.self, expectations, now)
    }

    /// The verified notification with the verified data in it, or the first thing that is wrong with any of them.
    ///
    /// - Parameters: as for ``verifyTransaction(_:expecting:now:)``; the token is `signedPayload`.
    public func verifyNotification(
        _ token: String, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedNotification {
        var validation = self.validation(token, NotificationClaims.self, expectations, now)
        for check in SignedDataCheck.allCases { _ = try validation.run(check) }
        return try validation.verifiedNotification()
    }

    /// The verified notification in the body of the App Store server's request, `{"signedPayload": "…"}`.
    ///
    /// - Parameters: as for ``verifyTransaction(_:expecting:now:)``.
    public func verifyNotification(
        body: some Collection<UInt8>, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) throws(ReceiptError) -> VerifiedNotification {
        let token = try NotificationBody.token(in: body, limits: limits)
        return try verifyNotification(token, expecting: expectations, now: now)
    }

    /// What came of each check, with reasons, for a token of any kind. It goes as far as it can: what is compared is
    /// compared even if the signature is wrong, so that a person sees everything that is wrong at once.
    ///
    /// - Parameters: as for ``verifyTransaction(_:expecting:now:)``; `kind` is what the token must be, nil for whatever its
    ///   members are evidence of.
    public func report(
        _ token: String, as kind: SignedDataKind? = nil, expecting expectations: SignedDataExpectations,
        now: Date = Date()
    ) -> SignedDataReport {
        switch kind ?? SignedDataKind(ofToken: token, limits: limits) {
        case .renewalInfo: validation(token, RenewalInfoClaims.self, expectations, now).report()
        case .appTransaction: validation(token, AppTransactionClaims.self, expectations, now).report()
        case .notification: validation(token, NotificationClaims.self, expectations, now).report()
        case .transaction: validation(token, TransactionClaims.self, expectations, now).report()
        case nil: validation(token, UnrecognizedClaims.self, expectations, now).report()
        }
    }

    /// What came of each check for the notification in the body of the App Store server's request.
    ///
    /// - Parameters: as for ``verifyNotification(body:expecting:now:)``.
    public func report(
        body: some Collection<UInt8>, expecting expectations: SignedDataExpectations, now: Date = Date()
    ) -> SignedDataReport {
        do throws(ReceiptError) {
            let token = try NotificationBody.token(in: body, limits: limits)
            return report(token, as: .notification, expecting: expectations, now: now)
        } catch {
            return SignedDataReport(unreadable: error)
        }
    }

    private func verify<Claims: ReadableClaims>(
        _ token: String, _: Claims.Type, _ expectations: SignedDataExpectations, _ now: Date
    ) throws(ReceiptError) -> VerifiedData<Claims> {
        var validation = self.validation(token, Claims.self, expectations, now)
        for check in SignedDataCheck.allCases { _ = try validation.run(check) }
        return try validation.verified()
    }

    private func validation<Claims: ReadableClaims>(
        _ token: String, _: Claims.Type, _ expectations: SignedDataExpectations, _ now: Date
    ) -> SignedDataValidation<Claims> {
        SignedDataValidation(token, verifier: self, expectations, now: now)
    }
}

/// How much a token may ask of its reader. Input is hostile until it is proven; beyond a limit it is refused.
public struct SignedDataLimits: Sendable, Hashable {
    /// The bytes of a token, those in a notification included. Default: 512 KiB; a genuine notification has about 20 KiB.
    public var tokenBytes: Int

    /// The bytes of a token's header. Default: 32 KiB; a genuine one has about 5 KiB.
    public var headerBytes: Int

    /// How deep objects and arrays may be nested. Default: 16.
    public var depth: Int

    /// The defaults, to be changed one by one.
    public init() {
        tokenBytes = 512 << 10
        headerBytes = 32 << 10
        depth = 16
    }

    /// The defaults.
    public static let `default` = SignedDataLimits()
}
