public import AppReceiptKit

/// One way to get a receipt accepted that should not be, with the code that it must give, and its harmless twin.
///
/// Run them against your own code that verifies receipts. It trusts ``ReceiptTestCase/roots``, and expects what
/// ``ReceiptTestCase/expectations`` say:
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
/// Code with fixed trust and expectations, such as a server behind HTTP, uses those of
/// ``inBytesAlone``. A verifier that rejects everything would pass a test of attacks alone, so every
/// attack has a twin, the same receipt without the harm or with a harmless change in its place, that must pass.
public struct Attack: Sendable {
    /// What it tries, in a few words; no two are the same.
    public let name: String

    /// What part of a receipt it is aimed at.
    public let target: Target

    /// The code that it must give.
    public let code: ReceiptError.Code

    /// The stage at which it must be refused; the code's own for all but faults of the encoding, which may arise
    /// anywhere.
    public let stage: ReceiptError.Stage

    private let given: Change
    private let harm: Change
    private let twinChange: Change

    typealias Change = @Sendable (inout ReceiptTestCase) throws -> Void

    /// - Parameters:
    ///   - given: what attack and twin have in common.
    ///   - twin: what the twin has instead.
    ///   - harm: what the attack changes.
    init(
        _ name: String, _ code: ReceiptError.Code, stage: ReceiptError.Stage? = nil, on target: Target,
        given: @escaping Change = { _ in }, twin: @escaping Change = { _ in }, _ harm: @escaping Change
    ) {
        self.name = name
        self.target = target
        self.code = code
        self.stage = stage ?? code.stage
        self.given = given
        self.harm = harm
        twinChange = twin
    }

    /// The attack, before the verifier that must refuse it.
    public func testCase() throws -> ReceiptTestCase {
        try ReceiptTestCase.with {
            try given(&$0); try harm(&$0)
        }
    }

    /// Its harmless twin, before the verifier that must accept it.
    public func twin() throws -> ReceiptTestCase {
        try ReceiptTestCase.with {
            try given(&$0); try twinChange(&$0)
        }
    }

    /// The attacks that are in their bytes alone, and whose twins are too: for code that trusts the root of
    /// ``TestPKI/standard`` and expects `com.example.app` in the sandbox, as every ``ReceiptTestCase`` does unless it says otherwise.
    public static let inBytesAlone: [Attack] = all.filter { attack in
        let testCases = [try? attack.testCase(), try? attack.twin()]
        return testCases.allSatisfy { $0?.isInBytesAlone == true }
    }

    /// What an attack is aimed at, in the order in which a verifier comes to it.
    public enum Target: String, Sendable, Hashable, CaseIterable {
        /// What kind of bytes these are: text, base64, PEM.
        case input
        /// Lengths and tags, depth and number of elements.
        case encoding
        /// The PKCS #7 container.
        case container
        /// The attributes that are signed.
        case payload
        /// The rules that a certificate breaks by itself.
        case certificates
        /// How certificates hang together, and which is the signer's.
        case chain
        /// The signature over the content.
        case signature
        /// Signed attributes.
        case signedAttributes = "signed-attributes"
        /// Xcode's certificate, and what environment is claimed.
        case environment
        /// The receipt's contents compared with the expectations.
        case expectations
    }

    /// Every attack, by target.
    public static let all: [Attack] =
        input + encoding + containers + payloads + certificates + chains + signatures + weakAlgorithms
        + signedAttributes
        + environments + expectationAttacks
}

extension Attack: CustomStringConvertible {
    /// The target, what it tries, and the code that it must give.
    public var description: String { "\(target.rawValue): \(name) → \(code)" }
}
