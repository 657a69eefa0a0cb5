import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("SignedDataReport")
struct SignedDataReportTests {
    private func outcomes(_ report: SignedDataReport) -> [String] {
        report.checks.map { "\($0.check.rawValue): \($0.outcome.rawValue)\($0.code.map { " (\($0))" } ?? "")" }
    }

    @Test("A report lists every check in order, with its outcome")
    func passed() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let report = verifier.report(token, expecting: expectations, now: now)
        #expect(report.isValid)
        #expect(report.isSigned)
        #expect(report.kind == .transaction)
        #expect(report.provenEnvironment == .sandbox)
        #expect(
            outcomes(report) == [
                "token: passed", "payload: passed", "certificate-chain: passed", "signature: passed",
                "bundle-identifier: passed", "environment: passed", "app-apple-id: skipped (not-applicable)",
                "device-verification: skipped (not-requested)", "nested-data: skipped (not-applicable)",
            ])
        #expect(report.certificates.map(\.role) == [.signer, .intermediate, .anchor])
    }

    @Test("The claims are compared even if the signature is invalid")
    func failed() throws {
        var token = try TestToken(TestTransaction("com.example.pro", transaction: "1").members)
        token.key = .foreignSigner
        var expected = expectations
        expected.bundleIdentifier = "com.example.other"
        let report = verifier.report(try token.encoded(), expecting: expected, now: now)
        #expect(!report.isValid)
        #expect(!report.isSigned)
        #expect(report.failure?.code == .signatureInvalid)
        #expect(report.provenEnvironment == nil)
        #expect(
            outcomes(report) == [
                "token: passed", "payload: passed", "certificate-chain: passed",
                "signature: failed (signature-invalid)",
                "bundle-identifier: failed (bundle-identifier-mismatch)", "environment: passed",
                "app-apple-id: skipped (not-applicable)", "device-verification: skipped (not-requested)",
                "nested-data: skipped (not-applicable)",
            ])
        #expect(report.checks[4].message == "The data is for “com.example.app”, not for “com.example.other”.")
    }

    @Test("A token with a malformed header is reported with its payload, and its claims are compared")
    func malformedHeader() throws {
        var token = try TestToken(TestTransaction("com.example.pro", transaction: "1").members)
        token.header["alg"] = "RS256"
        for kind in [nil, SignedDataKind.transaction] {
            let report = verifier.report(try token.encoded(), as: kind, expecting: expectations, now: now)
            #expect(report.failure?.code == .tokenAlgorithmUnsupported)
            #expect(report.payload?["productId"] == "com.example.pro")
            #expect(report.certificates.isEmpty)
            #expect(
                outcomes(report).prefix(5) == [
                    "token: failed (token-algorithm-unsupported)", "payload: passed",
                    "certificate-chain: skipped (not-reached)", "signature: skipped (not-reached)",
                    "bundle-identifier: passed",
                ])
        }
        #expect(throws: ReceiptError(.tokenAlgorithmUnsupported)) {
            try verifier.verifyTransaction(token.encoded(), expecting: expectations, now: now)
        }
    }

    @Test("Text that isn't a token results in a report too")
    func nonsense() {
        let report = verifier.report("nonsense", expecting: expectations, now: now)
        #expect(report.failure?.code == .tokenMalformed)
        #expect(report.kind == nil)
        #expect(report.payload == nil)
        #expect(report.validationDate == nil)
        #expect(report.checks.dropFirst().allSatisfy { $0.code == "not-reached" })
    }

    @Test("The report of a notification contains the nested data and names the part that failed")
    func nested() throws {
        var transaction = try TestToken(TestTransaction("com.example.pro", transaction: "1").members)
        transaction.key = .foreignSigner
        let made = try TestNotification(type: .oneTimeCharge).with {
            $0.signedTransactionInfo = try transaction.encoded()
        }
        let report = verifier.report(try made.signed(), expecting: expectations, now: now)
        #expect(report.failure?.code == .signatureInvalid)
        #expect(report.failure?.check == .nestedData)
        #expect(report.firstFailure?.check == .nestedData)
        #expect(report.firstFailure?.message.hasPrefix("The transaction in the notification:") == true)
        #expect(report.nested["signedTransactionInfo"]?["productId"] == "com.example.pro")
        #expect(report.isSigned)
        #expect(!report.isValid)
    }

    private static func object(_ report: SignedDataReport) throws -> AppStoreJSON.Object {
        try #require(AppStoreJSON(parsing: report.json()[...]).object)
    }

    @Test("JSON contains every member, with null for absent values")
    func json() throws {
        let report = verifier.report("nonsense", expecting: expectations, now: now)
        let object = try Self.object(report)
        #expect(
            object.members.map(\.name) == [
                "verdict", "kind", "environment", "failure", "products", "checks", "payload", "nested",
            ])
        #expect(object["verdict"] == "invalid")
        #expect(object["products"] == [])
        #expect(object["kind"] == .null)
        #expect(object["environment"] == .null)
        #expect(object["payload"] == .null)
        #expect(object["failure"]?.object?["code"] == "token-malformed")
        #expect(object["checks"]?.array?.count == ValidationCheck.signedDataChecks.count)
        let good = verifier.report(
            try TestTransaction("p", transaction: "1").signed(), expecting: expectations, now: now)
        #expect(try Self.object(good)["payload"]?.object == TestTransaction("p", transaction: "1").members)
        #expect(try Self.object(good)["failure"] == .null)
    }

    @Test("The transaction and the renewal information of a valid notification count together")
    func products() throws {
        let start = instant("2024-07-01T00:00:00Z")
        let transaction = TestTransaction("plus", transaction: "7", at: start, until: instant("2025-07-01T00:00:00Z"))
        let made = try TestNotification(type: .didChangeRenewalStatus).with {
            $0.signedTransactionInfo = try transaction.signed()
            $0.signedRenewalInfo = try TestRenewalInfo("plus", original: "7").with { $0.autoRenewStatus = .off }
                .signed()
        }
        let report = verifier.report(try made.signed(), expecting: expectations, now: now)
        let product = try #require(report.entitlements?.all.first)
        #expect(report.entitlements?.all.count == 1)
        #expect(product.state == .active)
        #expect(product.willRenew == false)
        #expect(try Self.object(report)["products"] == [product.json])
        #expect(product.json.object?["until"] == "2025-07-01T00:00:00Z")
        let wrong = SignedDataExpectations(bundleIdentifier: "com.example.other", environments: .anyEnvironment)
        #expect(try Self.object(verifier.report(made.signed(), expecting: wrong, now: now))["products"] == [])
    }

    @Test("Renewal information and app transactions have no entitlements")
    func withoutTransaction() throws {
        for token in [try TestRenewalInfo("plus", original: "7").signed(), try TestAppTransaction().signed()] {
            let report = verifier.report(token, expecting: expectations, now: now)
            #expect(report.isValid)
            #expect(report.entitlements == nil)
            #expect(try Self.object(report)["products"] == [])
        }
    }

    @Test("A clock before the date of signing has no effect on entitlements")
    func wrongClock() throws {
        let token = try TestTransaction("pro", transaction: "1").signed()
        let report = verifier.report(token, expecting: expectations, now: instant("2001-01-01T00:00:00Z"))
        #expect(report.entitlements?.isActive("pro") == true)
    }
}
