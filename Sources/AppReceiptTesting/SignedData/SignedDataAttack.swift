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

    typealias Case = AttackCase<SignedDataTestCase>
    typealias Change = Case.Change

    private let attackCase: Case

    private init(_ attackCase: Case, on target: Target) {
        name = attackCase.name
        code = attackCase.code
        check = attackCase.check
        self.target = target
        self.attackCase = attackCase
    }

    /// Creates the attack's test case, which must be rejected.
    ///
    /// - Returns: The test case.
    /// - Throws: `test-key-malformed` if a change requires a key that can't be read.
    public func testCase() throws(ReceiptError) -> SignedDataTestCase {
        try attackCase.forged(SignedDataTestCase())
    }

    /// Creates the harmless twin's test case, which must be accepted.
    ///
    /// - Returns: The test case.
    /// - Throws: `test-key-malformed` if a change requires a key that can't be read.
    public func twin() throws(ReceiptError) -> SignedDataTestCase {
        try attackCase.harmless(SignedDataTestCase())
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

        fileprivate var cases: [Case] {
            switch self {
            case .envelope: SignedDataAttack.envelopes
            case .header: SignedDataAttack.headers
            case .payload: SignedDataAttack.payloads
            case .chain: SignedDataAttack.chains
            case .signature: SignedDataAttack.signatures
            case .environment: SignedDataAttack.environments
            case .expectations: SignedDataAttack.expectationAttacks
            case .nested: SignedDataAttack.nested
            }
        }
    }

    /// Every attack, by target.
    public static let all: [SignedDataAttack] = Target.allCases.flatMap { target in
        target.cases.map { SignedDataAttack($0, on: target) }
    }
}

extension SignedDataAttack: CustomStringConvertible {
    /// The target, the name and the code.
    public var description: String { "\(target.rawValue): \(name) → \(code)" }
}
