import AppReceiptParsing

// The device lookup of each platform. UIKit exists on Mac Catalyst, but receipts there are created as on macOS.
// The SHAPE conditions compile a platform's files against stand-ins for its frameworks (Tests/Platforms).

#if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS
typealias SystemDeviceLookup = NetworkAddressLookup
extension NetworkAddressLookup where Registry == IOKitRegistry {
    init() { self.init(registry: IOKitRegistry()) }
}

/// The MAC addresses of Apple's procedures for receipts.
package enum NetworkAddress {
    /// The address of the current procedure.
    package static var primary: DeviceIdentifier? { NetworkAddressLookup().primaryAddresses().first }

    /// The address of the procedure of 2017.
    package static var legacy: DeviceIdentifier? { NetworkAddressLookup().legacyAddresses().first }
}
#elseif canImport(Darwin) || SHAPE_APPLE
typealias SystemDeviceLookup = VendorIdentifierLookup
#else
/// The lookup for systems without receipts, which always fails.
struct SystemDeviceLookup: DeviceLookup {
    func identifiers() throws(ReceiptError) -> [DeviceIdentifier] { throw ReceiptError(.deviceIdentifierUnsupported) }
}
#endif
