import AppReceiptValidator
import Foundation
import Testing

@Suite("AppReceiptValidator.Parameters")
struct ParametersTests {
    typealias Parameters = AppReceiptValidator.Parameters

    @Test("by default everything is validated, for the installed receipt and this device")
    func defaults() {
        let parameters = Parameters.default
        guard case .installedInMainBundle = parameters.receiptOrigin,
            case .shouldValidate(rootCertificateOrigin: .cerFileBundledWithAppReceiptValidator) =
                parameters.signatureValidation,
            case .currentDevice = parameters.deviceIdentifier
        else {
            Issue.record("\(parameters)")
            return
        }
        #expect(parameters.shouldValidateSignaturePresence)
        #expect(parameters.shouldValidateHash)
        #expect(parameters.propertyValidations.isEmpty)
    }

    @Test("the memberwise initialiser keeps everything it is given")
    func memberwise() {
        let parameters = Parameters(
            receiptOrigin: .data(Data([1])), shouldValidateSignaturePresence: false, signatureValidation: .skip,
            shouldValidateHash: false, deviceIdentifier: .data(Data([2])),
            propertyValidations: [.string(\.appVersion, expected: "1")])
        #expect(parameters.receiptOrigin.loadData() == Data([1]))
        #expect(!parameters.shouldValidateSignaturePresence)
        #expect(!parameters.shouldValidateHash)
        #expect(parameters.deviceIdentifier.getData() == Data([2]))
        #expect(parameters.propertyValidations.count == 1)
        guard case .skip = parameters.signatureValidation else {
            Issue.record("\(parameters.signatureValidation)")
            return
        }
    }

    @Test("with changes a copy")
    func with() {
        let original = Parameters.default
        let changed = original.with { $0.shouldValidateHash = false }
        #expect(original.shouldValidateHash)
        #expect(!changed.shouldValidateHash)
    }

    @Test("both spellings of a root mean the same")
    func spellings() {
        let origin = Parameters.RootCertificateOrigin.data(Data([7]))
        for validation: Parameters.SignatureValidation in [
            .shouldValidate(rootCertificateOrigin: origin), .shouldValidate(origin),
        ] {
            guard case .shouldValidate(rootCertificateOrigin: .data(let data)) = validation else {
                Issue.record("\(validation)")
                continue
            }
            #expect(data == Data([7]))
        }
    }
}
