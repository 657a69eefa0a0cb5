import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

/// The results of the checks in a report.
@Suite("ReceiptValidation")
struct ReceiptValidationTests {
    /// Outcomes by check, with the code of each.
    private static func outcomes(_ testCase: ReceiptTestCase) throws -> [ValidationCheck: String] {
        let results = try testCase.report().checks
        return Dictionary(uniqueKeysWithValues: results.map { ($0.check, $0.code ?? $0.outcome.rawValue) })
    }

    /// A receipt that meets an expectation of each option, until it is changed.
    private static func expectingEverything(
        _ change: (inout ReceiptTestCase) -> Void = { _ in }
    ) throws -> ReceiptTestCase {
        var expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        for option in ExpectationOption.all {
            try #require(option.set([option.examples().value], in: &expectations))
        }
        return ReceiptTestCase.with { testCase in
            testCase.expectations = expectations
            testCase.receipt.device = expectations.devices.single
            change(&testCase)
        }
    }

    @Test("A receipt that meets all expectations passes every check")
    func allPass() throws {
        let outcomes = try Self.outcomes(Self.expectingEverything())
        #expect(outcomes == Dictionary(uniqueKeysWithValues: ValidationCheck.receiptChecks.map { ($0, "passed") }))
    }

    @Test("Checks without an expectation are skipped, except expiration")
    func notRequested() throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        }
        let results = try testCase.report().checks
        let skipped = results.filter { $0.outcome == .skipped }
        #expect(skipped.map(\.check) == ValidationCheck.receiptChecks.dropFirst(4).filter { $0 != .expiration })
        #expect(skipped.allSatisfy { $0.code == "not-requested" && $0.remedy == nil && $0.message.hasSuffix(".") })
        #expect(results.last?.check == .expiration)
        #expect(results.last?.outcome == .passed)
        #expect(try testCase.report().isValid)
    }

    @Test("If the container can't be read, no later check is reached")
    func containerFails() throws {
        let outcomes = try Self.outcomes(Self.expectingEverything { $0.bytes = { $0 = [] } })
        #expect(outcomes[.container] == "input-empty")
        #expect(ValidationCheck.receiptChecks.dropFirst().allSatisfy { outcomes[$0] == "not-reached" })
    }

    @Test("If the payload can't be read, no later check is reached")
    func payloadFails() throws {
        let testCase = try Self.expectingEverything { $0.container = { $0.content = [0x31, 0x05, 0x00] } }
        let outcomes = try Self.outcomes(testCase)
        #expect(outcomes[.container] == "passed")
        #expect(outcomes[.payload] == "encoding-truncated")
        #expect(ValidationCheck.receiptChecks.dropFirst(2).allSatisfy { outcomes[$0] == "not-reached" })
        #expect(try testCase.report().receipt == nil)
    }

    @Test("If the chain is invalid, only the signature isn't reached")
    func chainFails() throws {
        let testCase = try Self.expectingEverything { $0.pki.signer.markers = [] }
        var expected = Dictionary(uniqueKeysWithValues: ValidationCheck.receiptChecks.map { ($0, "passed") })
        expected[.certificateChain] = "signer-marker-missing"
        expected[.signature] = "not-reached"
        #expect(try Self.outcomes(testCase) == expected)
        #expect(try testCase.report().receipt?.bundleIdentifier == "com.example.app")
    }

    @Test("The report contains every failure, and its error is the first one")
    func severalFailures() throws {
        let testCase = try Self.expectingEverything { testCase in
            testCase.container = { $0.signers[0].key = .untrusted }
            testCase.receipt.bundleIdentifier = "com.example.other"
            testCase.receipt.environment = .production
            testCase.receipt.appVersion = "2"
            testCase.receipt.originalAppVersion = "2"
            testCase.receipt.expirationDate = instant("2024-12-01T00:00:00Z")
        }
        let report = try testCase.report()
        #expect(
            report.checks.filter { $0.outcome == .failed }.map(\.code) == [
                "signature-invalid", "bundle-identifier-mismatch", "environment-mismatch", "app-version-mismatch",
                "original-app-version-mismatch", "receipt-expired",
            ])
        #expect(report.failure?.code == .signatureInvalid)
        #expect(report.firstFailure?.check == .signature)
        #expect(report.receipt?.bundleIdentifier == "com.example.other")
    }

    @Test(
        "A comparison that fails doesn't hide a later failure",
        arguments: [ValidationCheck.bundleIdentifier, .deviceHash])
    func comparisonsAreIndependent(_ check: ValidationCheck) throws {
        let testCase = try Self.expectingEverything { testCase in
            testCase.receipt.overrides[check == .deviceHash ? 5 : 2] = []
            testCase.receipt.appVersion = "2"
        }
        let outcomes = try Self.outcomes(testCase)
        #expect(outcomes[check] == "\(check.rawValue)-missing")
        #expect(outcomes[.appVersion] == "app-version-mismatch")
        #expect(outcomes[.certificateChain] == "passed")
        #expect(outcomes[.expiration] == "passed")
    }

    @Test("Failures have messages with the actual and expected values, and remedies")
    func messages() throws {
        let testCase = try Self.expectingEverything { testCase in
            testCase.receipt.bundleIdentifier = "com.example.other"
            testCase.receipt.environment = .production
            testCase.receipt.appVersion = "7"
            testCase.receipt.expirationDate = instant("2024-12-01T00:00:00Z")
        }
        let results = try testCase.report().checks
        func message(_ check: ValidationCheck) -> String { results.first { $0.check == check }?.message ?? "" }
        #expect(message(.bundleIdentifier) == "The receipt is for “com.example.other”, not for “com.example.app”.")
        #expect(message(.environment) == "The receipt comes from production, not from sandbox.")
        #expect(message(.appVersion) == "The receipt is for version “7”, not “1”.")
        #expect(message(.expiration) == "The receipt expired 2024-12-01T00:00:00Z.")
        for result in results {
            #expect(result.message.hasSuffix("."), "\(result.check)")
            #expect((result.remedy != nil) == (result.outcome == .failed), "\(result.check)")
        }
    }

    @Test("The failure of a certificate contains the date at which it was validated")
    func validationDate() throws {
        let testCase = ReceiptTestCase.with { $0.pki.signer.notAfter = instant("2024-01-01T00:00:00Z") }
        let result = try testCase.report().firstFailure
        #expect(result?.message.contains("2024-07-02T15:04:05Z") == true)
        #expect(try testCase.report().validationDate == instant("2024-07-02T15:04:05Z"))
    }

    @Test("The failure of malformed bytes contains the offset")
    func offsets() throws {
        let testCase = ReceiptTestCase.with { $0.bytes = { $0.append(0) } }
        let report = try testCase.report()
        let offset = try #require(report.failure?.offset)
        #expect(offset == (try ReceiptTestCase().encoded().count))
        #expect(report.firstFailure?.message.contains("at byte \(offset)") == true)
    }

    @Test("Errors contain neither device identifiers nor contents of the receipt")
    func errorsContainNoSecrets() throws {
        let testCase = try Self.expectingEverything { testCase in
            testCase.receipt.device = nil
            testCase.receipt.bundleIdentifier = "com.example.secret"
        }
        let report = try testCase.report()
        let error = try #require(report.failure)
        #expect(error.code == .bundleIdentifierMismatch)
        #expect(!error.description.contains("secret"))
        let device = report.checks.first { $0.check == .deviceHash }
        #expect(device?.code == "device-hash-mismatch")
        #expect(device?.message.contains("02") == false)
    }
}
