import AppReceiptKit
import AppReceiptTesting
import Testing

/// How far a report goes, and what it says on its way.
@Suite("Examination")
struct ExaminationTests {
    private static let device = DeviceIdentifier(bytes: [2, 0, 0, 0, 0, 1])

    private static let everything = Expectations(
        bundleIdentifier: "com.example.app", environments: [.sandbox], appVersion: "1", originalAppVersion: "1.0",
        devices: device.map { [$0] } ?? .anyDevice)

    /// Outcomes by check, with the code of each.
    private static func outcomes(_ trial: Trial) throws -> [Check: String] {
        let findings = try trial.report().checks
        return Dictionary(uniqueKeysWithValues: findings.map { ($0.check, $0.code ?? $0.outcome.rawValue) })
    }

    private static func asked(_ change: (inout Trial) -> Void = { _ in }) -> Trial {
        Trial.with { trial in
            trial.expectations = everything
            trial.receipt.device = device
            change(&trial)
        }
    }

    @Test("everything asked for and right passes every check")
    func allPass() throws {
        let outcomes = try Self.outcomes(Self.asked())
        #expect(outcomes == Dictionary(uniqueKeysWithValues: Check.allCases.map { ($0, "passed") }))
    }

    @Test("what was not asked for is skipped as not requested, but expiration is always judged")
    func notRequested() throws {
        let trial = Trial.with { trial in
            trial.expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        }
        let findings = try trial.report().checks
        let skipped = findings.filter { $0.outcome == .skipped }
        #expect(
            skipped.map(\.check) == [
                .bundleIdentifier, .environment, .appVersion, .originalAppVersion, .deviceHash,
            ])
        #expect(skipped.allSatisfy { $0.code == "not-requested" && $0.remedy == nil && $0.message.hasSuffix(".") })
        #expect(findings.last?.check == .expiration)
        #expect(findings.last?.outcome == .passed)
        #expect(try trial.report().isValid)
    }

    @Test("bytes that are no container leave every later check not reached")
    func containerFails() throws {
        let outcomes = try Self.outcomes(Self.asked { $0.bytes = { $0 = [] } })
        #expect(outcomes[.container] == "input-empty")
        #expect(Check.allCases.dropFirst().allSatisfy { outcomes[$0] == "not-reached" })
    }

    @Test("a payload that cannot be read leaves every later check not reached")
    func payloadFails() throws {
        let trial = Self.asked { $0.container = { $0.content = [0x31, 0x05, 0x00] } }
        let outcomes = try Self.outcomes(trial)
        #expect(outcomes[.container] == "passed")
        #expect(outcomes[.payload] == "encoding-truncated")
        #expect(Check.allCases.dropFirst(2).allSatisfy { outcomes[$0] == "not-reached" })
        #expect(try trial.report().receipt == nil)
    }

    @Test("a chain that fails leaves only the signature not reached, and the comparisons are made")
    func chainFails() throws {
        let trial = Self.asked { $0.pki.signer.markers = [] }
        var expected = Dictionary(uniqueKeysWithValues: Check.allCases.map { ($0, "passed") })
        expected[.certificateChain] = "signer-marker-missing"
        expected[.signature] = "not-reached"
        #expect(try Self.outcomes(trial) == expected)
        #expect(try trial.report().receipt?.bundleIdentifier == "com.example.app")
    }

    @Test("every failure is told, and the first is the verdict")
    func severalFailures() throws {
        let trial = Self.asked { trial in
            trial.container = { $0.signers[0].key = .stranger }
            trial.receipt.bundleIdentifier = "com.example.other"
            trial.receipt.environment = .production
            trial.receipt.appVersion = "2"
            trial.receipt.originalAppVersion = "2"
            trial.receipt.expirationDate = instant("2024-12-01T00:00:00Z")
        }
        let report = try trial.report()
        #expect(
            report.checks.filter { $0.outcome == .failed }.map(\.code) == [
                "signature-invalid", "bundle-identifier-mismatch", "environment-mismatch", "app-version-mismatch",
                "original-app-version-mismatch", "receipt-expired",
            ])
        #expect(report.failure?.code == .signatureInvalid)
        #expect(report.firstFailure?.check == .signature)
        #expect(report.receipt?.bundleIdentifier == "com.example.other")
    }

    @Test("a comparison that fails before another does not hide it", arguments: [Check.bundleIdentifier, .deviceHash])
    func comparisonsAreIndependent(_ check: Check) throws {
        let trial = Self.asked { trial in
            trial.receipt.overrides[check == .deviceHash ? 5 : 2] = []
            trial.receipt.appVersion = "2"
        }
        let outcomes = try Self.outcomes(trial)
        #expect(outcomes[check] == "\(check.rawValue)-missing")
        #expect(outcomes[.appVersion] == "app-version-mismatch")
        #expect(outcomes[.certificateChain] == "passed")
        #expect(outcomes[.expiration] == "passed")
    }

    @Test("failures name what was found and what was expected, and say what to do")
    func messages() throws {
        let trial = Self.asked { trial in
            trial.receipt.bundleIdentifier = "com.example.other"
            trial.receipt.environment = .production
            trial.receipt.appVersion = "7"
            trial.receipt.expirationDate = instant("2024-12-01T00:00:00Z")
        }
        let findings = try trial.report().checks
        func message(_ check: Check) -> String { findings.first { $0.check == check }?.message ?? "" }
        #expect(message(.bundleIdentifier) == "The receipt is for “com.example.other”, not for “com.example.app”.")
        #expect(message(.environment) == "The receipt comes from “Production”, not from sandbox.")
        #expect(message(.appVersion) == "The receipt is for version “7”, not “1”.")
        #expect(message(.expiration) == "The receipt expired 2024-12-01T00:00:00Z.")
        for finding in findings {
            #expect(finding.message.hasSuffix("."), "\(finding.check)")
            #expect((finding.remedy != nil) == (finding.outcome == .failed), "\(finding.check)")
        }
    }

    @Test("a certificate that was not valid is told with the date at which it was judged")
    func judgedDate() throws {
        let trial = Trial.with { $0.pki.signer.notAfter = instant("2024-01-01T00:00:00Z") }
        let finding = try trial.report().firstFailure
        #expect(finding?.message.contains("2024-07-02T15:04:05Z") == true)
        #expect(try trial.report().judgedAt == instant("2024-07-02T15:04:05Z"))
    }

    @Test("malformed bytes are told with their offset")
    func offsets() throws {
        let trial = Trial.with { $0.bytes = { $0.append(0) } }
        let report = try trial.report()
        let offset = try #require(report.failure?.offset)
        #expect(offset == (try Trial().encoded().count))
        #expect(report.firstFailure?.message.contains("at byte \(offset)") == true)
    }

    @Test("no device and no receipt content stands in errors that may be logged")
    func errorsHoldNoSecrets() throws {
        let trial = Self.asked { trial in
            trial.receipt.device = nil
            trial.receipt.bundleIdentifier = "com.example.secret"
        }
        let report = try trial.report()
        let error = try #require(report.failure)
        #expect(error.code == .bundleIdentifierMismatch)
        #expect(!error.description.contains("secret"))
        let device = report.checks.first { $0.check == .deviceHash }
        #expect(device?.code == "device-hash-mismatch")
        #expect(device?.message.contains("02") == false)
    }
}
