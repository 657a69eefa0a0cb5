import AppReceiptSupport
import AppReceiptTesting
import Crypto
import Foundation
import TestSupport
import Testing

@testable import AppReceiptKit

@Suite("TransactionReceiptValidation")
struct TransactionReceiptValidationTests {
    private static let receipt = TestTransactionReceipt("com.example.pro", transaction: "350000245250525").with {
        $0.unsignedEntries = []
    }
    private static let now = instant("2024-07-15T00:00:00Z")
    private static let any = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)

    private static func verifier() throws -> ReceiptVerifier {
        let pkis = [TestPKI.transactionReceipts, .transactionReceiptsVersion3]
        return ReceiptVerifier(
            anchors: try TestPKI.transactionReceipts.anchors,
            transactionReceipts: try TransactionReceiptTrust(der: pkis.map { try $0.intermediate.der() }))
    }

    private static func report(
        _ receipt: TestTransactionReceipt = receipt, _ expectations: Expectations = any
    ) throws -> TransactionReceiptReport {
        try verifier().reportTransactionReceipt(receipt.signed(), expecting: expectations, now: now)
    }

    @Test("A report has the checks of an app receipt, and those that don't apply are skipped", arguments: [2, 3])
    func checks(_ version: UInt8) throws {
        let report = try Self.report(Self.receipt.with { $0.version = version })
        #expect(report.isValid)
        #expect(report.isSigned)
        #expect(report.provenEnvironment == .production)
        #expect(report.checks.map(\.check) == ValidationCheck.receiptChecks)
        #expect(report.checks.prefix(4).allSatisfy { $0.outcome == .passed })
        #expect(
            report.checks.dropFirst(4).map(\.code) == [
                "not-requested", "not-requested", "not-requested", "not-applicable", "not-applicable", "not-applicable",
            ])
        #expect(report.certificates.map(\.role) == [.signer, .intermediate, .anchor])
        #expect(report.validationDate == instant("2015-11-18T04:34:41Z"))
    }

    @Test("Expectations that are met pass")
    func passes() throws {
        let expectations = Expectations(
            bundleIdentifier: "com.example.app", environments: [.production], appVersion: "1")
        let report = try Self.report(Self.receipt, expectations)
        #expect(report.isValid)
        #expect(report.checks.filter { $0.outcome == .passed }.count == 7)
    }

    @Test(
        "A receipt without the value of an option, or with another one, is rejected", arguments: ExpectationOption.all)
    func rejected(_ option: ExpectationOption) throws {
        var expectations = Self.any
        try #require(option.set([option.examples().other], in: &expectations))
        #expect(try !Self.report(Self.receipt, expectations).isValid)
    }

    @Test("Expectations that aren't met, or that the receipt has no value for, fail")
    func failures() throws {
        func code(_ change: (inout Expectations) -> Void) throws -> ReceiptError.Code? {
            var expectations = Self.any
            change(&expectations)
            let report = try Self.report(Self.receipt, expectations)
            #expect(report.isSigned)
            return report.failure?.code
        }
        let device = try DeviceIdentifier(text: "f8:ff:c2:1e:91:82")
        #expect(try code { $0.bundleIdentifier = "com.example.other" } == .bundleIdentifierMismatch)
        #expect(try code { $0.environments = [.sandbox] } == .environmentMismatch)
        #expect(try code { $0.appVersion = "2" } == .appVersionMismatch)
        #expect(try code { $0.originalAppVersion = "1" } == .originalAppVersionMissing)
        #expect(try code { $0.devices = [device] } == .deviceHashMissing)
        #expect(try code { $0.devices = [] } == .deviceHashMissing)
    }

    @Test("The failure to compare a device or the first version says that no transaction receipt has them")
    func neverContained() throws {
        var expectations = Self.any
        expectations.originalAppVersion = "1"
        expectations.devices = []
        let failures = try Self.report(Self.receipt, expectations).checks.filter { $0.outcome == .failed }
        #expect(failures.map(\.check) == [.originalAppVersion, .deviceHash])
        for failure in failures {
            #expect(failure.message.hasPrefix("Transaction receipts don't contain "))
            #expect(failure.remedy?.contains("ransaction receipt") == true)
        }
    }

    @Test("A receipt from an unknown environment fails if one is expected, and otherwise has no products")
    func unknownEnvironment() throws {
        let receipt = Self.receipt.with { $0["transaction-id"] = nil }
        let expected = Expectations(bundleIdentifier: .anyBundle, environments: [.production, .sandbox])
        #expect(try Self.report(receipt, expected).failure?.code == .environmentMissing)
        let named = receipt.with { $0.unsignedEntries = [.init(key: "environment", value: "Other")] }
        #expect(try Self.report(named, expected).failure?.code == .environmentUnknown)
        let report = try Self.report(receipt)
        #expect(report.isValid)
        #expect(report.provenEnvironment == nil)
        #expect(report.entitlements?.all.isEmpty == true)
    }

    @Test("A malformed list fails the container, a malformed date the payload")
    func malformed() throws {
        let list = try Self.verifier().reportTransactionReceipt(Array("{\"a\" = 1;}".utf8), expecting: Self.any)
        #expect(list.firstFailure?.check == .container)
        #expect(list.failure?.code == .transactionReceiptMalformed)
        #expect(list.checks.dropFirst().allSatisfy { $0.code == "not-reached" })
        let date = try Self.report(Self.receipt.with { $0["expires-date"] = "never" })
        #expect(date.firstFailure?.check == .payload)
        #expect(date.failure?.code == .transactionReceiptDateMalformed)
    }

    @Test("The JSON has the members of a report on an app receipt, and its kind")
    func json() throws {
        let json = try #require(AppStoreJSON(parsing: Self.report().json(attributes: true)[...]).object)
        #expect(
            json.members.map(\.name) == [
                "verdict", "kind", "environment", "failure", "products", "checks", "receipt",
            ])
        #expect(json["kind"] == "transaction-receipt")
        #expect(json["products"]?.array?.first?.object?["productIdentifier"] == "com.example.pro")
        let receipt = try #require(json["receipt"]?.object)
        #expect(receipt["bundleIdentifier"] == "com.example.app")
        #expect(
            receipt["purchases"]?.array?.first?.object?["transactionIdentifier"] == "350000245250525")
        #expect(receipt["purchaseInfo"]?.object?["bvrs"] == "1")
        let plain = try AppStoreJSON(parsing: Self.report().json()[...]).object?["receipt"]?.object
        #expect(plain?["purchaseInfo"] == nil)
    }

    @Test("The entitlement is that of one purchase, signed at the purchase date")
    func entitlements() throws {
        let report = try Self.report()
        let owned = try #require(report.entitlements?.all.first)
        #expect(owned.state == .owned)
        #expect(owned.isActive)
        #expect(owned.environment == .production)
        #expect(owned.asOf == instant("2015-11-18T04:34:41Z"))
    }

    @Test("The receipt of a subscription that ended doesn't prove that it wasn't renewed")
    func subscription() throws {
        let receipt = TestTransactionReceipt(
            "com.example.plus", transaction: "350000245250525", expirationDate: instant("2015-11-18T04:34:40Z"))
        let report = try Self.report(receipt.with { $0.unsignedEntries = [] })
        #expect(report.entitlements?.all.map(\.state) == [.renewalUnknown])
    }

    @Test("Without intermediates, every receipt is rejected")
    func disabled() throws {
        for version in [2, 3] as [UInt8] {
            let verifier = ReceiptVerifier(
                anchors: try TestPKI.transactionReceipts.anchors, transactionReceipts: .disabled)
            let list = try Self.receipt.with { $0.version = version }.signed()
            let error = captured { () throws(ReceiptError) in
                try verifier.verifyTransactionReceipt(list, expecting: Self.any)
            }
            #expect(error?.code == .transactionReceiptIntermediateMissing)
        }
    }

    @Test("The embedded intermediates are those that Apple published")
    func intermediates() {
        let fingerprints = TransactionReceiptTrust.apple.certificates.map { SHA256.hash(data: $0).hexadecimal() }
        #expect(
            fingerprints == [
                "447ad65484610f20fdc33804c8597a1e208fbe4ef9c5653485cc7d3df730c016",
                "ce057691d730f89ca25e916f7335f4c8a15713dcd273a658c024023f8eb809c2",
            ])
    }
}
