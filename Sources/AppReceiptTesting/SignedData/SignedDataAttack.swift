public import AppReceiptKit
import AppStoreSignedData

/// One way to get signed data accepted that should not be, with the code that it must give, and its harmless twin.
///
/// Run them against your own code that verifies signed data. It trusts ``SignedDataTestCase/roots``, and expects what
/// ``SignedDataTestCase/expectations`` say:
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
/// A verifier that rejects everything would pass a test of attacks alone, so every attack has a twin,
/// the same token without the harm or with a harmless change in its place, that must pass.
public struct SignedDataAttack: Sendable {
    /// What it tries, in a few words; no two are the same.
    public let name: String

    /// What part of a token it is aimed at.
    public let target: Target

    /// The code that it must give.
    public let code: ReceiptError.Code

    /// The stage at which it must be refused. This is the code's own, except inside of a notification and for a malformed
    /// device verification.
    public let stage: ReceiptError.Stage

    private let given: Change
    private let harm: Change
    private let twinChange: Change

    typealias Change = @Sendable (inout SignedDataTestCase) throws -> Void

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
    public func testCase() throws -> SignedDataTestCase {
        try SignedDataTestCase.with {
            try given(&$0); try harm(&$0)
        }
    }

    /// Its harmless twin, before the verifier that must accept it.
    public func twin() throws -> SignedDataTestCase {
        try SignedDataTestCase.with {
            try given(&$0); try twinChange(&$0)
        }
    }

    /// What an attack is aimed at, in the order in which a verifier comes to it.
    public enum Target: String, Sendable, Hashable, CaseIterable {
        /// Segments and their base64.
        case envelope
        /// The header's JSON, algorithm and certificates.
        case header
        /// The payload's JSON and claims.
        case payload
        /// How certificates hang together, and the rules that they break.
        case chain
        /// The signature over header and payload.
        case signature
        /// What Xcode signs.
        case environment
        /// The claims compared with the expectations.
        case expectations
        /// What a notification carries.
        case nested
    }

    /// Every attack, by target.
    public static let all: [SignedDataAttack] =
        envelopes + headers + payloads + chains + signatures + environments + expectationAttacks + nested
}

extension SignedDataAttack: CustomStringConvertible {
    /// The target, what it tries, and the code that it must give.
    public var description: String { "\(target.rawValue): \(name) → \(code)" }
}
