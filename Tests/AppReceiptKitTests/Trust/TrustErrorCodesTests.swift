import AppReceiptKit
import AppReceiptTesting
import Testing

/// The catalogue of everything that can go wrong, of every stage.
@Suite("TrustErrorCodes and CheckErrorCodes")
struct TrustErrorCodesTests {
    private static let codes = ReceiptError.Code.trustCodes + ReceiptError.Code.checkCodes

    @Test("every code is unique, in parsing as well as in trust and checks")
    func codesAreUnique() {
        let all = ReceiptError.Code.parsingCodes + Self.codes
        #expect(Set(all.map(\.rawValue)).count == all.count)
        #expect(!Self.codes.isEmpty)
    }

    @Test("every code has a name for programs, and a cause and a remedy for people")
    func codesSayWhatToDo() {
        for code in Self.codes {
            #expect(!code.rawValue.isEmpty && code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" }, "\(code)")
            #expect(!code.cause.isEmpty && code.cause.hasSuffix("."), "\(code)")
            #expect(!code.remedy.isEmpty && code.remedy.hasSuffix("."), "\(code)")
        }
    }

    @Test("trust fails at the chain or the signature, checks at the check that bears the stage's name")
    func codesHaveTheirStage() {
        for code in ReceiptError.Code.trustCodes {
            #expect([.certificateChain, .signature].contains(code.stage), "\(code)")
        }
        for code in ReceiptError.Code.checkCodes {
            #expect(ValidationCheck(rawValue: code.stage.rawValue) != nil, "\(code)")
            #expect(!ValidationCheck.receiptChecks.prefix(4).map(\.rawValue).contains(code.stage.rawValue), "\(code)")
        }
    }

    @Test("every refusal of a whole receipt that trust or checks can give is that of an attack in the catalogue")
    func catalogueIsComplete() {
        let held = Set(Attack.all.map(\.code))
        // The others are thrown where configuration, text or this device is read, not by a receipt.
        let expected = Set(Self.codes).subtracting([
            .trustAnchorMalformed, .deviceIdentifierMalformed, .deviceIdentifierUnsupported,
        ])
        #expect(expected.subtracting(held).map(\.rawValue).sorted() == [])
    }
}
