import AppReceiptParsing

// Which lookup is the system's own. A Mac Catalyst app could ask UIKit too, but its receipt is made as on macOS.
// The SHAPE conditions compile a platform's files against stand-ins for its frameworks (Tests/Platforms).

#if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS || SHAPE_CATALYST
typealias SystemDeviceLookup = NetworkAddressLookup
extension NetworkAddressLookup where Registry == IOKitRegistry {
    init() { self.init(registry: IOKitRegistry()) }
}

/// The addresses that Apple's procedures for receipts name.
package enum NetworkAddress {
    /// By the procedure of today.
    package static var primary: DeviceIdentifier? { NetworkAddressLookup().primaryAddresses().first }

    /// By the procedure of 2017.
    package static var legacy: DeviceIdentifier? { NetworkAddressLookup().legacyAddresses().first }
}
#elseif os(iOS) || os(tvOS) || os(visionOS) || os(watchOS) || SHAPE_IOS || SHAPE_WATCHOS
typealias SystemDeviceLookup = VendorIdentifierLookup
#else
/// Systems for which the store makes no receipts.
struct SystemDeviceLookup: DeviceLookup {
    func identifiers() throws(ReceiptError) -> [DeviceIdentifier] { throw ReceiptError(.deviceIdentifierUnsupported) }
}
#endif
