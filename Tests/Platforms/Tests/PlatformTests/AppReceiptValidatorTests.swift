import AppReceiptValidator
import Dispatch
import Foundation
import Testing

#if SHAPE_MACOS || SHAPE_CATALYST
import IOKit
#else
import VendorScript
#endif

extension PlatformTests {
    @Suite("AppReceiptValidator")
    struct AppReceiptValidatorTests {
        typealias Identifier = AppReceiptValidator.Parameters.DeviceIdentifier

        #if SHAPE_MACOS || SHAPE_CATALYST
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

        @Test("this device's identifier is given synchronously, on the main thread and on others")
        func getData() async {
            await prepare()
            #expect(await MainActor.run { Identifier.currentDevice.getData() } == Self.expected)
            let elsewhere = await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: Identifier.currentDevice.getData()) }
            }
            #expect(elsewhere == Self.expected)
        }

        #if SHAPE_MACOS
        @Test("a Mac's addresses are given as bytes and as text")
        func addresses() {
            RegistryScript.shared.prepare([
                .init(
                    "en0", ["IOBuiltin": .flag(true), "IOMACAddress": .data([0xAA, 0, 1, 2, 3, 0xFF])],
                    parent: ["IOMACAddress": .data([0xBB, 0, 1, 2, 3, 4])])
            ])
            #expect(Identifier.getPrimaryNetworkMACAddress()?.addressString == "aa:00:01:02:03:ff")
            #expect(Identifier.getPrimaryNetworkMACAddress()?.data == Data([0xAA, 0, 1, 2, 3, 0xFF]))
            #expect(Identifier.getLegacyPrimaryNetworkMACAddress()?.addressString == "bb:00:01:02:03:04")
            RegistryScript.shared.prepare([])
            #expect(Identifier.getPrimaryNetworkMACAddress() == nil)
            #expect(Identifier.getLegacyPrimaryNetworkMACAddress() == nil)
        }
        #endif
    }
}
