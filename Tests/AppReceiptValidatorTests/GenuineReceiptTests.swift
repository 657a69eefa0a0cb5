import AppReceiptValidator
import Foundation
import TestSupport
import Testing

@Suite("Genuine receipts", .enabled(if: GenuineReceipts.arePresent, "\(GenuineReceipts.absence)"))
struct GenuineReceiptTests {
    typealias Parameters = AppReceiptValidator.Parameters
    private let validator = AppReceiptValidator()

    private func data(_ name: String) throws -> Data {
        let data = Data(try GenuineReceipts.bytes(name))
        guard name.hasSuffix(".b64") else { return data }
        return try #require(Data(base64Encoded: data, options: .ignoreUnknownCharacters))
    }

    @Test(
        "Receipts from the App Store pass full validation after their certificates have expired",
        arguments: [
            ("mac-production-2017-sha1.receipt", "bEAItZRe", "com.ideasoncanvas.MindNodeMac", 0),
            ("mac-production-2023-g5-sha256.receipt", "+P/CHpGC", "com.ideasoncanvas.mindnode.macos", 3),
            ("ios-sandbox-2023-g7.receipt", "5hgQmGLdQz+7lGddOBXSYw==", "com.hannesoid.PurchasingExperiments", 2),
            ("ios-sandbox-2025-g5.receipt", "lWMo2cxqR/S+QGlT+wq2xw==", "dev.bonzer.weeka.app", 2),
        ])
    func fullValidation(_ file: String, _ device: String, _ bundleIdentifier: String, _ purchases: Int) throws {
        let data = try data(file)
        let identifier = try #require(Parameters.DeviceIdentifier(base64Encoded: device))
        let parameters = Parameters.default.with {
            $0.receiptOrigin = .data(data)
            $0.deviceIdentifier = identifier
            $0.propertyValidations = [.string(\.bundleIdentifier, expected: bundleIdentifier)]
        }
        let result = validator.validateReceipt(parameters: parameters)
        #expect(result.error == nil)
        #expect(result.receipt?.inAppPurchaseReceipts.count == purchases)
        #expect(result.deviceIdentifier == identifier.getData())
        let wrongDevice = parameters.with { $0.deviceIdentifier = .init(uuid: UUID()) }
        #expect(validator.validateReceipt(parameters: wrongDevice).error == .incorrectHash)
        let wrongApp = parameters.with {
            $0.propertyValidations = [.string(\.bundleIdentifier, expected: "com.example.app")]
        }
        #expect(validator.validateReceipt(parameters: wrongApp).error == .propertyValueMismatch)
    }

    @Test("The receipt of 2017 has the expected contents")
    func macReceipt() throws {
        let data = try data("mac-production-2017-sha1.receipt")
        let receipt = try validator.parseReceipt(origin: .data(data))
        #expect(receipt.bundleIdentifier == "com.ideasoncanvas.MindNodeMac")
        #expect(receipt.bundleIdData == Data([0x0C, 0x1D] + Array("com.ideasoncanvas.MindNodeMac".utf8)))
        #expect(receipt.appVersion == "2.5.5")
        #expect(receipt.receiptCreationDate == Date(timeIntervalSince1970: 1_504_515_680))
        #expect(receipt.expirationDate == nil)
        #expect(receipt.inAppPurchaseReceipts.isEmpty)
    }

    @Test("The receipt of 2015 passes every check but the hash")
    func sandboxReceipt() throws {
        let data = try data("ios-sandbox-2015-sha1.b64")
        let parameters = Parameters.default.with {
            $0.receiptOrigin = .dynamic { data }
            $0.shouldValidateHash = false
        }
        let receipt = try #require(validator.validateReceipt(parameters: parameters).receipt)
        #expect(receipt.bundleIdentifier == "com.mbaasy.ios.demo")
        #expect(receipt.inAppPurchaseReceipts.count == 7)
        #expect(receipt.inAppPurchaseReceipts.allSatisfy { $0.cancellationDate == nil && $0.quantity == 1 })
        let unofficial = try validator.parseUnofficialReceipt(origin: .data(data)).unofficialReceipt
        #expect(unofficial.provisioningType == .known(value: .productionSandbox))
    }

    @Test(
        "Attributes of unknown meaning are bytes, except for the empty string of attribute 20",
        arguments: ["mac-production-2017-sha1.receipt", "ios-sandbox-2023-g7.receipt", "ios-sandbox-2025-g5.receipt"])
    func unofficialAttributes(_ file: String) throws {
        let unofficial = try validator.parseUnofficialReceipt(origin: .data(try data(file))).unofficialReceipt
        let unknown = unofficial.entries.filter { $0.meaning == nil }
        #expect(unknown.count >= 10)
        for entry in unknown {
            switch entry.value {
            case .bytes: #expect(entry.attributeNumber != 20)
            case .string(let text):
                #expect(entry.attributeNumber == 20, "\(entry)")
                #expect(text.isEmpty, "\(entry)")
            case .date, nil: Issue.record("\(entry)")
            }
        }
    }

    @Test(
        "Receipts of Xcode are rejected by default and valid under Xcode's certificate",
        arguments: ["2020", "2023-empty"])
    func xcodeReceipt(_ name: String) throws {
        let data = try data("xcode-\(name).b64")
        let parameters = Parameters.default.with {
            $0.receiptOrigin = .data(data)
            $0.shouldValidateHash = false
        }
        #expect(validator.validateReceipt(parameters: parameters).error == .receiptRootCertificateMismatch)
        let certificate = Data(try GenuineReceipts.bytes("storekit-test-certificate.cer"))
        let named = parameters.with { $0.signatureValidation = .shouldValidate(.data(certificate)) }
        #expect(validator.validateReceipt(parameters: named).error == nil)
    }

    @Test("A transaction receipt from before iOS 7 isn't a container")
    func transactionReceipt() throws {
        let text = try GenuineReceipts.bytes("transaction-receipt-pre-ios7.b64")
        let list = try #require(Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters))
        for data in [Data(text), list] {
            #expect(throws: AppReceiptValidator.Error.emptyReceiptContents) {
                try validator.parseReceipt(origin: .data(data))
            }
        }
    }
}
