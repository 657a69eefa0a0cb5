public import AppReceiptParsing

extension DeviceIdentifier {
    /// The identifiers that a receipt of this device may have been made for, the likeliest first.
    ///
    /// On iOS, iPadOS, tvOS and visionOS, and for apps from there on a Mac, the identifier for vendor; on watchOS that of
    /// the watch; on macOS and Mac Catalyst the MAC addresses of the network interfaces that come into question. Pass all
    /// of them to ``Expectations/Devices/oneOf(_:)``: on some Macs it is not the first that matches.
    ///
    /// ```swift
    /// expectations.devices = .oneOf(try DeviceIdentifier.current())
    /// ```
    ///
    /// May be called on any thread. UIKit and WatchKit answer on the main thread only: called elsewhere this waits until
    /// the main thread is free, so do not let the main thread wait for the caller.
    ///
    /// - Throws: `device-identifier-missing` if the system has none to give (the identifier for vendor before a device's
    ///   first unlock, a Mac without network interfaces), `device-identifier-unsupported` on systems for which no
    ///   receipts are made, such as Linux.
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

/// Asks a system for the identifiers of the device it runs on. Each platform has one, in a file of its own that is
/// compiled there only.
protocol DeviceLookup {
    /// The identifiers, the likeliest first; none if the system has none to give.
    func identifiers() throws(ReceiptError) -> [DeviceIdentifier]
}
