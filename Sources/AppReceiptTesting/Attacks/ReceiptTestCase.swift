public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport

/// A receipt with the configuration of the verifier. By default, the receipt is valid and was created on 2024-07-02.
///
/// ```swift
/// let testCase = try ReceiptTestCase.with { $0.pki.signer.markers = [] }
/// try testCase.report().failure?.code  // signer-marker-missing
/// ```
public struct ReceiptTestCase: Sendable {
    /// The PKI that signs the receipt.
    public var pki = TestPKI.standard
    /// The receipt's contents.
    public var receipt = TestReceipt()
    /// The trusted roots, each as DER; nil for the PKI's own.
    public var anchors: [[UInt8]]?
    /// The Xcode certificates that the verifier trusts.
    public var xcode = XcodeTrust.disabled
    /// The limits of the verifier.
    public var limits = ReceiptLimits.default
    /// The verifier's expectations.
    public var expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
    /// The date of the verification.
    public var now = RFC3339.date(year: 2025, month: 1, day: 1, hour: 0, minute: 0, second: 0)
    /// Whether the receipt is signed as by Xcode, by a single self-signed certificate.
    public var isSignedByXcode = false
    /// A change to the container before it is encoded.
    public var container: @Sendable (inout TestContainer) throws -> Void = { _ in }
    /// A change to the encoded bytes.
    public var bytes: @Sendable (inout [UInt8]) throws -> Void = { _ in }

    /// Creates a test case with a valid receipt.
    public init() {}

    /// Creates a test case with the given changes.
    public static func with(_ change: (inout ReceiptTestCase) throws -> Void) rethrows -> ReceiptTestCase {
        var testCase = ReceiptTestCase()
        try change(&testCase)
        return testCase
    }

    /// Encodes the receipt.
    ///
    /// - Returns: The receipt.
    /// - Throws: `test-key-malformed` if a key can't be read, or the error of a change.
    public func encoded() throws(ReceiptError) -> [UInt8] {
        var made =
            isSignedByXcode
            ? try TestContainer(content: receipt.payload, signedByXcode: TestPKI.xcode)
            : try TestContainer(content: receipt.payload, signedBy: pki)
        try ReceiptError.changing { try container(&made) }
        var encoded = try made.encoded()
        try ReceiptError.changing { try bytes(&encoded) }
        return encoded
    }

    /// The trusted roots, each as DER: ``anchors``, or the PKI's own.
    public var roots: [[UInt8]] {
        get throws(ReceiptError) { if let anchors { anchors } else { [try pki.root.der()] } }
    }

    /// Creates the verifier for the receipt.
    ///
    /// - Returns: The verifier.
    /// - Throws: `ReceiptError` if a root isn't a certificate.
    public func verifier() throws(ReceiptError) -> ReceiptVerifier {
        ReceiptVerifier(anchors: try TrustAnchors(der: roots), xcode: xcode, limits: limits)
    }

    /// Whether the verifier's configuration is the default: it trusts only the root of ``TestPKI/standard``, with the
    /// default limits, expectations and date.
    public var isIndependentOfConfiguration: Bool {
        let plain = ReceiptTestCase()
        return (anchors.map { $0 == [Self.standardRoot] } ?? (pki.root == TestPKI.standard.root)) && xcode.isDisabled
            && limits == plain.limits && expectations == plain.expectations && now == plain.now
    }

    private static let standardRoot: [UInt8] = (try? TestPKI.standard.root.der()) ?? []

    /// Verifies the receipt.
    ///
    /// - Returns: The verified receipt.
    /// - Throws: `ReceiptError` if the receipt is rejected.
    public func verified() throws(ReceiptError) -> VerifiedReceipt {
        try verifier().verify(encoded(), expecting: expectations, now: now)
    }

    /// Returns the results of the verifier's checks.
    ///
    /// - Returns: The report.
    /// - Throws: An error if the receipt can't be encoded, or a root isn't a certificate.
    public func report() throws(ReceiptError) -> ReceiptReport {
        try verifier().report(encoded(), expecting: expectations, now: now)
    }
}

/// Parses the date of a constant in the catalog.
func instant(_ text: StaticString) -> Date {
    guard let date = ReceiptDate.date(from: text.description) else { preconditionFailure("\(text) isn't a date") }
    return date
}
