import AppReceiptValidator
import Foundation
import Testing

@Suite("AppReceiptValidator.Parameters")
struct ParametersTests {
    typealias Parameters = AppReceiptValidator.Parameters

    @Test("The default validates everything, for the installed receipt and this device")
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

    @Test("The memberwise initializer keeps every argument")
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

    @Test("with(block:) changes a copy")
    func with() {
        let original = Parameters.default
        let changed = original.with { $0.shouldValidateHash = false }
        #expect(original.shouldValidateHash)
        #expect(!changed.shouldValidateHash)
    }

    @Test("A root certificate can be passed with and without a label")
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
