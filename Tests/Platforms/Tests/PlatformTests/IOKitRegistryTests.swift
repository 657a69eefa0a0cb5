#if SHAPE_MACOS
import AppReceiptKit
import AppReceiptTesting
import AppReceiptValidator
import Foundation
import IOKit
import Testing

extension PlatformTests {
    @Suite("IOKitRegistry")
    struct IOKitRegistryTests {
        typealias Interface = RegistryScript.Interface

        /// Returns the last byte of each address that is found, nil if the lookup fails.
        static func found(
            _ interfaces: [Interface], matchingFails: Bool = false, lookupFails: Bool = false
        ) -> [UInt8]? {
            let registry = RegistryScript.shared
            registry.prepare(interfaces, matchingFails: matchingFails, lookupFails: lookupFails)
            let devices: [DeviceIdentifier]?
            do {
                devices = try DeviceIdentifier.current()
            } catch {
                #expect(error.code == .deviceIdentifierMissing)
                devices = nil
            }
            #expect(registry.unreleasedObjects == 0, "every object is released")
            #expect(registry.invalidUses == 0, "no object is released twice")
            return devices?.compactMap(\.bytes.last)
        }

        static func address(_ last: UInt8) -> [UInt8] { [2, 0, 0, 0, 0, last] }

        @Test("A built-in en0 is first, whatever the other interfaces")
        func builtInFirst() throws {
            let found = Self.found([
                Interface("en1", isBuiltIn: true, address: Self.address(2)),
                Interface("en0", isBuiltIn: true, address: Self.address(1)),
                Interface("en5", isBuiltIn: true, address: Self.address(3)),
            ])
            #expect(found == [1, 2])
            #expect(RegistryScript.shared.returnedObjects > 0)
            #expect(try DeviceIdentifier.current().first?.bytes == Self.address(1))
        }

        @Test("A Mac that has only en1 has its address")
        func onlyEn1() {
            #expect(Self.found([Interface("en1", isBuiltIn: true, address: Self.address(2))]) == [2])
        }

        @Test("An external en0 is first if en1 isn't built in, and otherwise last")
        func externalEn0() {
            let external = Interface("en0", isBuiltIn: false, address: Self.address(1))
            #expect(Self.found([external]) == [1])
            let others = [2, 1].map { Interface("en\($0)", isBuiltIn: true, address: Self.address(UInt8($0 + 10))) }
            #expect(Self.found([external] + others) == [11, 12, 1])
        }

        @Test("Services with the same name are in the order of the registry")
        func severalServices() {
            let services = [
                Interface("en0", isBuiltIn: false, address: Self.address(1)),
                Interface("en0", isBuiltIn: true, address: Self.address(2)),
            ]
            #expect(Self.found(services) == [2, 1])
        }

        @Test("An interface without IOBuiltin is found only by the older procedure")
        func unknownBuiltIn() {
            let unknown = Interface("en0", isBuiltIn: nil, address: Self.address(1))
            #expect(Self.found([unknown]) == [1])
            #expect(Self.found([unknown, Interface("en1", isBuiltIn: true, address: Self.address(2))]) == [2, 1])
            #expect(Self.found([Interface("en1", isBuiltIn: nil, address: Self.address(2))]) == nil)
        }

        @Test("The address may be a property of the interface itself")
        func ownAddress() {
            let interface = Interface(
                "en0", ["IOBuiltin": .flag(true), "IOMACAddress": .data(Self.address(7))], parent: nil)
            #expect(Self.found([interface]) == [7])
        }

        @Test("Missing interfaces and failed lookups are errors")
        func withoutInterfaces() {
            #expect(Self.found([]) == nil)
            let interface = Interface("en0", isBuiltIn: true, address: Self.address(1))
            #expect(Self.found([interface], matchingFails: true) == nil)
            #expect(Self.found([interface], lookupFails: true) == nil)
        }

        @Test(
            "A property of another type is treated as absent",
            arguments: [
                Interface("en0", ["IOBuiltin": .text("yes")], parent: ["IOMACAddress": .data([2, 0, 0, 0, 0, 1])]),
                Interface("en0", ["IOBuiltin": .number(1)], parent: ["IOMACAddress": .data([2, 0, 0, 0, 0, 1])]),
                Interface("en0", ["IOBuiltin": .data([1])], parent: ["IOMACAddress": .data([2, 0, 0, 0, 0, 1])]),
            ])
        func wrongFlag(_ interface: Interface) {
            // It isn't known to be built in, which only the older procedure ignores.
            let builtIn = Interface("en1", isBuiltIn: true, address: Self.address(2))
            #expect(Self.found([interface, builtIn]) == [2, 1])
        }

        @Test(
            "An address of another type or length is treated as absent",
            arguments: [
                RegistryScript.Value.text("02:00:00:00:00:01"), .number(1), .flag(true), .data([]), .data([1, 2, 3]),
                .data([UInt8](repeating: 0, count: 16)),
            ])
        func wrongAddress(_ value: RegistryScript.Value) {
            let interface = Interface("en0", ["IOBuiltin": .flag(true)], parent: ["IOMACAddress": value])
            #expect(Self.found([interface]) == nil)
        }

        @Test("Each address is listed once")
        func distinct() {
            let same = ["en0", "en1", "en2"].map { Interface($0, isBuiltIn: true, address: Self.address(9)) }
            #expect(Self.found(same) == [9])
        }

        @Test("A receipt for the Mac's second address is valid, and the result contains that address")
        func receiptOfSecondAddress() throws {
            let interfaces = [
                Interface("en0", isBuiltIn: true, address: Self.address(1)),
                Interface("en1", isBuiltIn: true, address: Self.address(2)),
            ]
            #expect(Self.found(interfaces) == [1, 2])
            let devices = try DeviceIdentifier.current()
            let receipt = TestReceipt().with { $0.device = devices[1] }
            let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
            let expectations = Expectations(
                bundleIdentifier: "com.example.app", environments: [.sandbox], devices: .only(devices))
            let verified = try verifier.verify(try receipt.signed(), expecting: expectations)
            #expect(verified.device == devices[1])
            let dropIn = AppReceiptValidator.Parameters.default.with {
                $0.receiptOrigin = .dynamic { try? Data(receipt.signed()) }
                $0.signatureValidation = .skip
            }
            let result = AppReceiptValidator().validateReceipt(parameters: dropIn)
            #expect(result.error == nil)
            #expect(result.deviceIdentifier == Data(Self.address(2)))
        }
    }
}
#endif
