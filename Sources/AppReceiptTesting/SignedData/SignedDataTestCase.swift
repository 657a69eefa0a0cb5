public import AppReceiptFoundation
public import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

/// A token with the configuration of the verifier. By default, the token is a valid sandbox transaction, signed on
/// 2024-07-02.
///
/// ```swift
/// let testCase = try SignedDataTestCase.with { $0.pki.signer.markers = [] }
/// try testCase.report().failure?.code  // signer-marker-missing
/// ```
public struct SignedDataTestCase: Sendable {
    /// The PKI that signs the token.
    public var pki = TestPKI.signedData
    /// The token's claims.
    public var claims: any TestClaims = TestTransaction("com.example.pro", transaction: "2000000000000001")
    /// The kind of data that the verifier expects.
    public var kind = SignedDataKind.transaction
    /// The trusted roots, each as DER; nil for the PKI's own.
    public var anchors: [[UInt8]]?
    /// The Xcode certificates that the verifier trusts.
    public var xcode = XcodeTrust.disabled
    /// The limits of the verifier.
    public var limits = SignedDataLimits.default
    /// The verifier's expectations.
    public var expectations = SignedDataExpectations(
        bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: 1_234_567_890)
    /// The date of the verification.
    public var now = RFC3339.date(year: 2025, month: 1, day: 1, hour: 0, minute: 0, second: 0)
    /// Whether the token is signed as by Xcode, by a single self-signed certificate.
    public var isSignedByXcode = false
    /// A change to the token before it is encoded.
    public var token: @Sendable (inout TestToken) throws -> Void = { _ in }
    /// A change to the encoded text.
    public var text: @Sendable (inout String) throws -> Void = { _ in }

    /// Creates a test case with a valid transaction.
    public init() {}

    /// Creates a test case with the given changes.
    public static func with(_ change: (inout SignedDataTestCase) throws -> Void) rethrows -> SignedDataTestCase {
        var testCase = SignedDataTestCase()
        try change(&testCase)
        return testCase
    }

    /// Signs and encodes the token.
    ///
    /// - Returns: The token.
    /// - Throws: `test-key-malformed` if a key can't be read, or the error of a change.
    public func encoded() throws(ReceiptError) -> String {
        var made =
            isSignedByXcode
            ? try TestToken(claims.members, signedByXcode: TestPKI.xcodeTokens)
            : try TestToken(claims.members, signedBy: pki)
        try ReceiptError.changing { try token(&made) }
        var encoded = try made.encoded()
        try ReceiptError.changing { try text(&encoded) }
        return encoded
    }

    /// The trusted roots, each as DER: ``anchors``, or the PKI's own.
    public var roots: [[UInt8]] {
        get throws(ReceiptError) { if let anchors { anchors } else { [try pki.root.der()] } }
    }

    /// Creates the verifier for the token.
    ///
    /// - Returns: The verifier.
    /// - Throws: `ReceiptError` if a root isn't a certificate.
    public func verifier() throws(ReceiptError) -> SignedDataVerifier {
        SignedDataVerifier(anchors: try TrustAnchors(der: roots), xcode: xcode, limits: limits)
    }

    /// Verifies the token as its expected kind.
    ///
    /// - Returns: The verified claims.
    /// - Throws: `ReceiptError` if the token is rejected.
    @discardableResult
    public func verify() throws(ReceiptError) -> AppStoreJSON.Object { try verify(encoded()) }

    @discardableResult
    package func verify(_ token: String) throws(ReceiptError) -> AppStoreJSON.Object {
        let verifier = try verifier()
        switch kind {
        case .transaction:
            return try verifier.verifyTransaction(token, expecting: expectations, now: now).claims.members
        case .renewalInfo:
            return try verifier.verifyRenewalInfo(token, expecting: expectations, now: now).claims.members
        case .appTransaction:
            return try verifier.verifyAppTransaction(token, expecting: expectations, now: now).claims.members
        case .notification:
            return try verifier.verifyNotification(token, expecting: expectations, now: now).claims.members
        case .realtimeRequest:
            return try verifier.verifyRealtimeRequest(token, expecting: expectations, now: now).claims.members
        }
    }

    /// Returns the results of the verifier's checks.
    ///
    /// - Returns: The report.
    /// - Throws: An error if the token can't be encoded, or a root isn't a certificate.
    public func report() throws(ReceiptError) -> SignedDataReport { try report(encoded()) }

    package func report(_ token: String) throws(ReceiptError) -> SignedDataReport {
        try verifier().report(token, as: kind, expecting: expectations, now: now)
    }
}
