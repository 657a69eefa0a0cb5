public import AppReceiptParsing

extension DeviceIdentifier {
    /// Returns the identifiers that a receipt of this device may be for, the most likely first.
    ///
    /// On iOS, iPadOS, tvOS, watchOS and visionOS, and for their apps on a Mac, this is the identifier for vendor. On
    /// macOS and Mac Catalyst, these are the MAC addresses of the eligible network interfaces. Pass all of them to
    /// ``AcceptedValues/only(_:)``, because on some Macs the first one doesn't match.
    ///
    /// ```swift
    /// expectations.devices = .only(try DeviceIdentifier.current())
    /// ```
    ///
    /// Can be called on any thread. UIKit and WatchKit require the main thread: on other threads, the function waits
    /// until the main thread is free, so the main thread must not wait for the caller.
    ///
    /// - Returns: At least one identifier, without duplicates.
    /// - Throws: `device-identifier-missing` if the system doesn't provide one (the identifier for vendor before a
    ///   device's first unlock, a Mac without network interfaces), `device-identifier-unsupported` on systems without
    ///   receipts, such as Linux.
    public static func current() throws(ReceiptError) -> [DeviceIdentifier] {
        try identifiers(from: SystemDeviceLookup())
    }

    static func identifiers(from lookup: some DeviceLookup) throws(ReceiptError) -> [DeviceIdentifier] {
        var found: [DeviceIdentifier] = []
        for identifier in try lookup.identifiers() where !found.contains(identifier) { found.append(identifier) }
        guard !found.isEmpty else { throw ReceiptError(.deviceIdentifierMissing) }
        return found
    }
}

/// A source of the identifiers of the current device. Each platform has its own implementation.
protocol DeviceLookup {
    /// Returns the identifiers, the most likely first; empty if the system doesn't provide one.
    func identifiers() throws(ReceiptError) -> [DeviceIdentifier]
}

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
