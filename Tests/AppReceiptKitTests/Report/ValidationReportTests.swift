import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("ValidationReport")
struct ValidationReportTests {
    private static let names = ValidationCheck.receiptChecks.map(\.rawValue)

    private static func json(_ report: ReceiptReport) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(report.json())) as? [String: Any])
    }

    private static func checks(_ object: [String: Any]) throws -> [[String: Any]] {
        try #require(object["checks"] as? [[String: Any]])
    }

    @Test("The JSON of a valid receipt has every key, with null for absent values")
    func validJSON() throws {
        let object = try Self.json(ReceiptTestCase().report())
        #expect(object.keys.sorted() == ["checks", "environment", "failure", "products", "receipt", "verdict"])
        #expect(object["verdict"] as? String == "valid")
        #expect(object["environment"] as? String == "sandbox")
        #expect(object["failure"] is NSNull)
        let receipt = try #require(object["receipt"] as? [String: Any])
        #expect(receipt["bundleIdentifier"] as? String == "com.example.app")
        #expect(receipt["creationDate"] as? String == "2024-07-02T15:04:05Z")
        let checks = try Self.checks(object)
        #expect(checks.compactMap { $0["name"] as? String } == Self.names)
        for check in checks {
            #expect(check.keys.sorted() == ["code", "message", "name", "outcome"])
            #expect(check["message"] is String)
            switch check["outcome"] as? String {
            case "passed": #expect(check["code"] is NSNull)
            case "skipped": #expect(check["code"] as? String == "not-requested")
            default: Issue.record("\(check)")
            }
        }
    }

    @Test("The JSON of an invalid receipt contains the first failure with its remedy and documentation")
    func invalidJSON() throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.pki.signer.markers = []
            testCase.receipt.appVersion = "2"
            testCase.expectations.appVersion = "1"
        }
        let object = try Self.json(testCase.report())
        #expect(object.keys.sorted() == ["checks", "environment", "failure", "products", "receipt", "verdict"])
        #expect(object["verdict"] as? String == "invalid")
        #expect(object["environment"] is NSNull, "unsigned data proves no environment")
        let failure = try #require(object["failure"] as? [String: Any])
        #expect(failure.keys.sorted() == ["check", "code", "documentation", "message", "remedy"])
        #expect(failure["check"] as? String == "certificate-chain")
        #expect(failure["code"] as? String == "signer-marker-missing")
        #expect(failure["documentation"] as? String == "docs/errors.md#signer-marker-missing")
        let checks = try Self.checks(object)
        #expect(checks.compactMap { $0["name"] as? String } == Self.names)
        #expect(failure["message"] as? String == checks[2]["message"] as? String)
        #expect(checks[2]["outcome"] as? String == "failed")
        #expect(checks[3]["outcome"] as? String == "skipped")
        #expect(checks[3]["code"] as? String == "not-reached")
        #expect(checks[6]["code"] as? String == "app-version-mismatch")
    }

    @Test("The JSON for bytes that aren't a receipt has every key")
    func noReceiptJSON() throws {
        let object = try Self.json(ReceiptTestCase.with { $0.bytes = { $0 = Array("hello".utf8) } }.report())
        #expect(object.keys.sorted() == ["checks", "environment", "failure", "products", "receipt", "verdict"])
        #expect(object["verdict"] as? String == "invalid")
        #expect(object["environment"] is NSNull)
        #expect(object["receipt"] is NSNull)
        #expect((object["failure"] as? [String: Any])?["check"] as? String == "container")
        #expect(try Self.checks(object).compactMap { $0["name"] as? String } == Self.names)
        #expect(try Self.checks(object).dropFirst().allSatisfy { $0["code"] as? String == "not-reached" })
    }

    @Test("The environment is null if it is unknown, and xcode for a receipt from Xcode")
    func environments() throws {
        let unknown = ReceiptTestCase.with { testCase in
            testCase.receipt.environment = ReceiptEnvironment(rawValue: "Staging")
            testCase.expectations.environments = .anyEnvironment
        }
        #expect(try Self.json(unknown.report())["environment"] is NSNull)
        let xcode = try ReceiptTestCase.with { testCase in
            testCase.receipt.environment = .xcode
            testCase.isSignedByXcode = true
            testCase.xcode = try XcodeTrust(der: [TestPKI.xcode.der()])
            testCase.expectations.environments = [.xcode]
        }
        let object = try Self.json(xcode.report())
        #expect(object["verdict"] as? String == "valid")
        #expect(object["environment"] as? String == "xcode")
    }

    @Test("A result is either the verified receipt or the first failure")
    func results() throws {
        let valid = try ReceiptTestCase().report()
        #expect(valid.isValid)
        #expect(valid.failure == nil)
        #expect(valid.firstFailure == nil)
        #expect(try valid.result.get() == ReceiptTestCase().verified())
        let invalid = try ReceiptTestCase.with { $0.expectations.appVersion = "9" }.report()
        #expect(!invalid.isValid)
        #expect(invalid.failure?.code == .appVersionMismatch)
        #expect(invalid.firstFailure?.code == "app-version-mismatch")
        #expect(invalid.receipt != nil)
    }

    @Test("The checks of a receipt have the contract's names, in its order")
    func checkNames() {
        #expect(ValidationCheck.receiptChecks.map(\.rawValue) == Self.names)
    }
}
