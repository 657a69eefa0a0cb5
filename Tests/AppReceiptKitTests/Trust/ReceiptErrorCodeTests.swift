import AppReceiptKit
import AppReceiptTesting
import TestSupport
import Testing

/// The error codes of trust and checks.
@Suite("ReceiptError.Code")
struct ReceiptErrorCodeTests {
    private static let codes = ReceiptError.Code.trustCodes + ReceiptError.Code.checkCodes

    @Test("Every code has a name, a cause and a remedy")
    func codesHaveTexts() {
        for code in Self.codes {
            #expect(!code.rawValue.isEmpty, "\(code)")
            #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" }, "\(code)")
            #expect(!code.cause.isEmpty, "\(code)")
            #expect(code.cause.hasSuffix("."), "\(code)")
            #expect(!code.remedy.isEmpty, "\(code)")
            #expect(code.remedy.hasSuffix("."), "\(code)")
        }
    }

    @Test("Codes of trust have the check of the chain or the signature, and codes of comparisons a later check")
    func checksOfCodes() {
        for code in ReceiptError.Code.trustCodes {
            #expect([.certificateChain, .signature].contains(code.check), "\(code)")
        }
        for code in ReceiptError.Code.checkCodes {
            #expect(ValidationCheck.receiptChecks.dropFirst(4).contains(code.check), "\(code)")
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
