import AppReceiptKit
import AppReceiptTesting
import Testing

/// The error codes of trust and checks.
@Suite("ReceiptError.Code")
struct ReceiptErrorCodeTests {
    private static let codes = ReceiptError.Code.trustCodes + ReceiptError.Code.checkCodes

    @Test("Every code is unique, including those of parsing")
    func codesAreUnique() {
        let all = ReceiptError.Code.parsingCodes + Self.codes
        #expect(Set(all.map(\.rawValue)).count == all.count)
        #expect(!Self.codes.isEmpty)
    }

    @Test("Every code has a name, a cause and a remedy")
    func codesHaveTexts() {
        for code in Self.codes {
            #expect(!code.rawValue.isEmpty && code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" }, "\(code)")
            #expect(!code.cause.isEmpty && code.cause.hasSuffix("."), "\(code)")
            #expect(!code.remedy.isEmpty && code.remedy.hasSuffix("."), "\(code)")
        }
    }

    @Test("Codes have the stage of the chain, the signature or their check")
    func codesHaveTheirStage() {
        for code in ReceiptError.Code.trustCodes {
            #expect([.certificateChain, .signature].contains(code.stage), "\(code)")
        }
        for code in ReceiptError.Code.checkCodes {
            #expect(ValidationCheck(rawValue: code.stage.rawValue) != nil, "\(code)")
            #expect(!ValidationCheck.receiptChecks.prefix(4).map(\.rawValue).contains(code.stage.rawValue), "\(code)")
        }
    }

    @Test("Every code for a receipt has an attack in the catalog")
    func catalogIsComplete() {
        let attacked = Set(Attack.all.map(\.code))
        // The other codes are for configuration, text and the current device.
        let expected = Set(Self.codes).subtracting([
            .trustAnchorMalformed, .deviceIdentifierMalformed, .deviceIdentifierUnsupported,
        ])
        #expect(expected.subtracting(attacked).map(\.rawValue).sorted() == [])
    }
}
