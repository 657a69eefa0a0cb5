public import AppReceiptKit
import AppStoreSignedData

/// Signed data that a verifier must reject, the error code that it must produce, and a harmless twin.
///
/// Run the attacks against your own code that verifies signed data. Configure it with ``SignedDataTestCase/roots`` and
/// ``SignedDataTestCase/expectations``:
///
/// ```swift
/// for attack in SignedDataAttack.all {
///     let forged = try attack.testCase()
///     #expect(!accepts(try forged.encoded(), roots: try forged.roots, forged.expectations), "\(attack)")
///     let twin = try attack.twin()
///     #expect(accepts(try twin.encoded(), roots: try twin.roots, twin.expectations), "\(attack)")
/// }
/// ```
///
/// A verifier that rejects everything would pass a test of attacks alone. Every attack therefore has a twin, which is
/// the same token without the harmful change or with a harmless one, and must be accepted.
public struct SignedDataAttack: Sendable {
    /// A short, unique description of the attack.
    public let name: String

    /// The part of a token that the attack targets.
    public let target: Target

    /// The code of the error that the attack must produce.
    public let code: ReceiptError.Code

    /// The check at which the attack must be rejected.
    ///
    /// This is the check of ``code``, except for tokens in a notification and for a malformed device verification.
    public let check: ValidationCheck

    private let given: Change
    private let harm: Change
    private let twinChange: Change

    typealias Change = @Sendable (inout SignedDataTestCase) throws -> Void

    /// - Parameters:
    ///   - given: The changes that attack and twin share.
    ///   - twin: The twin's harmless change.
    ///   - harm: The attack's change.
    init(
        _ name: String, code: ReceiptError.Code, check: ValidationCheck? = nil, on target: Target,
        given: @escaping Change = { _ in }, twin: @escaping Change = { _ in }, harm: @escaping Change
    ) {
        self.name = name
        self.target = target
        self.code = code
        self.check = check ?? code.check
        self.given = given
        self.harm = harm
        twinChange = twin
    }

    /// Creates the attack's test case, which must be rejected.
    ///
    /// - Returns: The test case.
    /// - Throws: `test-key-malformed` if a change requires a key that can't be read.
    public func testCase() throws(ReceiptError) -> SignedDataTestCase {
        try testCase(changedBy: harm)
    }

    /// Creates the harmless twin's test case, which must be accepted.
    ///
    /// - Returns: The test case.
    /// - Throws: `test-key-malformed` if a change requires a key that can't be read.
    public func twin() throws(ReceiptError) -> SignedDataTestCase {
        try testCase(changedBy: twinChange)
    }

    private func testCase(changedBy change: Change) throws(ReceiptError) -> SignedDataTestCase {
        var testCase = SignedDataTestCase()
        try ReceiptError.changing {
            try given(&testCase)
            try change(&testCase)
        }
        return testCase
    }

    /// The part of a token that an attack targets.
    public enum Target: String, Sendable, Hashable, CaseIterable {
        /// Segments and their base64.
        case envelope
        /// The header's JSON, algorithm and certificates.
        case header
        /// The payload's JSON and claims.
        case payload
        /// The certificate chain.
        case chain
        /// The signature over header and payload.
        case signature
        /// Data that Xcode signs.
        case environment
        /// The claims compared with the expectations.
        case expectations
        /// The tokens in a notification.
        case nested
    }

    /// Every attack, by target.
    public static let all: [SignedDataAttack] =
        envelopes + headers + payloads + chains + signatures + environments + expectationAttacks + nested
}

extension SignedDataAttack: CustomStringConvertible {
    /// The target, the name and the code.
    public var description: String { "\(target.rawValue): \(name) → \(code)" }
}
