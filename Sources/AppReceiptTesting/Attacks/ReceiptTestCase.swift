public import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A receipt before a verifier: a good one, made 2024-07-02, unless something is changed.
///
/// ```swift
/// let testCase = try ReceiptTestCase.with { $0.pki.signer.markers = [] }
/// try testCase.report().failure?.code  // signer-marker-missing
/// ```
public struct ReceiptTestCase: Sendable {
    /// Who signs.
    public var pki = TestPKI.standard
    /// What is signed.
    public var receipt = TestReceipt()
    /// The trusted roots, each as DER; nil for the PKI's own.
    public var anchors: [[UInt8]]?
    /// The certificates of Xcode's that are trusted.
    public var xcode = XcodeTrust.disabled
    /// The limits of the verifier.
    public var limits = ReceiptLimits.default
    /// What the receipt must say.
    public var expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
    /// When the verifier looks at it.
    public var now = RFC3339.date(year: 2025, month: 1, day: 1, hour: 0, minute: 0, second: 0)
    /// Whether a single certificate like Xcode's signs it.
    public var signsLikeXcode = false
    /// Changes the container before it is encoded.
    public var container: @Sendable (inout TestContainer) throws -> Void = { _ in }
    /// Changes the encoded bytes.
    public var bytes: @Sendable (inout [UInt8]) throws -> Void = { _ in }

    /// A good receipt.
    public init() {}

    /// A receipt with something changed.
    public static func with(_ change: (inout ReceiptTestCase) throws -> Void) rethrows -> ReceiptTestCase {
        var testCase = ReceiptTestCase()
        try change(&testCase)
        return testCase
    }

    /// The bytes of the receipt.
    public func encoded() throws -> [UInt8] {
        var made =
            signsLikeXcode
            ? try TestContainer(content: receipt.payload, signedByXcode: TestPKI.xcode)
            : try TestContainer(content: receipt.payload, signedBy: pki)
        try container(&made)
        var encoded = try made.encoded()
        try bytes(&encoded)
        return encoded
    }

    /// The trusted roots, each as DER: ``anchors``, or the PKI's own.
    public var roots: [[UInt8]] { get throws { try anchors ?? [pki.root.der()] } }

    /// The verifier for the receipt.
    public func verifier() throws -> ReceiptVerifier {
        ReceiptVerifier(anchors: try TrustAnchors(certificates: roots), xcode: xcode, limits: limits)
    }

    /// Whether it is for a verifier that trusts ``TestPKI/standard``'s root and nothing else, with the limits,
    /// expectations and time of every ``ReceiptTestCase``: then its bytes are all there is to it.
    public var isInBytesAlone: Bool {
        let plain = ReceiptTestCase()
        return (anchors.map { $0 == [Self.standardRoot] } ?? (pki.root == TestPKI.standard.root)) && xcode.isDisabled
            && limits == plain.limits && expectations == plain.expectations && now == plain.now
    }

    private static let standardRoot: [UInt8] = (try? TestPKI.standard.root.der()) ?? []

    /// What was verified.
    ///
    /// - Throws: `ReceiptError` if the receipt is refused.
    public func verified() throws -> VerifiedReceipt {
        try verifier().verify(encoded(), expecting: expectations, now: now)
    }

    /// The results of the verifier's checks.
    public func report() throws -> ReceiptReport {
        try verifier().report(encoded(), expecting: expectations, now: now)
    }
}

/// The instant that a constant of the catalogue names.
func instant(_ text: StaticString) -> Date {
    guard let date = ReceiptDate.date(from: text.description) else { preconditionFailure("\(text) isn't a date") }
    return date
}
