import AppReceiptKit
import AppReceiptTesting
import Foundation
@_exported import TestSupport
import Testing

/// A change to a valid receipt, and the expected result.
struct ReceiptVariant: Sendable, CustomTestStringConvertible {
    let name: String
    /// The expected code, nil if the receipt must pass.
    let code: ReceiptError.Code?
    let check: ValidationCheck?
    let change: @Sendable (inout ReceiptTestCase) throws -> Void

    var testDescription: String { name }

    /// Creates a variant from an attack of the catalog.
    init(_ attack: Attack) {
        self.init(name: attack.description, code: attack.code, check: attack.check) { $0 = try attack.testCase() }
    }

    init(
        name: String, code: ReceiptError.Code?, check: ValidationCheck?,
        change: @escaping @Sendable (inout ReceiptTestCase) throws -> Void
    ) {
        self.name = name
        self.code = code
        self.check = check
        self.change = change
    }

    static func rejected(
        _ name: String, _ code: ReceiptError.Code, check: ValidationCheck? = nil,
        _ change: @escaping @Sendable (inout ReceiptTestCase) throws -> Void
    ) -> ReceiptVariant {
        ReceiptVariant(name: name, code: code, check: check ?? code.check, change: change)
    }

    static func passes(_ name: String, _ change: @escaping @Sendable (inout ReceiptTestCase) throws -> Void)
        -> ReceiptVariant
    {
        ReceiptVariant(name: name, code: nil, check: nil, change: change)
    }

    /// Checks that verification and report both have the expected result.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let testCase = try ReceiptTestCase.with(change)
        let bytes = try testCase.encoded()
        let verifier = try testCase.verifier()
        let report = verifier.report(bytes, expecting: testCase.expectations, now: testCase.now)
        let error = captured { () throws(ReceiptError) in
            try verifier.verify(bytes, expecting: testCase.expectations, now: testCase.now)
        }
        #expect(error?.code == code, "\(name)", sourceLocation: sourceLocation)
        #expect(error?.check == check, "\(name)", sourceLocation: sourceLocation)
        #expect(report.failure?.code == error?.code, "\(name)", sourceLocation: sourceLocation)
        #expect(report.failure?.check == error?.check, "\(name)", sourceLocation: sourceLocation)
        #expect(report.isValid == (error == nil), "\(name)", sourceLocation: sourceLocation)
        #expect(report.firstFailure?.code == error?.code.rawValue, "\(name)", sourceLocation: sourceLocation)
        #expect(
            report.firstFailure?.check.rawValue == error.map { $0.check == .input ? "container" : $0.check.rawValue },
            "\(name)", sourceLocation: sourceLocation)
        #expect(report.checks.map(\.check) == ValidationCheck.receiptChecks, "\(name)", sourceLocation: sourceLocation)
    }
}

extension ReceiptVerifier {
    /// Returns the code of the error that the verification throws, nil if the receipt passes.
    func errorCode(
        of bytes: [UInt8], _ expectations: Expectations, now: Date = instant("2025-01-01T00:00:00Z")
    ) -> ReceiptError.Code? {
        captured { () throws(ReceiptError) in try verify(bytes, expecting: expectations, now: now) }?.code
    }
}
