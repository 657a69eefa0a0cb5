import AppReceiptKit
import AppReceiptTesting
import AppReceiptValidator
import Dispatch
import Foundation
import Testing

#if SHAPE_MACOS
import IOKit
#else
import VendorScript
#endif

extension PlatformTests {
    @Suite("AppReceiptValidator")
    struct AppReceiptValidatorTests {
        typealias Identifier = AppReceiptValidator.Parameters.DeviceIdentifier

        #if SHAPE_MACOS
        static let expected = Data([2, 0, 0, 0, 0, 1])

        private func prepare() async {
            RegistryScript.shared.prepare([
                .init("en0", isBuiltIn: true, address: Array(Self.expected)),
                .init("en1", isBuiltIn: true, address: [2, 0, 0, 0, 0, 2]),
            ])
        }
        #else
        static let expected = Data(1...16)

        private func prepare() async {
            await VendorScript.answer(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
        }
        #endif

        @Test("The identifier of the current device is available on the main thread and on others")
        func getData() async {
            await prepare()
            #expect(await MainActor.run { Identifier.currentDevice.getData() } == Self.expected)
            let elsewhere = await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: Identifier.currentDevice.getData()) }
            }
            #expect(elsewhere == Self.expected)
        }

        #if SHAPE_MACOS
        @Test("The MAC addresses are available as bytes and as text wherever IOKit can be imported")
        func addresses() {
            let primary: () -> (data: Data, addressString: String)? = Identifier.getPrimaryNetworkMACAddress
            let legacy: () -> (data: Data, addressString: String)? = Identifier.getLegacyPrimaryNetworkMACAddress
            RegistryScript.shared.prepare([
                .init(
                    "en0", ["IOBuiltin": .flag(true), "IOMACAddress": .data([0xAA, 0, 1, 2, 3, 0xFF])],
                    parent: ["IOMACAddress": .data([0xBB, 0, 1, 2, 3, 4])])
            ])
            #expect(primary()?.addressString == "aa:00:01:02:03:ff")
            #expect(primary()?.data == Data([0xAA, 0, 1, 2, 3, 0xFF]))
            #expect(legacy()?.addressString == "bb:00:01:02:03:04")
            #expect(legacy()?.data == Data([0xBB, 0, 1, 2, 3, 4]))
            #expect(Identifier.currentDevice.getData() == primary()?.data)
            RegistryScript.shared.prepare([])
            #expect(primary() == nil)
            #expect(legacy() == nil)
        }

        @Test("The result contains the address that matched, if the hash was checked")
        func matchedAddress() throws {
            let addresses = [Self.expected, Data([2, 0, 0, 0, 0, 2])]
            RegistryScript.shared.prepare(
                addresses.enumerated().map { .init("en\($0)", isBuiltIn: true, address: Array($1)) })
            for address in addresses {
                let receipt = TestReceipt().with { $0.device = DeviceIdentifier(bytes: Array(address)) }
                let data = Data(try receipt.signed())
                let parameters = AppReceiptValidator.Parameters.default.with {
                    $0.receiptOrigin = .data(data)
                    $0.signatureValidation = .skip
                }
                let success = AppReceiptValidator().validateReceipt(parameters: parameters)
                #expect(success.error == nil)
                #expect(success.deviceIdentifier == address)
                let failure = AppReceiptValidator().validateReceipt(
                    parameters: parameters.with { $0.propertyValidations = [.string(\.appVersion, expected: nil)] })
                #expect(failure.error == .propertyValueMismatch)
                #expect(failure.deviceIdentifier == nil)
                let other = AppReceiptValidator().validateReceipt(
                    parameters: parameters.with { $0.deviceIdentifier = .data(Data([1, 2, 3, 4, 5, 6])) })
                #expect(other.error == .incorrectHash)
                #expect(other.deviceIdentifier == Data([1, 2, 3, 4, 5, 6]))
            }
            RegistryScript.shared.prepare([.init("en0", isBuiltIn: true, address: [2, 0, 0, 0, 0, 9])])
            let receipt = TestReceipt().with { $0.device = DeviceIdentifier(bytes: Array(Self.expected)) }
            let data = Data(try receipt.signed())
            let copied = AppReceiptValidator().validateReceipt(
                parameters: .default.with {
                    $0.receiptOrigin = .data(data)
                    $0.signatureValidation = .skip
                })
            #expect(copied.error == .incorrectHash)
            #expect(copied.deviceIdentifier == Data([2, 0, 0, 0, 0, 9]))
        }
        #endif
    }
}
