import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Signature verifications")
struct SignatureVerificationTests {
    private enum Function: CaseIterable {
        case verify, report
    }

    /// The signatures that a function verifies of a test case.
    private static func signatures(
        of testCase: ReceiptTestCase, _ verifier: ReceiptVerifier, _ function: Function
    ) throws -> [[UInt8]] {
        let bytes = try testCase.encoded()
        return VerifiedSignatures.during {
            switch function {
            case .verify: _ = try? verifier.verify(bytes, expecting: testCase.expectations, now: testCase.now)
            case .report: _ = verifier.report(bytes, expecting: testCase.expectations, now: testCase.now)
            }
        }
    }

    @Test(
        "Each signature of a receipt is verified once, and those of a cached chain aren't verified again",
        arguments: Function.allCases)
    private func valid(_ function: Function) throws {
        let testCase = ReceiptTestCase()
        let verifier = try testCase.verifier()
        let cold = try Self.signatures(of: testCase, verifier, function)
        #expect(cold.count == 3)
        #expect(Set(cold).count == 3)
        let warm = try Self.signatures(of: testCase, verifier, function)
        #expect(warm == [cold[2]])
    }

    @Test("Each signature of a receipt that fails a later check is verified once", arguments: Function.allCases)
    private func mismatch(_ function: Function) throws {
        let testCase = ReceiptTestCase.with { $0.expectations.bundleIdentifier = "com.example.other" }
        let cold = try Self.signatures(of: testCase, testCase.verifier(), function)
        #expect(cold.count == 3)
        #expect(Set(cold).count == 3)
    }

    @Test("Each signature of a forged receipt is verified once", arguments: Function.allCases)
    private func forged(_ function: Function) throws {
        let testCase = ReceiptTestCase.with { $0.bytes = { $0[$0.count - 1] ^= 1 } }
        let cold = try Self.signatures(of: testCase, testCase.verifier(), function)
        #expect(cold.count == 3)
        #expect(Set(cold).count == 3)
    }

    @Test(
        "No signature is verified for an unreadable receipt or an untrusted root",
        arguments: Function.allCases)
    private func unverified(_ function: Function) throws {
        let unreadable = ReceiptTestCase.with { $0.container = { $0.content = [0x31, 0x05, 0x00] } }
        #expect(try Self.signatures(of: unreadable, unreadable.verifier(), function).isEmpty)
        #expect(try Self.signatures(of: ReceiptTestCase(), ReceiptVerifier(), function).isEmpty)
    }

    @Test("A report contains a signed receipt that doesn't meet the expectations, but not a forged one")
    func authenticated() throws {
        let mismatch = ReceiptTestCase.with { $0.expectations.bundleIdentifier = "com.example.other" }
        #expect(try mismatch.report().authenticated == ReceiptTestCase().verified())
        #expect(try ReceiptTestCase.with { $0.bytes = { $0[$0.count - 1] ^= 1 } }.report().authenticated == nil)
    }
}
