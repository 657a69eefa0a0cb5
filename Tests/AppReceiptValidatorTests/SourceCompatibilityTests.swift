import AppReceiptTesting
import AppReceiptValidator
import Foundation
import Testing

/// Uses every declaration of the original library as client code does. Code that compiles with the original must
/// compile here.
@Suite("Source compatibility")
struct SourceCompatibilityTests {
    typealias Parameters = AppReceiptValidator.Parameters

    private let fixture = ReceiptFixture()

    // MARK: - AppReceiptValidator

    @Test("A receipt validates through each of the entry points")
    func entryPoints() throws {
        let validator = AppReceiptValidator()
        let parameters = try fixture.parameters()
        let validateReceipt: (Parameters) -> AppReceiptValidator.Result = validator.validateReceipt(parameters:)
        #expect(validateReceipt(parameters).receipt?.bundleIdentifier == "com.example.app")
        #expect(validator.validate(parameters: parameters).receipt == validateReceipt(parameters).receipt)
        #expect(validator.validateReceipt().error == .couldNotFindReceipt)
        #expect(validator.validateReceipt(parameters: .default).error == .couldNotFindReceipt)
    }

    @Test("A receipt parses without validation, with and without its unofficial attributes")
    func parsing() throws {
        let validator = AppReceiptValidator()
        let origin = Parameters.ReceiptOrigin.data(try fixture.data())
        let parse: (Parameters.ReceiptOrigin) throws -> Receipt = validator.parseReceipt(origin:)
        let receipt = try parse(origin)
        let (parsed, unofficial) = try validator.parseUnofficialReceipt(origin: origin)
        #expect(parsed == receipt)
        #expect(unofficial.provisioningType == .known(value: .productionSandbox))
        let both: (receipt: Receipt, unofficialReceipt: UnofficialReceipt) = try validator.parseUnofficialReceipt(
            origin: origin)
        #expect(both.receipt == receipt)
        #expect(both.unofficialReceipt.entries.count == unofficial.entries.count)
        do {
            _ = try validator.parseReceipt(origin: .dynamic { nil })
            Issue.record("A missing receipt must not parse.")
        } catch {
            #expect(error as? AppReceiptValidator.Error == .couldNotFindReceipt)
        }
    }

    @Test("Properties of a receipt can be compared alone")
    func properties() throws {
        let validator = AppReceiptValidator()
        let receipt = try validator.parseReceipt(origin: .data(try fixture.data()))
        let validations: [Parameters.PropertyValidation] = [
            .string(\.bundleIdentifier, expected: "com.example.app"), .string(\Receipt.appVersion, expected: "1"),
        ]
        try validator.validateProperties(receipt: receipt, validations: validations)
        do {
            try validator.validateProperties(
                receipt: receipt, validations: validations + [.string(\.originalAppVersion, expected: "2")])
            Issue.record("A property with another value must not pass.")
        } catch AppReceiptValidator.Error.propertyValueMismatch {
            #expect(receipt.originalAppVersion == "1.0")
        }
    }

    // MARK: - Result

    @Test("A result is matched by case and read by property")
    func result() throws {
        let data = try fixture.data()
        switch try fixture.result() {
        case .success(let receipt, let receiptData, let deviceIdentifier):
            #expect(receipt.bundleIdentifier == "com.example.app")
            #expect(receiptData.count == data.count)
            #expect(deviceIdentifier == ReceiptFixture.device)
        case .error(let validationError, _, _):
            Issue.record("\(validationError)")
        }
        let failure = try fixture.result { $0.propertyValidations = [.string(\.appVersion, expected: "2")] }
        if case .error(let error, receiptData: let receiptData, deviceIdentifier: let deviceIdentifier) = failure {
            #expect(error == .propertyValueMismatch)
            #expect(receiptData == data)
            #expect(deviceIdentifier == ReceiptFixture.device)
        } else {
            Issue.record("A property with another value must not pass.")
        }
        let made = AppReceiptValidator.Result.success(Receipt(), receiptData: Data([1]), deviceIdentifier: Data([2]))
        let receipt: Receipt? = made.receipt
        let error: AppReceiptValidator.Error? = made.error
        let receiptData: Data? = made.receiptData
        let deviceIdentifier: Data? = made.deviceIdentifier
        #expect(receipt == Receipt())
        #expect(error == nil)
        #expect(receiptData == Data([1]))
        #expect(deviceIdentifier == Data([2]))
        let failed = AppReceiptValidator.Result.error(.unknown, receiptData: nil, deviceIdentifier: nil)
        #expect(failed.receipt == nil)
        #expect(failed.error == .unknown)
        #expect(failed.receiptData == nil)
        #expect(failed.deviceIdentifier == nil)
    }

    // MARK: - Error

    private static func number(of error: AppReceiptValidator.Error) -> Int {
        switch error {
        case .couldNotFindReceipt: 0
        case .emptyReceiptContents: 1
        case .receiptNotSigned: 2
        case .receiptMissingCertificates: 3
        case .receiptRootCertificateMismatch: 4
        case .certificateChainInvalid: 5
        case .appleRootCertificateNotFound: 6
        case .receiptSignatureInvalid: 7
        case .malformedReceipt: 8
        case .malformedInAppPurchaseReceipt: 9
        case .incorrectHash: 10
        case .deviceIdentifierNotDeterminable: 11
        case .malformedAppleRootCertificate: 12
        case .couldNotGetExpectedPropertyValue: 13
        case .propertyValueMismatch: 14
        case .unknown: 15
        }
    }

    @Test("There are sixteen errors, numbered from 0", arguments: 0..<16)
    func errors(_ rawValue: Int) throws {
        let error = try #require(AppReceiptValidator.Error(rawValue: rawValue))
        #expect(error.rawValue == rawValue)
        #expect(Self.number(of: error) == rawValue)
        let thrown: any Swift.Error = error
        #expect(thrown as? AppReceiptValidator.Error == error)
        #expect(AppReceiptValidator.Error(rawValue: 16) == nil)
        #expect(AppReceiptValidator.Error(rawValue: -1) == nil)
    }

    // MARK: - ReceiptDateFormatter

    @Test("Dates convert to and from text")
    func dates() throws {
        let date: Date? = AppReceiptValidator.ReceiptDateFormatter.date(from: "2017-01-01T12:00:00Z")
        #expect(date == Date(timeIntervalSince1970: 1_483_272_000))
        let fraction = try #require(AppReceiptValidator.ReceiptDateFormatter.date(from: "2017-01-01T12:00:00.123Z"))
        let text: String = AppReceiptValidator.ReceiptDateFormatter.string(from: fraction)
        #expect(text == "2017-01-01T12:00:00.123Z")
        #expect(AppReceiptValidator.ReceiptDateFormatter.date(from: "yesterday") == nil)
    }

    // MARK: - Parameters

    @Test("Parameters are created by their initializer, from the default, and with a block")
    func parameters() {
        let complete = Parameters(
            receiptOrigin: .data(Data([1])), shouldValidateSignaturePresence: false, signatureValidation: .skip,
            shouldValidateHash: false, deviceIdentifier: .data(Data([2])),
            propertyValidations: [.bundleIdMatchingMainBundle])
        var assigned = Parameters.default
        #expect(assigned.shouldValidateSignaturePresence)
        #expect(assigned.shouldValidateHash)
        assigned.receiptOrigin = .data(Data([1]))
        assigned.shouldValidateSignaturePresence = false
        assigned.signatureValidation = .skip
        assigned.shouldValidateHash = false
        assigned.deviceIdentifier = .data(Data([2]))
        assigned.propertyValidations = [.bundleIdMatchingMainBundle]
        let configured = AppReceiptValidator.Parameters.default.with {
            $0.receiptOrigin = .data(Data([1]))
            $0.shouldValidateSignaturePresence = false
            $0.signatureValidation = .skip
            $0.shouldValidateHash = false
            $0.deviceIdentifier = .data(Data([2]))
            $0.propertyValidations = [.bundleIdMatchingMainBundle]
        }
        for parameters in [complete, assigned, configured] {
            #expect(parameters.receiptOrigin.loadData() == Data([1]))
            #expect(!parameters.shouldValidateSignaturePresence)
            #expect(!parameters.shouldValidateHash)
            #expect(parameters.deviceIdentifier.getData() == Data([2]))
            #expect(parameters.propertyValidations.count == 1)
            guard case .skip = parameters.signatureValidation else {
                Issue.record("\(parameters.signatureValidation)")
                continue
            }
        }
    }

    @Test("A receipt origin is installed, data, or dynamic")
    func receiptOrigins() {
        func name(_ origin: Parameters.ReceiptOrigin) -> String {
            switch origin {
            case .installedInMainBundle: "installed"
            case .data(let data): "data \(data.count)"
            case .dynamic(let load): "dynamic \(load()?.count ?? 0)"
            }
        }
        #expect(name(.installedInMainBundle) == "installed")
        #expect(name(.data(Data([1]))) == "data 1")
        #expect(name(.dynamic { Data([1, 2]) }) == "dynamic 2")
        let loaded: Data? = Parameters.ReceiptOrigin.dynamic({ Data([3]) }).loadData()
        #expect(loaded == Data([3]))
        #expect(Parameters.ReceiptOrigin.installedInMainBundle.loadData() == nil)
    }

    @Test("A device identifier is created from base64, a UUID or a MAC address")
    func deviceIdentifiers() throws {
        let expected = Data([0x6C, 0x40, 0x08, 0xB5, 0x94, 0x5E])
        guard let base64 = Parameters.DeviceIdentifier(base64Encoded: "bEAItZRe"),
            let address = Parameters.DeviceIdentifier(macAddress: "6c:40:08:b5:94:5e"),
            let dashed = Parameters.DeviceIdentifier(macAddress: "6c-40-08-b5-94-5e", separator: "-")
        else {
            Issue.record("Valid identifiers must not be nil.")
            return
        }
        for identifier in [base64, address, dashed, .data(expected)] {
            switch identifier {
            case .currentDevice: Issue.record("The identifier isn't the current device's.")
            case .data(let data): #expect(data == expected)
            }
            let data: Data? = identifier.getData()
            #expect(data == expected)
        }
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        let vendor: Parameters.DeviceIdentifier = Parameters.DeviceIdentifier(uuid: uuid)
        #expect(vendor.getData() == Data(0...15))
        #expect(Parameters.DeviceIdentifier(base64Encoded: "*") == nil)
        #expect(Parameters.DeviceIdentifier(macAddress: "6c:40") == nil)
        let parameters = Parameters.default
        guard case .currentDevice = parameters.deviceIdentifier else {
            Issue.record("\(parameters.deviceIdentifier)")
            return
        }
    }

    // Not canImport alone: stand-ins for Apple's frameworks may be in the build folder on Linux.
    #if canImport(IOKit) && (os(macOS) || targetEnvironment(macCatalyst))
    @Test("The MAC addresses of a Mac have six bytes and a matching text")
    func networkAddresses() {
        let primary: (data: Data, addressString: String)? = Parameters.DeviceIdentifier.getPrimaryNetworkMACAddress()
        let legacy: (data: Data, addressString: String)? = Parameters.DeviceIdentifier
            .getLegacyPrimaryNetworkMACAddress()
        for address in [primary, legacy].compactMap({ $0 }) {
            #expect(address.data.count == 6)
            #expect(Parameters.DeviceIdentifier(macAddress: address.addressString)?.getData() == address.data)
        }
        #expect(Parameters.DeviceIdentifier.currentDevice.getData() == nil || primary != nil || legacy != nil)
    }
    #endif

    @Test("A signature validation is skipped or has a root, with and without a label")
    func signatureValidations() {
        func root(_ validation: Parameters.SignatureValidation) -> Data? {
            switch validation {
            case .skip: nil
            case .shouldValidate(let origin): origin.loadData()
            }
        }
        let certificate = Data([7])
        #expect(root(.skip) == nil)
        #expect(root(.shouldValidate(rootCertificateOrigin: .data(certificate))) == certificate)
        #expect(root(.shouldValidate(.data(certificate))) == certificate)
        let parameters = Parameters.default.with { $0.signatureValidation = .shouldValidate(.data(certificate)) }
        #expect(root(parameters.signatureValidation) == certificate)
        #expect(root(Parameters.default.signatureValidation)?.isEmpty == false)
    }

    @Test("A root certificate is bundled or data")
    func rootCertificateOrigins() {
        func isBundled(_ origin: Parameters.RootCertificateOrigin) -> Bool {
            switch origin {
            case .cerFileBundledWithAppReceiptValidator: true
            case .data: false
            }
        }
        #expect(isBundled(.cerFileBundledWithAppReceiptValidator))
        #expect(!isBundled(.data(Data([7]))))
        let loaded: Data? = Parameters.RootCertificateOrigin.data(Data([7])).loadData()
        #expect(loaded == Data([7]))
        #expect(Parameters.RootCertificateOrigin.cerFileBundledWithAppReceiptValidator.loadData()?.first == 0x30)
    }

    @Test("A property validation compares a string property")
    func propertyValidations() throws {
        let validations: [Parameters.PropertyValidation] = [
            .string(\.bundleIdentifier, expected: nil), .bundleIdMatchingMainBundle, .appVersionMatchingMainBundleIOS,
            .appVersionMatchingMainBundleMacOS,
        ]
        for validation in validations {
            switch validation {
            case .string(let path, expected: let expected):
                #expect(Receipt()[keyPath: path] == nil)
                // A test runner's main bundle has no Info.plist on Linux.
                guard expected == nil else { continue }
                try validation.validateProperty(of: Receipt())
            }
        }
        #expect(throws: AppReceiptValidator.Error.propertyValueMismatch) {
            try Parameters.PropertyValidation.string(\.appVersion, expected: "1").validateProperty(of: Receipt())
        }
    }

    // MARK: - Receipt

    @Test("A receipt is created empty, from typed values, and from strings")
    func receipts() {
        let typed = Receipt(
            bundleIdentifier: "com.example.app", bundleIdData: Data([1]), appVersion: "1", opaqueValue: Data([2]),
            sha1Hash: Data([3]), originalAppVersion: "1.0",
            receiptCreationDate: Date(timeIntervalSince1970: 1_483_272_000), expirationDate: nil,
            inAppPurchaseReceipts: [InAppPurchaseReceipt()])
        let strings = Receipt(
            bundleIdentifier: "com.example.app", bundleIdData: "AQ==", appVersion: "1", opaqueValue: "Ag==",
            sha1Hash: "Aw==", originalAppVersion: "1.0", receiptCreationDate: "2017-01-01T12:00:00Z",
            expirationDate: nil, inAppPurchaseReceipts: [InAppPurchaseReceipt()])
        #expect(typed == strings)
        #expect(typed != Receipt())
        let bundleIdentifier: String? = typed.bundleIdentifier
        let bundleIdData: Data? = typed.bundleIdData
        let appVersion: String? = typed.appVersion
        let opaqueValue: Data? = typed.opaqueValue
        let sha1Hash: Data? = typed.sha1Hash
        let originalAppVersion: String? = typed.originalAppVersion
        let receiptCreationDate: Date? = typed.receiptCreationDate
        let expirationDate: Date? = typed.expirationDate
        let purchases: [InAppPurchaseReceipt] = typed.inAppPurchaseReceipts
        #expect(bundleIdentifier == "com.example.app")
        #expect(bundleIdData == Data([1]))
        #expect(appVersion == "1")
        #expect(opaqueValue == Data([2]))
        #expect(sha1Hash == Data([3]))
        #expect(originalAppVersion == "1.0")
        #expect(receiptCreationDate == Date(timeIntervalSince1970: 1_483_272_000))
        #expect(expirationDate == nil)
        #expect(purchases == [InAppPurchaseReceipt()])
        #expect(Receipt().inAppPurchaseReceipts.isEmpty)
        let convertible: any CustomStringConvertible & CustomDebugStringConvertible = typed
        #expect(convertible.description == typed.debugDescription)
        #expect("\(typed)".hasPrefix("Receipt(\n    bundleIdentifier: \"com.example.app\",\n"))
    }

    @Test("A purchase is created empty, from typed values, and from strings")
    func purchases() {
        let date = Date(timeIntervalSince1970: 1_483_272_000)
        let typed = InAppPurchaseReceipt(
            quantity: 1, productIdentifier: "monthly", transactionIdentifier: "2", originalTransactionIdentifier: "1",
            purchaseDate: date, originalPurchaseDate: date, subscriptionExpirationDate: date, cancellationDate: nil,
            webOrderLineItemId: 3)
        let strings = InAppPurchaseReceipt(
            quantity: 1, productIdentifier: "monthly", transactionIdentifier: "2", originalTransactionIdentifier: "1",
            purchaseDate: "2017-01-01T12:00:00Z", originalPurchaseDate: "2017-01-01T12:00:00Z",
            subscriptionExpirationDate: "2017-01-01T12:00:00Z", cancellationDate: nil, webOrderLineItemId: 3)
        #expect(typed == strings)
        #expect(typed != InAppPurchaseReceipt())
        let quantity: Int64? = typed.quantity
        let webOrderLineItemId: Int64? = typed.webOrderLineItemId
        let identifiers: [String?] = [
            typed.productIdentifier, typed.transactionIdentifier, typed.originalTransactionIdentifier,
        ]
        let dates: [Date?] = [
            typed.purchaseDate, typed.originalPurchaseDate, typed.subscriptionExpirationDate, typed.cancellationDate,
        ]
        #expect(quantity == 1)
        #expect(webOrderLineItemId == 3)
        #expect(identifiers == ["monthly", "2", "1"])
        #expect(dates == [date, date, date, nil])
        let convertible: any CustomStringConvertible & CustomDebugStringConvertible = typed
        #expect(convertible.description == typed.debugDescription)
        #expect("\(typed)".hasPrefix("InAppPurchaseReceipt(\n    quantity: 1,\n    productIdentifier: \"monthly\","))
    }

    // MARK: - UnofficialReceipt

    private func unofficialReceipt() throws -> UnofficialReceipt {
        let fixture = ReceiptFixture.with { $0.receipt.overrides[99] = [[0xFF, 0xFE]] }
        return try AppReceiptValidator().parseUnofficialReceipt(origin: .data(try fixture.data())).unofficialReceipt
    }

    @Test("The entries of an unofficial receipt are sorted and read by number, meaning and value")
    func entries() throws {
        let receipt = try unofficialReceipt()
        let entries: [UnofficialReceipt.Entry] = receipt.entries.sorted()
        #expect(entries.map(\.attributeNumber) == receipt.entries.map(\.attributeNumber).sorted())
        #expect(receipt.entries.sorted(by: <) == entries)
        #expect(receipt.entries.sorted(by: >) == entries.reversed())
        let first = try #require(receipt.entries.min())
        let last = try #require(receipt.entries.max())
        #expect(first < last)
        let number: UInt64 = first.attributeNumber
        let meaning: KnownUnofficialReceiptAttribute? = first.meaning
        let value: UnofficialReceipt.Entry.Value? = first.value
        #expect(number == 0)
        #expect(meaning == .provisioningType)
        #expect(value?.description == "\"ProductionSandbox\"")
        #expect(last.attributeNumber == 99)
        #expect(last.meaning == nil)
        #expect("\(last)".hasPrefix("99"))
        let description: String = (receipt as any CustomStringConvertible).description
        #expect(description.contains("ProductionSandbox"))
    }

    @Test("The value of an entry is a string, a date or bytes")
    func values() throws {
        func text(_ value: UnofficialReceipt.Entry.Value) -> String {
            switch value {
            case .string(let string): string
            case .date(let date): AppReceiptValidator.ReceiptDateFormatter.string(from: date)
            case .bytes(let data): data.base64EncodedString()
            }
        }
        let receipt = try unofficialReceipt()
        let values = Dictionary(uniqueKeysWithValues: receipt.entries.map { ($0.attributeNumber, $0.value) })
        let rating = try #require(values[10] ?? nil)
        let date = try #require(values[18] ?? nil)
        let bytes = try #require(values[99] ?? nil)
        #expect(text(rating) == "4+")
        #expect(text(date) == "2013-08-01T07:00:00Z")
        #expect(text(bytes) == Data([0xFF, 0xFE]).base64EncodedString())
        for value in [rating, date, bytes] {
            let convertible: any CustomStringConvertible = value
            #expect(convertible.description.contains(text(value)))
        }
    }

    @Test("The provisioning type of an unofficial receipt is known or unknown")
    func provisioningTypes() throws {
        typealias ProvisioningType = UnofficialReceipt.ProvisioningType
        let names: [ProvisioningType: String] = [
            .production: "Production", .productionSandbox: "ProductionSandbox", .productionVPP: "ProductionVPP",
        ]
        for (type, name) in names {
            #expect(type.rawValue == name)
            #expect(ProvisioningType(rawValue: name) == type)
        }
        let found: KnownOrUnknown<ProvisioningType>? = try unofficialReceipt().provisioningType
        switch found {
        case .known(value: .productionSandbox): #expect(found?.rawValue == "ProductionSandbox")
        case .known(let value): Issue.record("\(value)")
        case .unknown(let rawValue): Issue.record("\(rawValue)")
        case nil: Issue.record("The receipt has a provisioning type.")
        }
    }

    @Test(
        "The known unofficial attributes have their numbers",
        arguments: [
            (0, "provisioningType"), (8, "date1"), (10, "ageRating"), (18, "date2"), (22, "date3"), (23, "clientName"),
        ])
    func knownAttributes(_ rawValue: UInt64, _ name: String) throws {
        let attribute = try #require(KnownUnofficialReceiptAttribute(rawValue: rawValue))
        let found =
            switch attribute {
            case .provisioningType: "provisioningType"
            case .date1: "date1"
            case .ageRating: "ageRating"
            case .date2: "date2"
            case .date3: "date3"
            case .clientName: "clientName"
            }
        #expect(found == name)
        #expect(attribute.rawValue == rawValue)
        #expect(KnownUnofficialReceiptAttribute(rawValue: 99) == nil)
    }

    // MARK: - KnownOrUnknown

    private enum Level: Int {
        case low = 1
        case high = 2
    }

    @Test("The failable initializer of a known or unknown value can be unwrapped in every way")
    func unwrapping() throws {
        if let value = KnownOrUnknown<Level>(rawValue: 2) {
            #expect(value == .known(value: .high))
        } else {
            Issue.record("The initializer never returns nil.")
        }
        guard let unknown = KnownOrUnknown<Level>(rawValue: 3) else {
            Issue.record("The initializer never returns nil.")
            return
        }
        #expect(unknown == .unknown(rawValue: 3))
        // swift-format-ignore: NeverForceUnwrap
        let forced = KnownOrUnknown<Level>(rawValue: 1)!
        #expect(forced.rawValue == 1)
        let mapped: [KnownOrUnknown<Level>] = [1, 2, 3].compactMap(KnownOrUnknown.init(rawValue:))
        #expect(mapped.map(\.rawValue) == [1, 2, 3])
        func roundTrip<Value: RawRepresentable>(_ value: Value) -> Value? { Value(rawValue: value.rawValue) }
        #expect(roundTrip(unknown) == unknown)
    }

    @Test("A known or unknown value is hashable and prints its name or its quoted raw value")
    func knownOrUnknown() {
        let rawValue: KnownOrUnknown<Level>.Unknown = 3
        let unknown = KnownOrUnknown<Level>.unknown(rawValue: rawValue)
        let known = KnownOrUnknown<Level>.known(value: .low)
        func text(_ value: KnownOrUnknown<Level>) -> String {
            switch value {
            case .known(value: let level): "\(level)"
            case .unknown(rawValue: let number): "\(number)"
            }
        }
        #expect(text(known) == "low")
        #expect(text(unknown) == "3")
        #expect(Set([known, unknown, known]).count == 2)
        #expect(known == .unknown(rawValue: 1))
        #expect(known.hashValue == KnownOrUnknown<Level>.unknown(rawValue: 1).hashValue)
        #expect(known.description == "low")
        #expect(unknown.description == "\"3\"")
        #expect("\(KnownOrUnknown<UnofficialReceipt.ProvisioningType>.unknown(rawValue: "X"))" == "\"X\"")
    }
}
