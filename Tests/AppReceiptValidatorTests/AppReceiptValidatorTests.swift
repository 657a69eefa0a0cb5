import AppReceiptKit
import AppReceiptTesting
import AppReceiptValidator
import Foundation
import Testing

@Suite("AppReceiptValidator")
struct AppReceiptValidatorTests {
    private let validator = AppReceiptValidator()

    @Test(
        "A valid receipt passes every check, and the result contains the receipt, its bytes and the device identifier")
    func fullValidation() throws {
        let fixture = ReceiptFixture()
        let result = try fixture.result {
            $0.propertyValidations = [
                .string(\.bundleIdentifier, expected: "com.example.app"), .string(\.appVersion, expected: "1"),
            ]
        }
        guard case .success(let receipt, let receiptData, let deviceIdentifier) = result else {
            Issue.record("\(String(describing: result.error))")
            return
        }
        #expect(receipt.bundleIdentifier == "com.example.app")
        #expect(receipt.originalAppVersion == "1.0")
        #expect(receipt.receiptCreationDate == fixture.receipt.creationDate)
        #expect(receiptData == (try fixture.data()))
        #expect(deviceIdentifier == ReceiptFixture.device)
        #expect(result.receipt == receipt)
        #expect(result.error == nil)
    }

    @Test("validate(parameters:) is an alias of validateReceipt(parameters:)")
    func otherName() throws {
        let parameters = try ReceiptFixture().parameters()
        #expect(validator.validate(parameters: parameters).receipt != nil)
        #expect(validator.validate().error == validator.validateReceipt().error)
    }

    @Test("A chain that was valid at the creation date stays valid after its certificates expire")
    func expiredChain() throws {
        let fixture = ReceiptFixture.with {
            $0.pki = .sha1
            $0.receipt.creationDate = TestPKI.sha1.signer.notBefore.addingTimeInterval(86_400)
        }
        let root = Data(try TestPKI.sha1.root.der())
        #expect(try fixture.result { $0.signatureValidation = .shouldValidate(.data(root)) }.error == nil)
    }

    @Test("Parsing doesn't require a signature")
    func parsesOnly() throws {
        for fixture in [
            ReceiptFixture(), ReceiptFixture.with { $0.pki = .impostor },
            ReceiptFixture.with { $0.container = { $0.certificates = [] } },
            ReceiptFixture.with { $0.container = { $0.signers = [] } },
        ] {
            let data = try fixture.data()
            let receipt = try validator.parseReceipt(origin: .data(data))
            #expect(receipt.bundleIdentifier == "com.example.app")
            #expect(receipt.opaqueValue == Data(0x10...0x1F))
            let both = try validator.parseUnofficialReceipt(origin: .dynamic { data })
            #expect(both.receipt == receipt)
            #expect(both.unofficialReceipt.provisioningType == .known(value: .productionSandbox))
        }
    }

    @Test("Skipping signature and hash only parses the receipt, but skipping the signature still checks the device")
    func skips() throws {
        let forged = ReceiptFixture.with { $0.pki = .impostor }
        #expect(try forged.result().error != nil)
        let parsed = try forged.result {
            $0.signatureValidation = .skip
            $0.shouldValidateHash = false
            $0.deviceIdentifier = .currentDevice
        }
        #expect(parsed.receipt?.bundleIdentifier == "com.example.app")
        #expect(parsed.deviceIdentifier == nil)
        #expect(try forged.result { $0.signatureValidation = .skip }.error == nil)
        let other = try forged.result {
            $0.signatureValidation = .skip
            $0.deviceIdentifier = .data(Data([2, 0, 0, 0, 0, 2]))
        }
        #expect(other.error == .incorrectHash)
    }

    @Test(
        "Bytes that aren't a PKCS #7 container are empty contents, for parsing and for validating",
        arguments: [
            Data(), Data("hello".utf8), Data("{\n\t\"signature\" = \"AA==\";\n}".utf8), Data("MIIBAAYJKoZIhvcN".utf8),
            Data([0x30]), Data([0x30, 0x80]), Data([0x30, 0x03, 0x02, 0x01, 0x01]), Data([0x31, 0x00]),
            Data("00000000000000000000".utf8),
        ])
    func emptyContents(_ data: Data) {
        let result = validator.validateReceipt(parameters: .default.with { $0.receiptOrigin = .data(data) })
        #expect(result.error == .emptyReceiptContents)
        #expect(result.receiptData == data)
        #expect(throws: AppReceiptValidator.Error.emptyReceiptContents) {
            try validator.parseReceipt(origin: .data(data))
        }
        #expect(throws: AppReceiptValidator.Error.emptyReceiptContents) {
            try validator.parseUnofficialReceipt(origin: .data(data))
        }
    }

    @Test("A receipt in base64, truncated or with trailing bytes isn't a container")
    func textAndTruncated() throws {
        let data = try ReceiptFixture().data()
        for bytes in [Data(data.base64EncodedString().utf8), data.dropLast(), data + [0]] {
            let result = validator.validateReceipt(parameters: .default.with { $0.receiptOrigin = .data(Data(bytes)) })
            #expect(result.error == .emptyReceiptContents)
        }
    }

    /// A fault of a receipt or its parameters, and the error that it causes.
    struct Fault: CustomTestStringConvertible {
        let error: AppReceiptValidator.Error
        let fixture: ReceiptFixture
        let change: (inout AppReceiptValidator.Parameters) -> Void
        var testDescription: String { "\(error)" }

        init(
            _ error: AppReceiptValidator.Error, _ fixture: ReceiptFixture = ReceiptFixture(),
            _ change: @escaping (inout AppReceiptValidator.Parameters) -> Void = { _ in }
        ) {
            self.error = error
            self.fixture = fixture
            self.change = change
        }
    }

    // The current device isn't that of the receipt.
    #if os(Linux)
    private static let errorOnThisDevice = AppReceiptValidator.Error.deviceIdentifierNotDeterminable
    #else
    private static let errorOnThisDevice = AppReceiptValidator.Error.incorrectHash
    #endif

    /// The faults in the order in which they are found.
    static func faults() throws -> [Fault] {
        [
            Fault(.couldNotFindReceipt) { $0.receiptOrigin = .dynamic { nil } },
            Fault(.emptyReceiptContents, .with { $0.bytes = { $0 = [0x30, 0x00] } }),
            Fault(.receiptNotSigned, .with { $0.container = { $0.signers = [] } }),
            Fault(.malformedAppleRootCertificate) { $0.signatureValidation = .shouldValidate(.data(Data([1, 2]))) },
            Fault(.receiptMissingCertificates, .with { $0.container = { $0.certificates = [] } }),
            Fault(.receiptMissingCertificates, .with { $0.container = { $0.certificates.remove(at: 0) } }),
            Fault(.receiptMissingCertificates, .with { $0.container = { $0.certificates.remove(at: 1) } }),
            Fault(.receiptRootCertificateMismatch) {
                $0.signatureValidation = .shouldValidate(
                    rootCertificateOrigin: .cerFileBundledWithAppReceiptValidator)
            },
            Fault(.certificateChainInvalid, .with { $0.pki = TestPKI.standard.with { $0.signer.markers = [] } }),
            Fault(.certificateChainInvalid, .with { $0.pki = .impostor }),
            Fault(
                .receiptSignatureInvalid,
                .with { $0.container = { $0.signers[0].signature = [UInt8](repeating: 1, count: 256) } }),
            Fault(.malformedReceipt, .with { $0.receipt.overrides[12] = [[0x16, 0x01, 0x78]] }),
            Fault(
                .malformedInAppPurchaseReceipt, .with { $0.receipt.overrides[17] = [[0x31, 0x02, 0x05, 0x00]] }),
            Fault(.propertyValueMismatch) {
                $0.propertyValidations = [.string(\.bundleIdentifier, expected: "com.example.other")]
            },
            Fault(errorOnThisDevice) { $0.deviceIdentifier = .currentDevice },
            Fault(.incorrectHash) { $0.deviceIdentifier = .data(Data(repeating: 0, count: 16)) },
        ]
    }

    @Test("Each fault causes its error, and the result contains the receipt's bytes and the device identifier")
    func errors() throws {
        for fault in try Self.faults() {
            let result = try fault.fixture.result(fault.change)
            #expect(result.error == fault.error)
            #expect(result.receipt == nil)
            #expect((result.receiptData == nil) == (fault.error == .couldNotFindReceipt), "\(fault.error)")
            let parameters = try fault.fixture.parameters().with(block: fault.change)
            #expect(result.deviceIdentifier == parameters.deviceIdentifier.getData(), "\(fault.error)")
        }
    }

    @Test(
        "A receipt with a malformed attribute is rejected if a decision depends on it, and otherwise the attribute is nil"
    )
    func malformedAttributes() throws {
        let integer: [UInt8] = [0x02, 0x01, 0x01]
        let text = DERWriter.utf8String("1")
        for (number, values) in [
            (2, [integer]), (12, [text]), (21, [text]), (5, [[1, 2, 3]]), (3, [text, text]), (10, [text, text]),
            (3, [text + [0]]), (10, [text + [0]]),
        ] {
            let fixture = ReceiptFixture.with { $0.receipt.overrides[number] = values }
            #expect(try fixture.result().error == .malformedReceipt, "\(number)")
            #expect(throws: AppReceiptValidator.Error.malformedReceipt, "\(number)") {
                try validator.parseReceipt(origin: .data(try fixture.data()))
            }
        }
        func purchase(_ attributes: [(UInt64, [UInt8])]) -> [UInt8] {
            DERWriter.set(
                attributes.map { number, value in
                    DERWriter.sequence([
                        DERWriter.integer(number), DERWriter.integer(1), DERWriter.octetString(value),
                    ])
                })
        }
        for value in [
            integer, purchase([(1702, text), (1702, text)]), purchase([(1708, text)]), purchase([(1712, text)]),
        ] {
            let fixture = ReceiptFixture.with { $0.receipt.overrides[17] = [value] }
            #expect(try fixture.result().error == .malformedInAppPurchaseReceipt)
        }
        let lenient = ReceiptFixture.with {
            $0.receipt.overrides[3] = [integer]
            $0.receipt.overrides[17] = [purchase([(1701, text), (1702, integer), (1704, text)])]
        }
        let receipt = try #require(try lenient.result().receipt)
        #expect(receipt.appVersion == nil)
        #expect(receipt.inAppPurchaseReceipts == [InAppPurchaseReceipt()])
    }

    @Test("The first of several faults determines the error")
    func order() throws {
        let bad = ReceiptFixture.with {
            $0.pki = .impostor
            $0.receipt.overrides[3] = [[0x0C, 0x01, 0x31], [0x0C, 0x01, 0x32]]
            $0.container = { $0.signers = [] }
        }
        let wrong: (inout AppReceiptValidator.Parameters) -> Void = {
            $0.propertyValidations = [.string(\.appVersion, expected: "2")]
            $0.deviceIdentifier = .data(Data([1, 2, 3, 4, 5, 6]))
        }
        #expect(try bad.result(wrong).error == .receiptNotSigned)
        #expect(
            try bad.result {
                wrong(&$0)
                $0.shouldValidateSignaturePresence = false
            }.error == .receiptNotSigned, "The signature can't be validated without a signer.")
        let forged = bad.changed { $0.container = { _ in } }
        #expect(try forged.result(wrong).error == .certificateChainInvalid)
        let altered = forged.changed {
            $0.pki = .standard
            $0.container = { $0.signers[0].signature = [UInt8](repeating: 1, count: 256) }
        }
        #expect(try altered.result(wrong).error == .receiptSignatureInvalid)
        let malformed = altered.changed { $0.container = { _ in } }
        #expect(try malformed.result(wrong).error == .malformedReceipt)
        let good = malformed.changed { $0.receipt.overrides = [:] }
        #expect(try good.result(wrong).error == .propertyValueMismatch)
        #expect(
            try good.result {
                wrong(&$0)
                $0.propertyValidations = []
            }.error == .incorrectHash)
        #expect(try good.result().error == nil)
    }

    @Test("Only the given root is trusted")
    func customRoot() throws {
        for (root, error) in [
            (try TestPKI.standard.root.der(), nil),
            (try TestPKI.xcode.der(), .receiptRootCertificateMismatch),
            // With the same name but another key, the chain is invalid.
            (try TestPKI.impostor.root.der(), AppReceiptValidator.Error.certificateChainInvalid),
            ([], .malformedAppleRootCertificate),
        ] {
            let result = try ReceiptFixture().result { $0.signatureValidation = .shouldValidate(.data(Data(root))) }
            #expect(result.error == error)
        }
    }

    @Test("A receipt of Xcode's local testing is valid only under Xcode's certificate")
    func xcode() throws {
        let receipt = TestReceipt().with { $0.device = ReceiptFixture().receipt.device }
        let data = Data(try receipt.signedLikeXcode())
        let certificate = Data(try TestPKI.xcode.der())
        let fixture = ReceiptFixture()
        let byDefault = try fixture.result {
            $0.receiptOrigin = .data(data)
            $0.signatureValidation = .shouldValidate(.cerFileBundledWithAppReceiptValidator)
        }
        #expect(byDefault.error == .receiptRootCertificateMismatch)
        let named = try fixture.result {
            $0.receiptOrigin = .data(data)
            $0.signatureValidation = .shouldValidate(.data(certificate))
        }
        #expect(named.error == nil)
    }

    @Test("An expired receipt is valid, because the caller checks the expiration date")
    func expired() throws {
        let fixture = ReceiptFixture.with {
            $0.receipt.expirationDate = $0.receipt.creationDate.addingTimeInterval(60)
        }
        #expect(try fixture.result().receipt?.expirationDate == fixture.receipt.expirationDate)
    }

    @Test("An altered payload is a signature error, even if it doesn't parse")
    func alteredPayload() throws {
        let data = try ReceiptFixture().data()
        let payload = ReceiptFixture().receipt.payload
        let start = try #require(data.firstRange(of: Data(payload))?.lowerBound)
        for offset in stride(from: 0, to: payload.count, by: 7) {
            let fixture = ReceiptFixture.with { $0.bytes = { $0[start + offset] ^= 0x20 } }
            #expect(try fixture.result().error == .receiptSignatureInvalid, "\(offset)")
        }
    }

    @Test("Receipts that AppReceiptKit parses have the same contents here")
    func parsesWhatTheKitParses() throws {
        let data = Array(try ReceiptFixture().data())
        var parsed = 0
        for offset in stride(from: 0, to: data.count, by: 3) {
            for bit in [UInt8(1), 0x80] {
                var altered = data
                altered[offset] ^= bit
                guard let receipt = try? AppReceipt(parsing: altered), altered.first == 0x30 else { continue }
                parsed += 1
                let same = try validator.parseReceipt(origin: .data(Data(altered)))
                #expect(same.bundleIdentifier == receipt.bundleIdentifier, "\(offset)")
                #expect(same.sha1Hash.map(Array.init) == receipt.deviceHash, "\(offset)")
                #expect(same.inAppPurchaseReceipts.count == receipt.purchases.count, "\(offset)")
            }
        }
        #expect(parsed > 1000)
    }

    @Test("An unsigned container is rejected by default, even if the signature isn't validated")
    func signaturePresence() throws {
        let unsigned = ReceiptFixture.with { $0.container = { $0.signers = [] } }
        let skip: (inout AppReceiptValidator.Parameters) -> Void = { $0.signatureValidation = .skip }
        #expect(try unsigned.result(skip).error == .receiptNotSigned)
        #expect(
            try unsigned.result {
                skip(&$0)
                $0.shouldValidateSignaturePresence = false
            }.error == nil)
    }

    @Test("Properties can be compared without validating the receipt")
    func properties() throws {
        let receipt = try validator.parseReceipt(origin: .data(try ReceiptFixture().data()))
        try validator.validateProperties(receipt: receipt, validations: [])
        try validator.validateProperties(
            receipt: receipt, validations: [.string(\Receipt.originalAppVersion, expected: "1.0")])
        #expect(throws: AppReceiptValidator.Error.propertyValueMismatch) {
            try validator.validateProperties(
                receipt: receipt,
                validations: [.string(\.appVersion, expected: "1"), .string(\.appVersion, expected: "2")])
        }
    }

    @Test("Errors have the original numbers")
    func errorNumbers() {
        #expect(AppReceiptValidator.Error.couldNotFindReceipt.rawValue == 0)
        #expect(AppReceiptValidator.Error.certificateChainInvalid.rawValue == 5)
        #expect(AppReceiptValidator.Error.incorrectHash.rawValue == 10)
        #expect(AppReceiptValidator.Error.propertyValueMismatch.rawValue == 14)
        #expect(AppReceiptValidator.Error.unknown.rawValue == 15)
        #expect(AppReceiptValidator.Error(rawValue: 16) == nil)
    }
}

extension ReceiptFixture {
    fileprivate func changed(_ change: (inout ReceiptFixture) -> Void) -> ReceiptFixture {
        var changed = self
        change(&changed)
        return changed
    }
}
