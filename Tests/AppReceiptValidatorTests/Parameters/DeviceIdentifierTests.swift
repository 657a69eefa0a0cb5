import AppReceiptSupport
import AppReceiptValidator
import Foundation
import Testing

@Suite("AppReceiptValidator.Parameters.DeviceIdentifier")
struct DeviceIdentifierTests {
    typealias Identifier = AppReceiptValidator.Parameters.DeviceIdentifier

    @Test("Base64, a UUID and a MAC address result in their bytes")
    func forms() throws {
        #expect(Identifier(base64Encoded: "bEAItZRe")?.getData() == Data([0x6C, 0x40, 0x08, 0xB5, 0x94, 0x5E]))
        #expect(Identifier(macAddress: "6c:40:08:b5:94:5e")?.getData() == Data([0x6C, 0x40, 0x08, 0xB5, 0x94, 0x5E]))
        #expect(Identifier(macAddress: "6C-40-8-B5-94-5E", separator: "-")?.getData()?.count == 6)
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        #expect(Identifier(uuid: uuid).getData() == Data(0...15))
        #expect(Identifier.data(Data([9])).getData() == Data([9]))
    }

    @Test(
        "Text that isn't a MAC address is nil",
        arguments: [
            "", "6c:40:08:b5:94", "6c:40:08:b5:94:5e:00", "6c-40-08-b5-94-5e", "6c:40:08:b5:94:5g", "+c:40:08:b5:94:5e",
            "6c:40:08:b5:94:15e", ":::::", "6c:40:08:b5:94:5e ", "６c:40:08:b5:94:5e",
        ])
    func noAddress(_ text: String) {
        #expect(Identifier(macAddress: text) == nil)
    }

    @Test("Text that isn't base64 is nil")
    func noBase64() {
        #expect(Identifier(base64Encoded: "bEAItZR") == nil)
        #expect(Identifier(base64Encoded: "*") == nil)
    }

    #if os(Linux)
    @Test("A system without receipts has no identifier")
    func currentDevice() {
        #expect(Identifier.currentDevice.getData() == nil)
    }
    #endif

    @Test("An identifier whose length no device has doesn't match any receipt", arguments: [0, 5, 7, 15, 17, 100])
    func otherLengths(_ count: Int) throws {
        let result = try ReceiptFixture().result { $0.deviceIdentifier = .data(Data(repeating: 2, count: count)) }
        #expect(result.error == .incorrectHash)
        #expect(result.deviceIdentifier == Data(repeating: 2, count: count))
    }

    @Test("A given identifier is in every result, even if the hash isn't checked", arguments: [0, 6, 16])
    func givenIdentifier(_ count: Int) throws {
        let identifier = Data(repeating: 3, count: count)
        let parameters = try ReceiptFixture().parameters().with {
            $0.deviceIdentifier = .data(identifier)
            $0.shouldValidateHash = false
        }
        let success = AppReceiptValidator().validateReceipt(parameters: parameters)
        #expect(success.error == nil)
        #expect(success.deviceIdentifier == identifier)
        let missing = parameters.with { $0.receiptOrigin = .dynamic { nil } }
        let failure = AppReceiptValidator().validateReceipt(parameters: missing)
        #expect(failure.error == .couldNotFindReceipt)
        #expect(failure.deviceIdentifier == identifier)
    }
}
