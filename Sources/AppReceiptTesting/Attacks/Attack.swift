public import AppReceiptKit

/// A receipt that a verifier must reject, the error code that it must produce, and a harmless twin.
///
/// Run the attacks against your own code that verifies receipts. Configure it with ``ReceiptTestCase/roots`` and
/// ``ReceiptTestCase/expectations``:
///
/// ```swift
/// for attack in Attack.all {
///     let forged = try attack.testCase()
///     #expect(!accepts(try forged.encoded(), roots: try forged.roots, forged.expectations), "\(attack)")
///     let twin = try attack.twin()
///     #expect(accepts(try twin.encoded(), roots: try twin.roots, twin.expectations), "\(attack)")
/// }
/// ```
///
/// For code with a fixed configuration, such as a server, use ``independentOfConfiguration``.
///
/// A verifier that rejects everything would pass a test of attacks alone. Every attack therefore has a twin, which is
/// the same receipt without the harmful change or with a harmless one, and must be accepted.
public struct Attack: Sendable {
    /// A short, unique description of the attack.
    public let name: String

    /// The part of a receipt that the attack targets.
    public let target: Target

    /// The code of the error that the attack must produce.
    public let code: ReceiptError.Code

    /// The check at which the attack must be rejected.
    ///
    /// This is the check of ``code``, except for encoding errors, which can occur at several checks.
    public let check: ValidationCheck

    typealias Case = AttackCase<ReceiptTestCase>
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
    /// - Throws: `test-key-malformed` if a change requires a key that can't be read, `test-change-failed` if a change
    ///   throws another error.
    public func testCase() throws(ReceiptError) -> ReceiptTestCase {
        try attackCase.forged(ReceiptTestCase())
    }

    /// Creates the harmless twin's test case, which must be accepted.
    ///
    /// - Returns: The test case.
    /// - Throws: `test-key-malformed` if a change requires a key that can't be read, `test-change-failed` if a change
    ///   throws another error.
    public func twin() throws(ReceiptError) -> ReceiptTestCase {
        try attackCase.harmless(ReceiptTestCase())
    }

    /// The attacks that need no configuration of the verifier beyond the defaults of ``ReceiptTestCase``.
    ///
    /// The code under test trusts the root of ``TestPKI/standard`` and expects `com.example.app` in the sandbox. Attack
    /// and twin differ only in the bytes of the receipt.
    public static let independentOfConfiguration: [Attack] = all.filter { attack in
        let testCases = [try? attack.testCase(), try? attack.twin()]
        return testCases.allSatisfy { $0?.isIndependentOfConfiguration == true }
    }

    /// The part of a receipt that an attack targets, in the order of verification.
    public enum Target: String, Sendable, Hashable, CaseIterable {
        /// The format of the input: DER, base64 or PEM.
        case input
        /// Lengths, tags, nesting depth and the number of elements.
        case encoding
        /// The PKCS #7 container.
        case container
        /// The signed payload with its attributes.
        case payload
        /// The rules for a single certificate.
        case certificates
        /// The certificate chain, and the identification of the signer.
        case chain
        /// The signature over the content.
        case signature
        /// Signed attributes.
        case signedAttributes = "signed-attributes"
        /// Xcode's certificate, and the environment that the receipt claims.
        case environment
        /// The receipt's contents compared with the expectations.
        case expectations

        fileprivate var cases: [Case] {
            switch self {
            case .input: Attack.input
            case .encoding: Attack.encoding
            case .container: Attack.containers
            case .payload: Attack.payloads
            case .certificates: Attack.certificates
            case .chain: Attack.chains
            case .signature: Attack.signatures + Attack.weakAlgorithms
            case .signedAttributes: Attack.signedAttributes
            case .environment: Attack.environments
            case .expectations: Attack.expectationAttacks
            }
        }
    }

    /// Every attack, by target.
    public static let all: [Attack] = Target.allCases.flatMap { target in
        target.cases.map { Attack($0, on: target) }
    }
}

extension Attack: CustomStringConvertible {
    /// The target, the name and the code.
    public var description: String { "\(target.rawValue): \(name) → \(code)" }
}
